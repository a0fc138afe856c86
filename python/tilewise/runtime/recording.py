"""Launches that are noted instead of run, as during the capture of a CUDA graph."""

# Asked for each launch while it is not None: `recorder.launch(run, arguments, grid, named)` gives what the launch gives.
recorder = None
