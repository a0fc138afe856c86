"""Functions of rows (the last dimension): softmax, the norms, cross entropy; what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import (cdiv, check, check_floats, check_vector, contiguous, empty, next_power_of_2, on_gpu, rows_of, shape_text, side, strides,
                     type_name, wide)
from .launches import launch, launch_rows


def _rows(function, x):
    check_floats(function, ("x", x))
    check(function, len(x.shape) >= 1 and x.shape[-1] > 0, lambda: f"x needs a last dimension with elements, got shape {shape_text(x)}")
    return rows_of(x)


def _launch_columns(file, name, rows, arguments):
    """A kernel with a program per block of columns, which it walks down in blocks of rows."""
    count, columns = rows.shape

    def plan(config):
        block = side(columns, config["BLOCK_COLUMNS"])
        return (cdiv(columns, block),), {"BLOCK_ROWS": config["BLOCK_ROWS"], "BLOCK_COLUMNS": block}

    launch(file, name, rows, (count, columns), arguments, plan)


def softmax(x):
    rows = _rows("softmax", x)
    y = empty(rows)
    count, columns = rows.shape
    if columns <= 16384 and type_name(x) != "float64":
        launch("softmax.py", "softmax", x, (count, columns), (y, rows, strides(y)[0], strides(rows)[0], columns),
               lambda config: ((count,), {"BLOCK": next_power_of_2(columns)}))
    else:
        launch_rows("online_softmax.py", "online_softmax", rows, (y, rows, strides(y)[0], strides(rows)[0], columns))
    return y.reshape(x.shape)


def softmax_backward(y, dy):
    y_rows, dy_rows = rows_of(y), rows_of(dy)
    dx = empty(y_rows)
    launch_rows("online_softmax.py", "online_softmax_backward", dx,
                (dx, y_rows, dy_rows, strides(dx)[0], strides(y_rows)[0], strides(dy_rows)[0], dx.shape[1]))
    return dx.reshape(y.shape)


def layer_norm(x, weight, bias, eps):
    """y, mean and 1/deviation of each row."""
    rows = _rows("layer_norm", x)
    count, columns = rows.shape
    check_vector("layer_norm", "weight", weight, columns)
    check_vector("layer_norm", "bias", bias, columns)
    y, mean, rstd = empty(rows), empty(x, (count,), wide(x)), empty(x, (count,), wide(x))
    launch_rows("layer_norm_training.py", "layer_norm_forward", rows,
                (rows, y, contiguous(weight), contiguous(bias), mean, rstd, strides(rows)[0], strides(y)[0], columns, float(eps)))
    return y.reshape(x.shape), mean, rstd


def layer_norm_backward(x, dy, weight, mean, rstd):
    rows, dy_rows = rows_of(x), rows_of(dy)
    count, columns = rows.shape
    dx, dweight, dbias = empty(rows), empty(weight), empty(weight)
    weight = contiguous(weight)
    launch_rows("layer_norm_training.py", "layer_norm_backward_input", rows,
                (rows, dy_rows, dx, weight, mean, rstd, strides(rows)[0], strides(dy_rows)[0], strides(dx)[0], columns))
    _launch_columns("layer_norm_training.py", "layer_norm_backward_weights", rows,
                    (rows, dy_rows, dweight, dbias, mean, rstd, strides(rows)[0], strides(dy_rows)[0], count, columns))
    return dx.reshape(x.shape), dweight, dbias


def rms_norm(x, weight, eps):
    """y and 1/root mean square of each row."""
    rows = _rows("rms_norm", x)
    count, columns = rows.shape
    check_vector("rms_norm", "weight", weight, columns)
    y, rstd = empty(rows), empty(x, (count,), wide(x))
    launch_rows("rms_norm.py", "rms_norm_forward", rows, (rows, y, contiguous(weight), rstd, strides(rows)[0], strides(y)[0], columns, float(eps)))
    return y.reshape(x.shape), rstd


def rms_norm_backward(x, dy, weight, rstd):
    rows, dy_rows = rows_of(x), rows_of(dy)
    count, columns = rows.shape
    dx, dweight = empty(rows), empty(weight)
    weight = contiguous(weight)
    launch_rows("rms_norm.py", "rms_norm_backward_input", rows,
                (rows, dy_rows, dx, weight, rstd, strides(rows)[0], strides(dy_rows)[0], strides(dx)[0], columns))
    _launch_columns("rms_norm.py", "rms_norm_backward_weight", rows,
                    (rows, dy_rows, dweight, rstd, strides(rows)[0], strides(dy_rows)[0], count, columns))
    return dx.reshape(x.shape), dweight


def cross_entropy(logits, target, ignored, smoothing):
    """Loss and log(sum(exp)) of each row."""
    check_floats("cross_entropy", ("logits", logits))
    check("cross_entropy", len(logits.shape) == 2 and logits.shape[1] > 0, lambda: f"logits must be rows x classes, got {shape_text(logits)}")
    count, classes = logits.shape
    check_vector("cross_entropy", "target", target, count)
    check("cross_entropy", type_name(target) in ("int32", "int64"), lambda: f"'target' holds class numbers in int32 or int64, not {type_name(target)}")
    check("cross_entropy", 0 <= smoothing <= 1, lambda: f"smoothing is from 0 to 1, got {smoothing}")
    if not on_gpu(logits):  # a GPU would have to be waited for
        counts = target != ignored
        check("cross_entropy", not bool((counts & ((target < 0) | (target >= classes))).any()), lambda: f"a target is outside of 0 to {classes - 1}")
    rows = rows_of(logits)
    loss, lse = empty(logits, (count,), wide(logits)), empty(logits, (count,), wide(logits))
    launch_rows("cross_entropy.py", "cross_entropy", rows,
                (rows, contiguous(target), loss, lse, strides(rows)[0], classes, int(ignored), float(smoothing)))
    return loss, lse


def cross_entropy_backward(logits, target, lse, dloss, ignored, smoothing):
    rows = rows_of(logits)
    count, classes = rows.shape
    dx = empty(rows)

    def plan(config):  # nothing is carried from block to block
        block = side(classes, config["BLOCK"])
        return (count, cdiv(classes, block)), {"BLOCK": block}

    launch("cross_entropy.py", "cross_entropy_backward", rows, (count, classes),
           (rows, contiguous(target), lse, contiguous(dloss), dx, strides(rows)[0], strides(dx)[0], classes, int(ignored), float(smoothing)), plan)
    return dx
