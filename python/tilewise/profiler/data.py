"""What a session has recorded so far."""

from . import _lock, _sessions


def get(session=0, phase=0):
    """As the file would have it; None if there is no such session."""
    with _lock:
        return _sessions[session].database() if session in _sessions else None


def clear(session=0):
    with _lock:
        if session in _sessions:
            _sessions[session].clear()
