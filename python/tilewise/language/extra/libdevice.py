"""`triton.language.extra.libdevice`: the device's math library, elementwise."""

from ..functions import offer as _offer

_MODES = ("rn", "rz", "rd", "ru")
_ROUNDED = """add sub mul div fma rcp sqrt double2float double2int double2uint double2ll double2ull float2int float2uint float2ll
    float2ull int2float uint2float ll2float ull2float ll2double ull2double"""
_NAMES = f"""
    clz popc byte_perm mulhi mul24 brev sad ffs hadd rhadd
    {" ".join(f"{name}_{mode}" for name in _ROUNDED.split() for mode in _MODES)}
    rsqrt_rn int2double_rn uint2double_rn hiloint2double double2loint double2hiint
    int_as_float float_as_int uint_as_float float_as_uint longlong_as_double double_as_longlong
    fast_dividef fast_sinf fast_cosf fast_tanf fast_tanhf fast_log2f fast_logf fast_log10f fast_expf fast_exp10f fast_powf
    sin cos tan sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p
    sqrt rsqrt cbrt rcbrt pow hypot rhypot norm3d rnorm3d norm4d rnorm4d
    erf erfc erfinv erfcinv erfcx normcdf normcdfinv lgamma tgamma j0 j1 jn y0 y1 yn cyl_bessel_i0 cyl_bessel_i1
    abs floor ceil trunc rint nearbyint round llrint llround fmod remainder fdim copysign nextafter ldexp scalbn ilogb logb
    isnan isinf finitef isfinited signbit saturatef rcp64h fma min max
"""
globals().update(_offer("triton.language.extra.libdevice", _NAMES))
__all__ = _NAMES.split()
