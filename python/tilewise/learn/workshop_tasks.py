"""What the files of the workshop ask for (learn/workshop): those of the course's steps, under the names that the files use."""

import dataclasses

import numpy as np

from .course import find_step
from .task import Case, Task


@dataclasses.dataclass
class Work:
    title: str
    task: Task
    question: str = ""
    #: Function(kernel, folder) that draws pictures with the learner's kernel; gives the files' names.
    draw: object = None


def _renamed(step, kernel, names):
    """The task of a step for a kernel with other parameters, in the order of `names`: ours -> theirs."""
    task = find_step(step).task

    def cases():
        return [Case(case.says, case.grid, {theirs: case.arguments[ours] for ours, theirs in names.items()},
                     {names[ours]: value for ours, value in case.expected.items()}, case.tolerance) for case in task.cases()]

    return Task(kernel, cases, task.hints, read_once=tuple(names[name] for name in task.read_once if name in names))


def _same(*names):
    return {name: name for name in names}


MATRICES = ("a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm", "stride_cn")


def _product(kernel):
    """C = A @ B, without what step 9 adds."""
    names = {**_same(*MATRICES), "BLOCK_M": "BLOCK_SIZE_M", "BLOCK_N": "BLOCK_SIZE_N", "BLOCK_K": "BLOCK_SIZE_K"}
    task = _renamed("matmul", kernel, names)

    def cases():
        return [dataclasses.replace(case, expected={"c_ptr": case.arguments["a_ptr"].astype(float) @ case.arguments["b_ptr"].astype(float)}) for case in task.cases()]

    return dataclasses.replace(task, cases=cases)


def picture():
    """A picture of 3 x 192 x 256: a coloured sky, a disc, some stripes."""
    y, x = np.mgrid[0:192, 0:256] / 192.0
    image = np.stack([0.3 + 0.5 * y, 0.5 + 0.2 * x, 0.9 - 0.4 * y])
    image[:, (x - 0.5)**2 + (y - 0.45)**2 < 0.06] = np.array([0.95, 0.8, 0.2])[:, None]
    image[:, (y > 0.7) & ((x * 12).astype(int) % 2 == 0)] *= 0.4
    return np.clip(image, 0, 1).astype(np.float32)


def _save(path, image):
    from ..comparisons.picture import Canvas
    canvas = Canvas(image.shape[2], image.shape[1])
    canvas.pixels[:] = (np.clip(image, 0, 1) * 255).astype(np.uint8).transpose(1, 2, 0)
    path.write_bytes(canvas.png())
    return path.name


def _draw_sepia(kernel, folder):
    image = picture()
    out = np.zeros_like(image)
    kernel[(192 // 16, 256 // 32)](image, out, 192, 256, BLOCK_SIZE_H=16, BLOCK_SIZE_W=32)
    return [_save(folder / "picture.png", image), _save(folder / "sepia.png", out)]


GAUSS = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
FILTERS = {
    "sharp": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "edges": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "sobel": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    "gauss": GAUSS,
    "motion": np.eye(5) / 5,
}


def _draw_filters(kernel, folder):
    image, names = picture(), []
    for name, weights in FILTERS.items():
        weights = np.array(weights, np.float32)
        out = np.zeros_like(image)
        kernel[(3, 192 // 16, 256 // 16)](image, out, weights, 192, 256, len(weights), BLOCK_SIZE_H=16, BLOCK_SIZE_W=16)
        names.append(_save(folder / f"{name}.png", out))
    return names


def works():
    """By the file's name without its ending."""
    tile = {"height": "height", "width": "width", "BLOCK_H": "BLOCK_SIZE_H", "BLOCK_W": "BLOCK_SIZE_W"}
    return {
        "exercise_1": Work("exercise 1: vector addition", _renamed("vector-add", "add_kernel", {
            "x_ptr": "x_ptr", "y_ptr": "y_ptr", "z_ptr": "output_ptr", "n": "n_elements", "BLOCK": "BLOCK_SIZE"})),
        "exercise_2": Work("exercise 2: sepia filter", _renamed("images", "sepia_kernel", {"x_ptr": "x_ptr", "out_ptr": "output_ptr", **tile}), draw=_draw_sepia),
        "exercise_3": Work("exercise 3: convolution", _renamed("convolution", "conv2d_kernel", {
            "in_ptr": "input_ptr", "out_ptr": "output_ptr", "weights_ptr": "conv_kernel_ptr", "height": "height", "width": "width", "SIZE": "kernel_size",
            "BLOCK_H": "BLOCK_SIZE_H", "BLOCK_W": "BLOCK_SIZE_W"}), draw=_draw_filters),
        "exercise_4": Work("exercise 4: matrix multiplication", _product("matmul_kernel")),
        "vector_add": Work("phase 1: vector add", _renamed("vector-add", "triton_vector_add_kernel", {
            "x_ptr": "x_ptr", "y_ptr": "y_ptr", "z_ptr": "output_ptr", "n": "n", "BLOCK": "BLOCK_SIZE"}),
            "why is the mask offsets < n needed, and what happens without it? Take it out and run this again."),
        "softmax": Work("phase 2: softmax", _renamed("softmax", "triton_softmax_kernel", {
            "out_ptr": "output_ptr", "in_ptr": "input_ptr", "in_stride": "input_row_stride", "out_stride": "output_row_stride", "columns": "n_cols", "BLOCK": "BLOCK_SIZE"}),
            "why must the row's maximum be subtracted before exp? Leave it out and see which case fails."),
        "matmul_relu": Work("phase 3: matrix product with relu", _renamed("matmul", "triton_matmul_relu_kernel", _same(*MATRICES, "BLOCK_M", "BLOCK_N", "BLOCK_K")),
            "why does the loop take K in blocks, instead of loading whole rows and columns? Count what a program would have to hold."),
    }
