"""analyze(kernel, grid, *arguments): what a launch moves through memory and computes, and what bounds it.

    from tilewise.analysis import analyze
    print(analyze(add, (4,), x, y, z, n, BLOCK=256))

The kernel runs line by line with every access counted (tilewise.trace): use small sizes, the ratios are those of large ones."""

from .trace import SECTOR, trace


def _text(bytes):
    for unit in ("B", "KiB", "MiB"):
        if bytes < 1024:
            return f"{bytes:.0f} {unit}" if unit == "B" else f"{bytes:.1f} {unit}"
        bytes /= 1024
    return f"{bytes:.1f} GiB"


class Analysis:
    """The counts of one launch, in bytes and operations; str() is a table."""

    def __init__(self, name, seen, launch=None):
        self.name, self.trace, self.launch = name, seen, launch
        arguments = seen.arguments.values()
        self.loaded = sum(each.loaded for each in arguments)
        self.stored = sum(each.stored for each in arguments)
        self.distinct = sum(each.distinct_loaded + each.distinct_stored for each in arguments)
        self.sectors = sum(each.loaded_sectors + each.stored_sectors for each in arguments)
        self.operations, self.dot_operations = seen.operations, seen.dot_operations
        self.programs = seen.grid[0] * seen.grid[1] * seen.grid[2]

    @property
    def moved(self):
        """Bytes that the kernel asks for."""
        return self.loaded + self.stored

    @property
    def least(self):
        """Bytes that must move however it is done: each distinct one once."""
        return self.distinct

    @property
    def wasted(self):
        """Bytes that come along unused, because memory moves whole sectors."""
        return max(0, self.sectors - self.moved)

    @property
    def intensity(self):
        """Operations per byte that must move."""
        return self.operations / max(1, self.least)

    def against(self, gigabytes_per_second, gigaflops):
        """What bounds it on a machine with these ceilings, and the least time: ("memory" or "arithmetic", milliseconds)."""
        memory, arithmetic = self.least / gigabytes_per_second / 1e6, self.operations / gigaflops / 1e6
        return ("memory", memory) if memory >= arithmetic else ("arithmetic", arithmetic)

    def __str__(self):
        lines = [f"{self.name}: {self.programs} programs, 1 launch",
                 f"  {'argument':<14}{'loaded':>12}{'stored':>12}{'distinct':>12}{'in sectors':>12}   used again"]
        for each in self.trace.arguments.values():
            distinct = each.distinct_loaded + each.distinct_stored
            moved = each.loaded + each.stored
            lines.append(f"  {each.name:<14}{_text(each.loaded):>12}{_text(each.stored):>12}{_text(distinct):>12}"
                         f"{_text(each.loaded_sectors + each.stored_sectors):>12}   {moved / distinct if distinct else 0:.1f} times")
        lines += [f"  moved {_text(self.moved)}; the least possible is {_text(self.least)}; {_text(self.wasted)} come along unused in sectors of {SECTOR} bytes",
                  f"  {self.operations} operations" + (f", {self.dot_operations} of them in dots" if self.dot_operations else "")
                  + f"; {self.intensity:.2f} per byte at best, {self.operations / max(1, self.moved):.2f} as written"]
        for overlap in self.trace.overlaps[:3]:
            lines.append(f"  line {overlap.line}: program {self.trace.id_of(overlap.second)} wrote '{overlap.argument}' where program "
                         f"{self.trace.id_of(overlap.first)} had written (element {overlap.element})")
        return "\n".join(lines)

    def beside(self, separate):
        """A sentence that compares it with what separate operators do: count_torch(...), or anything else with launches and moved."""
        return (f"separate operators: {separate.launches} launches, {_text(separate.moved)} moved; {self.name}: 1 launch, {_text(self.moved)}, "
                f"{separate.moved / max(1, self.moved):.1f} times less")

    def on_gpu(self, gpu, num_warps=4):
        """What the launch takes of a GPU that need not be there ("h200", "90"): tilewise.analysis_gpu.Resources, whose str() is some lines."""
        from .analysis_gpu import parse_gpu, resources
        kernel, arguments, named = self.launch
        return resources(kernel, parse_gpu(gpu)[0], arguments, named, num_warps)

    def html(self, bandwidth, peak):
        """One page with the table, the roofline of a machine (GB/s, GFLOPS), and who touches what."""
        from .analysis_page import page
        return page(self, bandwidth, peak)


class Separate:
    """What separate operators of torch do: how many are launched, and the bytes they read and write."""

    def __init__(self, launches, moved, names):
        self.launches, self.moved, self.names = launches, moved, names


def count_torch(function, *arguments, **named):
    """Runs a function of torch tensors and counts its operators as torch dispatches them; views move nothing."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    names, moved = [], 0

    class Counting(TorchDispatchMode):

        def __torch_dispatch__(self, operator, types, given=(), keywords=None):
            nonlocal moved
            result = operator(*given, **(keywords or {}))
            read = [each for each in tree_leaves((given, keywords)) if isinstance(each, torch.Tensor)]
            written = [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]
            storages = {each.untyped_storage().data_ptr() for each in read}
            is_view = written and all(each.untyped_storage().data_ptr() in storages for each in written) and not operator._schema.is_mutable
            if not is_view:
                names.append(operator._schema.name.partition("::")[2])
                moved += sum(each.numel() * each.element_size() for each in (*read, *written))
            return result

    with Counting():
        function(*arguments, **named)
    return Separate(len(names), moved, names)


def analyze(kernel, grid, *arguments, **named):
    """The Analysis of a launch of a function decorated with triton.jit; the arguments are changed as by a launch."""
    return Analysis(kernel.__name__, trace(kernel, grid, *arguments, **named), (kernel, arguments, named))
