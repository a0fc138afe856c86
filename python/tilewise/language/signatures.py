"""Signatures of the language's functions for `inspect.signature`, which libraries ask for: read from the stubs when first asked."""

import ast
import functools
import inspect
import pathlib

_ANY = inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)])


@functools.cache
def _stubs():
    """The functions by name; a class by its own name as its `__init__`."""
    found = {}
    for node in ast.parse(pathlib.Path(__file__).with_name("__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node.args
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
                found[node.name] = inner.args
                del inner.args.args[0]  # self
    return found


def _default(node):
    if node is None:
        return inspect.Parameter.empty
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


@functools.cache
def signature_of(name):
    """As upstream's: with the parameter `_semantic` at the end, by which libraries tell which Triton it is. Unknown ones take anything."""
    arguments = _stubs().get(name)
    if arguments is None:
        return _ANY
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(named) - len(arguments.defaults)) + arguments.defaults
    parameters = [inspect.Parameter(argument.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=_default(default))
                  for argument, default in zip(named, defaults)]
    if arguments.vararg:
        parameters.append(inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    parameters += [inspect.Parameter(argument.arg, inspect.Parameter.KEYWORD_ONLY, default=_default(default))
                   for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    parameters.append(inspect.Parameter("_semantic", inspect.Parameter.KEYWORD_ONLY, default=None))
    if arguments.kwarg:
        parameters.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)
