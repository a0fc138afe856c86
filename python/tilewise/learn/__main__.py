"""python -m tilewise.learn: the course's commands."""

import sys

from .commands import main

sys.exit(main(sys.argv[1:]))
