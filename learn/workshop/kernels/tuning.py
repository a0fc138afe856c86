"""Phase 5: block sizes and warps of your vector add, timed: python3 -m kernels.tuning"""

if __name__ == "__main__":
    from tilewise.learn.workshop import tuning
    tuning(__file__)
