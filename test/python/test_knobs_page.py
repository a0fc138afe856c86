"""docs/knobs.md names every variable of upstream's that `knobs` knows, once, with what it does here or that it does nothing."""

import pathlib
import re

import pytest
from tilewise import knobs

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "knobs.md").read_text()
ROWS = re.findall(r"^\| `([A-Z][A-Za-z0-9_]*)` \|", PAGE, re.MULTILINE)


def keys():
    for group in vars(knobs).values():
        if isinstance(group, knobs.base_knobs):
            yield from (knob.key for knob in group.knob_descriptors.values())


def test_every_variable_has_one_row():
    assert sorted(set(ROWS)) == sorted(ROWS)
    missing = {key for key in keys() if key.startswith(("TRITON_", "MLIR_"))} - set(ROWS)
    assert not missing


def test_variables_without_a_prefix_are_named():
    missing = {key for key in keys() if not key.startswith(("TRITON_", "MLIR_", "TILEWISE_", "AMDGCN_", "CC"))
               and f"`{key}`" not in PAGE}
    assert not missing


@pytest.mark.parametrize("name", ["MLIR_ENABLE_DUMP", "MLIR_DUMP_PATH", "MLIR_ENABLE_TIMING", "MLIR_ENABLE_DIAGNOSTICS",
                                  "MLIR_ENABLE_REMARK", "MLIR_DISABLE_MULTITHREADING", "TRITON_REPRODUCER_PATH", "TRITON_CUPTI_LIB_PATH",
                                  "TRITON_BACKENDS_IN_TREE", "TRITON_ENABLE_EXPERIMENTAL_CONSAN"])
def test_what_upstreams_compiler_reads_is_there(name):
    assert name in ROWS
