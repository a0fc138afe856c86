"""A kernel and its launch: `kernel[grid](*arguments, **named)`."""

from . import _native, literals  # noqa: F401 (literals registers itself)
from .compiler.errors import guarded, no_function
from .engines import host_engine
from .options import Options


class Kernel:
    """One kernel of a file. What is compiled for it is kept per signature of its arguments."""

    def __init__(self, native):
        self._native = native
        self._set_parameters(native.parameters())

    def _set_parameters(self, parameters):
        self.arg_names = [name for name, *_ in parameters]
        self._names = frozenset(self.arg_names)
        self._defaults = {}

    @property
    def native(self):
        return self._native

    def __getitem__(self, grid):
        # Its frames are not part of the user's traceback.
        return _native.launcher(self.run, grid)

    def __call__(self, *arguments, **named):
        name = self.native.name()
        raise RuntimeError(f"'{name}' is a kernel; launch it with {name}[grid](...)")

    @guarded(no_function)
    def run(self, *arguments, grid, warmup=False, **named):
        """The launch behind `kernel[grid](...)`. With `warmup` it only compiles."""
        options = Options.take(named, self._names, self.native.name())
        self._add_defaults(arguments, named)
        if warmup:
            self.native.prepare(host_engine(), arguments, named, options.native)
            return
        if callable(grid):
            grid = grid(self._bind(arguments, named))
        self.native.launch(host_engine(), grid, arguments, named, options.native)

    def warmup(self, *arguments, grid=None, **named):
        """Compiles for these arguments without launching."""
        return self.run(*arguments, grid=grid, warmup=True, **named)

    def signature_of(self, *arguments, **named):
        """What a launch with these arguments compiles for, as "*fp32:16, i32, 1024"."""
        Options.take(named, self._names)
        self._add_defaults(arguments, named)
        return self.native.signature(arguments, named)

    @guarded(no_function)
    def emit(self, stage, signature, target="cpu", **options):
        """The kernel's text at a stage: tokens, ast, tile, opt, nests, cpu, placed, nvidia, llvm, asm, ptx or sass."""
        return self.native.emit(stage, signature, target, Options.take(options, ()).native)

    @guarded(no_function)
    def artifact(self, signature, target="cpu", **options):
        """The compiled kernel with its launch plan, as bytes."""
        return self.native.artifact(signature, target, Options.take(options, ()).native)

    @property
    def compile_count(self):
        """For how many signatures this kernel has been compiled."""
        return self.native.compile_count()

    def _add_defaults(self, arguments, named):
        if len(arguments) + len(named) < len(self.arg_names):
            for name in self.arg_names[len(arguments):]:
                if name not in named and name in self._defaults:
                    named[name] = self._defaults[name]

    def _bind(self, arguments, named):
        return {**dict(zip(self.arg_names, arguments)), **named}


def from_artifact(artifact):
    """A kernel out of the bytes of `Kernel.artifact`, made by this process or another, or out of the path of a file with them.

    It is launched as any other, for the signature that it was compiled for; constants may be left out."""
    if not isinstance(artifact, bytes):
        with open(artifact, "rb") as file:
            artifact = file.read()
    return Kernel(_native.kernel_from_artifact(artifact))


@guarded(no_function)
def load(path, name=None):
    """A kernel out of a file, which is read but not run; `name` may be left out when the file has a single kernel."""
    return Kernel(_native.create_kernel(_native.open_source(str(path)), name))
