"""Nearly every form of Python's syntax once, the awkward ones twice."""
from __future__ import annotations
from . import a
from .. .b.c import (d as e, f,)
from g import *
import h.i.j as k, l

@one
@two.three(4, *five, six=7, **eight)
async def every(a, b: int = 1, /, c=2, *d: str, e, f=3, **g) -> None:
    async with x as y, z: pass
    async for i in await j(): break
    else: yield
    return [k async for k in l if m if n]

def pos(a, /): return lambda *, b, c=1: (yield)
def star(*, a): yield from a
def one_line(): x = 1; y = 2; return x, *y

class C(B, metaclass=M, **kw):
    x: int
    y: tl.constexpr = 3
    (z): int = 4
    z.w: int
    z[0]: "int" = 5,

if a: pass
elif b:
    c
elif c: d; e
else:
    f

while (n := next(it)) is not None and not n in (1,) or n not in {}:
    continue
else:
    pass

for a, *b, (c, [d, e]) in *f, g:
    x = y, = z[0], w.v = 1, *u
for in_ in a if b else c: pass

try: pass
except A: pass
except (B, C) as d: raise E from F
except: raise
else: pass
finally: pass
try:
    pass
except* A as b:
    del a, b[c], d.e
    del (f, g)

with (a as b, c as (d, e),): pass
with (a, b): pass
with (a): pass
with (a) as b, (c): pass
with (yield): pass
with (a).b as c: pass

x = -a ** -b ** c * ~d @ e // f % g / h + i - j << k >> l & m ^ n | o
x = a < b <= c == d != e > f >= g is h is not i in j not in k
x = not a and b or not (c or d) and (lambda: e)() if f else lambda g=h, *i: j
x += 1; x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x **= 1; x @= 1; x &= 1; x |= 1; x ^= 1; x <<= 1; x >>= yield
x = a[0], a[:], a[::], a[1:2:3], a[:, None], a[..., 1:], a[b, *c], a[*d], a[(e := 1)], a[()]
x = (), (1,), [], [1, *a, ], {}, {1}, {1, *a}, {1: 2, **b, 3: 4,}, (((1)))
x = [a for b in c for d, in e if f if not g], {a for a in b}, {a: b for a, b in c}, (a for a in b), f(a for a in b)
x = f(a)(b, *c, d=1, *e, **g)[0].h.i(**j)
x = 0, 00, 1_000, 0xFF_ff, 0o17, 0b1_01, 340282366920938463463374607431768211456, 1.5, 1., .5, 1e5, 1_0.0_1E-3, 09.5
x = None, True, False, ..., print, match, case, type, _
x = 'a' "b" '''c
d''' r'\n' u'\u00e9\x41\101\N{DIGIT ONE}\
e', b'\xff\'' rb'\x', "\0"
x = f'', f'a{b}c' 'd' f"{e!r:>{f}}{{}}", rf'\{g:\d}', f'{h=}', f'{ i = !s:x}', f"{j['k']:{'>'}{10}}", f'''{
  l if m else {'n': o}['n'] }''', f'{a!=b}', f'{(lambda: 1)()}', f'{a:=5}', F"{f'{x}'}"
ŵ = é + 变量1
global a, b
nonlocal c
assert a, "b"
match x:
    case [1, {'a': b, **c}] | C(d=e) if f: pass
    case _:
        match = 1
match (a, b)
match[a, b]: c
print(match
      , a) ; \
pass
if x:
    one
  # a comment at no particular depth
    if y:
          two
          # another
    end
