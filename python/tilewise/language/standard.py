"""`triton.language.standard`: the library functions under upstream's module name, with those that programs take from it."""

from .functions import *  # noqa: F401,F403
from .functions import offer as _offer

globals().update(_offer("triton.language.standard", """
    _log2 _is_power_of_two _sum_combine _xor_combine _or_combine _elementwise_max _elementwise_min _prod_combine
    _argmax_combine_tie_break_left _argmax_combine_tie_break_fast _argmin_combine_tie_break_left _argmin_combine_tie_break_fast
"""))
