"""`triton.backends.nvidia`: where programs look for what upstream's compiler for NVIDIA GPUs says of itself."""
