"""tilewise bench: the kernel library beside separate operations, PyTorch's own operators and upstream Triton, as tables, pictures and a history."""
