"""All phases in order, as far as they are finished: python3 -m kernels.main"""

if __name__ == "__main__":
    from tilewise.learn.workshop import everything
    everything(__file__)
