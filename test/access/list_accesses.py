"""What access inference finds of each load and store of the kernel library and of the patterns that tutorials teach.

`list_accesses.py TOOL OPT ROOT LIST` compares with LIST, one line per access; `--update` rewrites it. At least 90 % of them must be
structured: strided boxes with bounds, and nothing else.
"""

import pathlib
import re
import subprocess
import sys

LEAST = 0.9
VECTOR = "*fp32:16, *fp32:16, i32, 1024"
PICTURE = "*fp32:16, *fp32:16, i32, i32:16, 16, 64"
MATMUL = "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 32, 32"
KERNELS = [
    ("kernels/attention.py", "attention", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, fp32, i32:16, i32:16, 64, 32, 32, True"),
    ("kernels/buggy_add.py", "buggy_add", "*fp32:16, *fp32:16, *fp32:16, i32, 1024"),
    ("kernels/convolution.py", "convolve", "*fp32:16, *fp32:16, *fp32:16, i32, i32:16, 3, 16, 64"),
    ("kernels/copy.py", "copy", VECTOR),
    ("kernels/dropout.py", "dropout", "*fp32:16, *fp32:16, i32, fp32, i32, 1024"),
    ("kernels/greyscale.py", "greyscale", PICTURE),
    ("kernels/layer_norm.py", "layer_norm", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32, fp32, 1024"),
    (
        "kernels/layer_norm.py",
        "layer_norm_linear",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, i32, fp32, i32:16, i32:16, i32:16, 32, 32, 32",
    ),
    ("kernels/matmul.py", "matmul", MATMUL),
    ("kernels/matmul_fused.py", "matmul_fused", MATMUL + ', 4, "leaky_relu"'),
    ("kernels/sepia.py", "sepia", PICTURE),
    ("kernels/softmax.py", "softmax", "*fp32:16, *fp32:16, i32:16, i32:16, i32, 1024"),
    ("kernels/softmax_backward.py", "softmax_backward", "*fp32:16, *fp32:16, *fp32:16, i32:16, i32, 1024"),
    ("kernels/vector_add.py", "vector_add", "*fp32:16, *fp32:16, *fp32:16, i32, 1024"),
    ("kernels/multiply_add_sqrt.py", "multiply_add_sqrt", "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, 64"),
    ("kernels/activations.py", "activation", "*fp16:16, *fp16:16, i32, fp32, 'relu', 64"),
    ("kernels/activations.py", "activation_backward", "*fp16:16, *fp16:16, *fp16:16, i32, fp32, 'relu', 64"),
    ("kernels/swiglu.py", "swiglu", "*fp16:16, *fp16:16, *fp16:16, i32, 64"),
    ("kernels/swiglu.py", "swiglu_backward", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, 64"),
    ("kernels/filter2d.py", "filter2d", "*fp32:16, *fp32:16, *fp32:16, i32, i32, 3, 3, 1, 1, 'zero', 16, 16"),
    ("kernels/online_softmax.py", "online_softmax", "*fp16:16, *fp16:16, i32, i32, i32, 64"),
    ("kernels/online_softmax.py", "online_softmax_backward", "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, 64"),
    ("kernels/layer_norm_training.py", "layer_norm_forward", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, i32, fp32, 64"),
    (
        "kernels/layer_norm_training.py",
        "layer_norm_backward_input",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, i32, i32, 64",
    ),
    (
        "kernels/layer_norm_training.py",
        "layer_norm_backward_weights",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, i32, i32, 16, 64",
    ),
    ("kernels/rms_norm.py", "rms_norm_forward", "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32, i32, fp32, 64"),
    ("kernels/rms_norm.py", "rms_norm_backward_input", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, 64"),
    ("kernels/rms_norm.py", "rms_norm_backward_weight", "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, 16, 64"),
    (
        "kernels/norm_linear_gelu_dropout.py",
        "norm_linear_gelu_dropout",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, i32, fp32, fp32, i32, i32, i32, 1, i32, 'gelu', True, 32, 32, 32",
    ),
    ("kernels/cross_entropy.py", "cross_entropy", "*fp16:16, *i64:16, *fp32:16, *fp32:16, i32, i32, i32, fp32, 64"),
    ("kernels/cross_entropy.py", "cross_entropy_backward", "*fp16:16, *i64:16, *fp32:16, *fp32:16, *fp16:16, i32, i32, i32, i32, fp32, 64"),
    ("kernels/rotary.py", "rotary", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, False, False, 4, 64"),
    (
        "kernels/linear.py",
        "linear",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, True, 'none', 32, 32, 32, 8",
    ),
    (
        "kernels/matmul_batched.py",
        "matmul_batched",
        "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32",
    ),
    (
        "kernels/matmul_grouped.py",
        "matmul_grouped",
        "*fp16:16, *fp16:16, *fp16:16, *i32:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32",
    ),
    ("kernels/matmul_split_k.py", "matmul_split_k", "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32"),
    ("kernels/matmul_split_k.py", "add_parts", "*fp32:16, *fp16:16, i32, i32, 64"),
    (
        "kernels/matmul_int8.py",
        "matmul_int8_weights",
        "*fp16:16, *i8:16, *fp32:16, *fp16:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32",
    ),
    (
        "kernels/matmul_int8.py",
        "matmul_int8",
        "*i8:16, *i8:16, *fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32",
    ),
    (
        "kernels/matmul_int4.py",
        "matmul_int4",
        "*fp16:16, *u8:16, *fp32:16, *fp32:16, *fp16:16, i32, i32, i32, i32, i32, i32, i32, i32, 128, 32, 32, 32",
    ),
    (
        "kernels/flash_attention.py",
        "flash_attention",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, fp32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 64, 64, True, 32, 32",
    ),
    ("kernels/flash_attention.py", "flash_attention_delta", "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, i32, i32, i32, i32, 64, 64, 32"),
    (
        "kernels/flash_attention.py",
        "flash_attention_backward_queries",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, i32, i32, fp32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 64, 64, True, 32, 32",
    ),
    (
        "kernels/flash_attention.py",
        "flash_attention_backward_keys",
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, i32, i32, fp32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 64, 64, False, 32, 32",
    ),
    ("test/access/taught_kernels.py", "scale_and_shift", VECTOR),
    ("test/access/taught_kernels.py", "grey_planes", PICTURE),
    ("test/access/taught_kernels.py", "convolve_checked", "*fp32:16, *fp32:16, *fp32:16, i32, i32:16, 3, 16, 64"),
    ("test/access/taught_kernels.py", "matmul_recomputed", MATMUL),
    ("test/access/taught_kernels.py", "matmul_counting_down", MATMUL),
    ("test/access/taught_kernels.py", "matmul_wrapped", MATMUL + ", 8"),
    ("test/access/taught_kernels.py", "softmax_rows", "*fp32:16, *fp32:16, i32:16, i32:16, i32, i32, 1024"),
    ("test/access/taught_kernels.py", "layer_norm_passes", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32, *fp32, i32:16, i32, fp32, 512"),
    ("test/access/taught_kernels.py", "wide_offsets", "*fp32:16, *fp32:16, i32, i32:16, 16"),
    ("test/access/taught_kernels.py", "while_pointers", "*fp32:16, *fp32:16, i32:16, fp32, 128"),
    ("test/access/taught_kernels.py", "chosen_pointers", "*fp32:16, *fp32:16, *fp32:16, i32, i32, 128"),
    ("test/access/taught_kernels.py", "masks_of_all_kinds", "*fp32:16, *fp32:16, i32, i32, i32, 128"),
    ("test/access/taught_kernels.py", "clamped_rows", "*fp32:16, *fp32:16, *fp32:16, i32, i32:16, 16, 64"),
    ("test/access/taught_kernels.py", "demanded_wrap", "*fp32:16, *fp32:16, *fp32:16, i32, 64"),
    ("test/access/taught_kernels.py", "transposed_cube", "*fp32:16, *fp32:16, i32, i32, i32:16, 4, 8, 16"),
    ("test/access/taught_kernels.py", "reshaped_offsets", "*fp32:16, *fp32:16, i32, 8, 16"),
    ("test/access/taught_kernels.py", "matmul_block_pointers", MATMUL),
    ("test/access/taught_kernels.py", "descriptor_copy", "*fp32:16, *fp32:16, i32, i32:16, i32, 16, 32"),
    ("test/access/taught_kernels.py", "gather_rows", "*fp32:16, *i32:16, *fp32:16, i32, i32:16, 64"),
]
ACCESS = re.compile(r'tile\.(load|store)\b.*\{[^}]*tile\.access = "([^"]*)"')


def output_of(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nexited with {done.returncode}:\n{done.stderr}")
    return done.stdout


def accesses(tool, opt, root):
    for file, kernel, signature in KERNELS:
        emitted = output_of([tool, "emit", "--stage=opt", f"{root}/{file}:{kernel}", "--signature", signature])
        inferred = output_of([opt, "--tile-prepare", "--tile-infer-access", "-"], emitted)
        found = ACCESS.findall(inferred)
        if not found or len(found) != len(re.findall(r"tile\.(?:load|store) ", inferred)):
            raise SystemExit(f"{kernel}: not every access was told of")
        for kind, access in found:
            # SSA names change with every op that comes or goes; the verdict is what is kept.
            yield f"{kernel} {kind}: {re.sub(r'base .*?strides .*?] (bounds .*?] )?', '', access)}"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    tool, opt, root, path = arguments
    files = {kernel[0] for kernel in KERNELS}
    for file in pathlib.Path(root, "kernels").glob("*.py"):
        if f"kernels/{file.name}" not in files:
            raise SystemExit(f"kernels/{file.name} is not in this list: add it to KERNELS in {__file__}")
    lines = list(accesses(tool, opt, root))
    structured = sum(line.endswith(" structured") and "not structured" not in line for line in lines)
    share = structured / len(lines)
    text = "\n".join(lines) + f"\n{structured} of {len(lines)} are structured\n"
    list_path = pathlib.Path(path)
    if "--update" in sys.argv:
        list_path.write_text(text)
    elif text != list_path.read_text():
        print(f"{path} is not what is found now (--update rewrites it):\n{text}")
        return 1
    print(f"{structured} of {len(lines)} accesses are structured, {100 * share:.1f} %")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
