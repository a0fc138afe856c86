# What a host would choose when it runs.
import torch
from somewhere import drivers

HAS_TRITON = len(drivers) == 1
chosen = None


def choose():
    global chosen
    chosen = torch.cuda.get_device_name(0)


def get():
    return chosen
