"""`import triton` in a process whose path has this folder: Tilewise takes its place."""

import sys

import tilewise

tilewise.install()
sys.modules["triton"] = tilewise
