"""Looking into kernels in interpreter mode: print or stop only in the programs that one wants to see, and checks of tensors before a launch.

A kernel is run by many programs, so a plain `print` or `breakpoint()` in it comes once for each. The helpers take conditions on the program's
ids, as text: one per axis, separated by commas, an empty one for an axis that does not matter.

    "=0"      the first program along axis 0        ",>1"     programs beyond the second along axis 1
    "<2,=0"   both of: axis 0 below 2, axis 1 at 0  ""        every program
"""

import operator
import re
import sys

from .host import cdiv as ceiling_divide  # noqa: F401 (the workshop's name)

_COMPARISONS = {"=": operator.eq, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_CONDITION = re.compile(r"\s*(<=|>=|!=|==|=|<|>)\s*(-?\d+)\s*")


def _id_of(axis, given):
    """The program's id along an axis: the one given, bare or in a list, else the running program's."""
    if given is None:
        from .language import program_id
        given = program_id(axis)
    if isinstance(given, (list, tuple)):
        (given,) = given
    return int(given)


def in_program(conditions, pid_0=None, pid_1=None, pid_2=None):
    """Whether the program's ids meet the conditions. Ids that are not given are those of the running program of an interpreted kernel."""
    parts = conditions.split(",") if conditions.strip() else []
    if len(parts) > 3:
        raise ValueError(f"{conditions!r} has {len(parts)} conditions; a grid has three axes")
    for axis, (part, given) in enumerate(zip(parts, (pid_0, pid_1, pid_2))):
        if not part.strip():
            continue
        found = _CONDITION.fullmatch(part)
        if not found:
            raise ValueError(f"{part.strip()!r} is no condition on axis {axis}: write one of {', '.join(_COMPARISONS)} and a number, as in '<2,=0'")
        if not _COMPARISONS[found[1]](_id_of(axis, given), int(found[2])):
            return False
    return True


test_pid_conds = in_program


def print_if(text, conditions="", pid_0=None, pid_1=None, pid_2=None):
    """Prints in the programs that meet the conditions."""
    if in_program(conditions, pid_0, pid_1, pid_2):
        print(text)


def breakpoint_if(conditions="", pid_0=None, pid_1=None, pid_2=None):
    """Stops in the debugger, at the kernel's line, in the programs that meet the conditions."""
    if not in_program(conditions, pid_0, pid_1, pid_2):
        return
    if sys.breakpointhook is not sys.__breakpointhook__:
        sys.breakpointhook()
        return
    import pdb  # noqa: T100 (stopping is what it is for)
    pdb.Pdb().set_trace(sys._getframe(1))


def check_tensors(*tensors):
    """Raises unless the tensors are contiguous and on one device, as kernels that index them by themselves need them."""
    places = [str(getattr(tensor, "device", "cpu")) for tensor in tensors]
    for i, tensor in enumerate(tensors):
        contiguous = tensor.is_contiguous() if hasattr(tensor, "is_contiguous") else tensor.flags.c_contiguous
        if not contiguous:
            raise ValueError(f"tensor {i} of shape {tuple(tensor.shape)} is not contiguous; pass its .contiguous() copy, or its strides to the kernel")
        if places[i] != places[0]:
            raise ValueError(f"tensor {i} is on {places[i]}, tensor 0 on {places[0]}; the tensors of a launch must all be on one device")


check_tensors_gpu_ready = check_tensors
