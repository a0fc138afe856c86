"""For pytest (`-p tilewise.pytest_plugin`, which `python -m tilewise -m pytest` adds): `import triton` means Tilewise, in workers of xdist, too."""

from . import redirect

redirect.install()


def pytest_terminal_summary(terminalreporter):
    """Where a test failed because torch has no GPU, the line that names the way out."""
    from .cuda_as_cpu import no_gpu
    reports = terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", [])
    messages = (getattr(getattr(report.longrepr, "reprcrash", None), "message", "") for report in reports)
    if any(map(no_gpu.is_missed, messages)):
        terminalreporter.write_line(no_gpu.WAY_OUT)
