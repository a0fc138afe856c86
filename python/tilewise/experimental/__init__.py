"""`triton.experimental`: Gluon's names, so that files which also have Gluon kernels can be imported."""
