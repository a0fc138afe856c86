"""The learner's text before anything runs: what is not written yet, program ids that are not used, and its module under Tilewise."""

import ast
import importlib.util
import re
import sys

import tilewise

from ..runtime.callable import JITCallable


class Found(Exception):
    """Something to tell the learner: one finding, in words."""


def parse(path):
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, str(path))
        compile(tree, str(path), "exec")  # finds more, as two parameters of one name
        return text, tree
    except UnicodeDecodeError as error:
        raise Found(f"line {error.object[:error.start].count(10) + 1}: the file has a byte that is not UTF-8") from None
    except ValueError as error:
        raise Found(f"Python cannot read this: {error}") from None
    except SyntaxError as error:
        raise Found(f"line {error.lineno}: Python cannot read this: {error.msg}") from None


def missing_steps(text, tree):
    """Every `...` with the step of the comment above it: (line, step text)."""
    lines = text.splitlines()
    for node in sorted((node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value is Ellipsis), key=lambda node: node.lineno):
        step = ""
        for above in range(node.lineno - 1, -1, -1):
            found = re.search(r"#\s*(step \d+)\s*:?\s*(.*)", lines[above])
            if found:
                step = found[1]
                break
        yield node.lineno, step


def check_finished(text, tree):
    for line, step in missing_steps(text, tree):
        raise Found(f"{step or 'something'} is not written yet: line {line} still has '...'")


def definition_of(tree, name):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def unused_program_id(tree, name):
    """(variable, line) of a program id that the kernel asks for and does not use; ("", 0) when it never asks; None when all is well."""
    kernel = definition_of(tree, name)
    if kernel is None:
        return None
    asked, helpers = {}, {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = [node for node in ast.walk(kernel) if isinstance(node, ast.Call)]
    is_id = lambda node: isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "program_id"
    for node in ast.walk(kernel):
        if isinstance(node, ast.Assign) and is_id(node.value) and isinstance(node.targets[0], ast.Name):
            asked[node.targets[0].id] = node.lineno
    if not any(map(is_id, calls)) and not any(getattr(call.func, "id", "") in helpers for call in calls):
        return "", 0
    read = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for variable, line in asked.items():
        if variable not in read:
            return variable, line
    return None


def wrong_axis(tree, name, grid):
    """(axis, line) of a program id along which this grid has one program, where none is asked for along which it has several; else (None, None)."""
    several = {axis for axis, count in enumerate(grid) if count > 1}
    calls = [node for node in ast.walk(definition_of(tree, name) or tree) if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "program_id"]
    given = {call: [each.value for each in (*call.args, *(keyword.value for keyword in call.keywords)) if isinstance(each, ast.Constant)] for call in calls}
    asked = {axis for axes in given.values() for axis in axes}
    for call, axes in given.items():
        if axes and not asked >= several and axes[0] not in several:
            return axes[0], call.lineno
    return None, None


def import_file(path):
    """The learner's module, with Tilewise in the place of Triton."""
    path = path.absolute()  # as its frames name it
    replaced = {"triton": tilewise, "triton.language": tilewise.language}
    saved = {name: sys.modules.get(name) for name in replaced}
    sys.modules.update(replaced)
    name = f"tilewise_learner_{re.sub(r'[^a-zA-Z0-9]', '_', str(path))}"
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # inspect looks for sources there
        import linecache
        linecache.checkcache(str(path))
        spec.loader.exec_module(module)
        return module
    except (Exception, SystemExit) as error:
        line = line_in(error, path)
        raise Found(f"{f'line {line}: ' if line else ''}the file cannot be loaded: {type(error).__name__}: {error}") from None
    finally:
        for key, value in saved.items():
            if value is None:
                sys.modules.pop(key, None)
            else:
                sys.modules[key] = value


def line_in(error, path):
    """The innermost line of a file that an error came by, or None."""
    trace, line = error.__traceback__, None
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == str(path) else line
        trace = trace.tb_next
    return line


def find_kernel(module, name, parameters):
    kernel = getattr(module, name, None)
    inner = kernel
    while inner is not None and not isinstance(inner, JITCallable) and hasattr(inner, "fn"):
        inner = inner.fn  # under autotune or heuristics
    if kernel is None:
        raise Found(f"there is no function '{name}' in the file; the checker looks for that name")
    if not isinstance(inner, JITCallable):
        raise Found(f"'{name}' is not a kernel: @triton.jit is missing above its 'def'")
    have = list(inner.signature.parameters)
    if have != list(parameters):
        raise Found(f"'{name}' should have the parameters ({', '.join(parameters)}), but has ({', '.join(have)})")
    return kernel, inner
