"""A limit of time for what a learner wrote: a loop without an end is told of instead of waited for."""

import contextlib
import signal
import threading


class TooLong(BaseException):
    """The time is over. Not an Exception, so that nothing on the way takes it for the kernel's own."""


@contextlib.contextmanager
def at_most(seconds):
    """Raises TooLong in the lines below after so many seconds. Only a main thread gets signals: elsewhere there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_):
        raise TooLong

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
