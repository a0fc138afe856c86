"""The profiles of processes that multiprocessing forks: they end by os._exit, so the library is not told of their end."""

import multiprocessing
import os
from multiprocessing import util

from . import _native, knobs


def _leave():
    with open(f"{knobs.runtime.profile}.{os.getpid()}.json", "w") as file:
        file.write(_native.profile_trace())


def _at_end(_):
    # After all that may still launch.
    util.Finalize(None, _leave, exitpriority=-1000)


def watch():
    if multiprocessing.parent_process() is not None:
        _at_end(None)
    util.register_after_fork(_native, _at_end)
