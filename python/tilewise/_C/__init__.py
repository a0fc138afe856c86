"""`triton._C`: upstream's native modules, for programs that look into them."""
