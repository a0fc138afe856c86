"""For pytest (`-p tilewise.pytest_plugin`, which `python -m tilewise -m pytest` adds): `import triton` means Tilewise, in workers of xdist, too."""

from . import redirect

redirect.install()
