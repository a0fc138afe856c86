"""`triton.compiler.code_generator`: the errors that programs take from there."""

from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401
