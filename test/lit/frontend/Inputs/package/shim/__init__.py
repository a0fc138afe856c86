import torch

chosen = None


def choose():
    global chosen
    chosen = torch.cuda.get_device_name(0)


def get():
    return chosen.functions
