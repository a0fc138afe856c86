"""A kernel's accesses as a module of upstream's IR, as far as torch walks one: to find which tensors a kernel of a user's changes.

torch's `generate_ttir` asks `ASTSource.make_ir` for it, and follows each load's and store's operand back to a parameter. Here the compiler has
done that already (`tilewise emit --stage=accesses`); what torch walks is one function whose ops take the parameters themselves."""

# By the first word of a line. Assembly that may touch anything is given as what torch takes for that.
_OPS = {"load": "tt.load", "store": "tt.store", "atomic": "tt.atomic_rmw", "assembly": "tt.elementwise_inline_asm"}


class _Numbered:
    """A value, a block or a region."""

    def __init__(self, number, arguments=(), parent=None):
        self._number, self._arguments, self._parent = number, arguments, parent

    def id(self):
        return self._number

    def get_num_arguments(self):
        return len(self._arguments)

    def get_argument(self, index):
        return self._arguments[index]

    def get_parent(self):
        return self._parent


class _Op:

    def __init__(self, name, block=None, operands=(), results=(), regions=(), attributes=None):
        self._name, self._block, self._operands, self._results, self._regions = name, block, operands, results, regions
        self._attributes = attributes or {}

    def get_name(self):
        return self._name

    def get_block(self):
        return self._block

    def get_num_operands(self):
        return len(self._operands)

    def get_operand(self, index):
        return self._operands[index]

    def get_num_results(self):
        return len(self._results)

    def get_result(self, index):
        return self._results[index]

    def get_num_regions(self):
        return len(self._regions)

    def get_region(self, index):
        return self._regions[index]

    def get_str_attr(self, name):
        return self._attributes.get(name)

    get_flat_symbol_ref_attr = get_bool_attr = get_str_attr


class ModuleOfAccesses:
    """`names`: of the parameters, in order; `text`: what the compiler lists, a line each."""

    def __init__(self, kernel, names, text):
        self._kernel, self._names, self._text = kernel, names, text

    def verify(self):
        return True

    def __str__(self):
        return f"{self._kernel}({', '.join(self._names)})\n{self._text}"

    def walk(self, told):
        """Tells of each op, the innermost first."""
        numbers = iter(range(1 << 30))
        region = _Numbered(next(numbers))
        block = _Numbered(next(numbers), [_Numbered(next(numbers)) for _ in self._names], region)
        parameters = dict(zip(self._names, block._arguments))

        for line in self._text.splitlines():
            verb, *through = line.split()
            if "?" in through:
                verb, through = "assembly", []  # a pointer from anywhere
            operands = [parameters[name] for name in through]
            if len(operands) > 1:
                choice = _Numbered(next(numbers))
                told(_Op("arith.select", block, operands, [choice]))
                operands = [choice]
            told(_Op(_OPS[verb], block, operands, attributes={"pure": False}))
        told(_Op("tt.return", block))
        told(_Op("tt.func", regions=[region], attributes={"sym_name": self._kernel}))
