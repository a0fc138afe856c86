"""Where a session is: how deep in scopes."""

from . import _path, _sessions


def depth(session=0):
    return len(_path()) if session in _sessions else None
