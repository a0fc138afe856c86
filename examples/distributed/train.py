"""Trains a small classifier whose layers are kernels of Tilewise, on several ranks: torchrun train.py [--fsdp].

Each rank sees its own half of the data; gradients are averaged (DDP), or parameters sharded as well (FSDP). The kernels need to know nothing of that.
"""

import argparse

import torch
import torch.distributed as dist
import tilewise.ops as ops


class Classifier(torch.nn.Module):
    """Layer norm, two linear layers with gelu between them: three launches forward."""

    def __init__(self, features, hidden, classes):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(features))
        self.bias = torch.nn.Parameter(torch.zeros(features))
        self.first = torch.nn.Parameter(torch.randn(hidden, features) / features**0.5)
        self.second = torch.nn.Parameter(torch.randn(classes, hidden) / hidden**0.5)

    def forward(self, x):
        x = ops.layer_norm(x, self.weight, self.bias)
        return ops.linear(ops.linear(x, self.first, activation="gelu"), self.second)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fsdp", action="store_true", help="shard the parameters over the ranks")
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", rank % torch.cuda.device_count()) if on_gpu else torch.device("cpu")

    torch.manual_seed(0)  # the same start in all ranks
    model = Classifier(32, 64, 4).to(device)
    truth = torch.randn(4, 32)
    if options.fsdp:
        from torch.distributed.fsdp import fully_shard
        fully_shard(model)
    else:
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)

    torch.manual_seed(1 + rank)  # other data in each
    for step in range(options.steps):
        x = torch.randn(256 // ranks, 32)
        target = (x @ truth.T).argmax(1)
        loss = ops.cross_entropy(model(x.to(device)), target.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if rank == 0 and step % 20 == 19:
            print(f"step {step + 1}: loss {mean.item() / ranks:.2f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
