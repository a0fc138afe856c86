"""Phases 1 to 5: python3 -m kernels.vector_add, kernels.softmax, kernels.matmul_relu, kernels.benchmark, kernels.tuning; kernels.main runs all."""
