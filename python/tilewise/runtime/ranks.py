"""One choice for all ranks of a distributed program: one of them makes it, the others take it.

It goes through the key-value store that the process group was made with, on one machine or many. No collective is called, so that not all ranks need to
ask: the first that does makes the choice, and who asks later finds it, or waits until it is there.
"""

import sys


def _store():
    """The default group's store; None in a program of one rank."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized() or distributed.get_world_size() == 1:
        return None
    return distributed.distributed_c10d._get_default_store()


def agreed(name, choose):
    """What `choose()` gives, something that JSON can hold, and whether another rank gave it. `name()` is the same for the same question in all ranks."""
    store = _store()
    if store is None:
        return choose(), False
    import datetime
    import json
    # Longer than any tuning takes; a rank that dies takes the others with it before that, by the launcher's hand.
    patience = datetime.timedelta(hours=1)
    answer = f"tilewise/{name()}"
    if store.add(f"{answer}/asked", 1) != 1:
        store.wait([answer], patience)
        told = json.loads(store.get(answer))
        # The rank that asked first could not answer: each for itself, so that each has its own error.
        return (told["choice"], True) if "choice" in told else (choose(), False)
    told = {}
    try:
        told["choice"] = choose()
    finally:
        store.set(answer, json.dumps(told))
    return told["choice"], False
