"""dev/includes.py FILE...: fails on a public header that uses a name of the standard library without including its header.

One standard library includes more than another: `std::uint32_t` came with <string> up to GCC 12, and does not with GCC 13. Prints
`file:line: what is missing` to stdout. `dev/lint` calls it with every public header.
"""
import re
import sys

HOMES = {
    "cstdint": r"u?int(?:_least|_fast)?\d+_t|u?intptr_t", "cstddef": r"size_t|ptrdiff_t|byte|nullptr_t", "array": r"array<", "optional": r"optional<|nullopt",
    "functional": r"function<", "memory": r"(?:unique|shared|weak)_ptr|make_(?:unique|shared)", "vector": r"vector<", "string": r"string\b|to_string",
    "string_view": r"string_view", "utility": r"move\(|forward<|pair<|exchange|declval", "tuple": r"tuple<|make_tuple", "variant": r"variant<|visit\(",
    "type_traits": r"is_\w+_v\b|enable_if|decay_t|remove_\w+_t|conditional_t|invoke_result", "source_location": r"source_location", "atomic": r"atomic<",
    "initializer_list": r"initializer_list", "limits": r"numeric_limits", "chrono": r"chrono", "stdexcept": r"(?:runtime|logic)_error|invalid_argument",
}


def missing(text):
    """Pairs of the first line that needs a header, and the header."""
    included = set(re.findall(r"#\s*include <([a-z_]+)>", text))
    code = [re.sub(r"//.*", "", line) for line in text.split("\n")]
    for header, names in HOMES.items():
        if header in included:
            continue
        use = re.compile(rf"\bstd::(?:{names})")
        for number, line in enumerate(code, 1):
            if use.search(line):
                yield number, header
                break


def main():
    wrong = [f"{name}:{number}: include <{header}>, whose names stand here" for name in sys.argv[1:] for number, header in
             missing(open(name, encoding="utf-8").read())]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
