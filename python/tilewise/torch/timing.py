"""Which of Inductor's block sizes a kernel gets on the CPU: they race against each other, as configs of the tuner do.

Inductor times one after the other, 120 ms each, and takes the lower median: on a machine with other load whatever ran meanwhile chooses. In a
race (src/runtime/tune/Race.h) they take turns, hopeless ones leave, and a kernel of three candidates takes a tenth of a second.

They run on one thread, and what counts is how long that ran: on several, each launch waits for the thread that other load holds up longest, and
one of 12 ms says nothing of a kernel of 0.1. On two loaded cores a transposed copy got blocks that take 14 times as long as the best."""

import contextlib
import functools
import time

from .. import _native

# On average for a candidate; three times that on a noisy machine.
_SECONDS = 0.03


@contextlib.contextmanager
def _on_one_thread():
    import torch
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _times(tuner, args, kwargs):
    """Milliseconds of each launcher; infinite where it cannot run."""
    changes = bool(tuner.mutated_arg_names or tuner.reset_to_zero_arg_names)

    def run(index, calls):
        launcher, taken, done = tuner.launchers[index], 0.0, 0
        # What the kernel changes is made anew before each call, and that is not timed; without that, calls follow each other.
        together = 1 if changes else calls
        try:
            while done < calls:
                given, named = tuner.clone_args(*args, **kwargs)
                tuner.reset_to_zero_args(*given, **named)
                start = time.thread_time()
                for _ in range(together):
                    launcher(*given, **named, stream=0)
                taken += time.thread_time() - start
                done += together
        except Exception:  # torch's own timing tells it, if no other candidate can run either
            return -1.0
        return taken

    with _on_one_thread():
        seconds, _ = _native.race(run, len(tuner.launchers), _SECONDS)
    return [second * 1e3 for second in seconds]


def raced(original):
    """CachingAutotuner.benchmark_all_configs with the times of a race, on the CPU; all that it notes of them stays torch's."""

    @functools.wraps(original)
    def benchmark_all_configs(self, *args, **kwargs):
        if self.device_props.type != "cpu":
            return original(self, *args, **kwargs)
        times = _times(self, args, kwargs)
        if all(one == float("inf") for one in times):
            return original(self, *args, **kwargs)
        known = dict(zip(self.launchers, times))
        self.bench = lambda launcher, *_, **__: known[launcher]
        try:
            return original(self, *args, **kwargs)
        finally:
            del self.bench

    return benchmark_all_configs
