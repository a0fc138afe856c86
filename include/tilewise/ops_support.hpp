// What the functions of ops.hpp share: kernels of the library inside, checks, row-major copies,
// block sizes. Not for programs.
#ifndef TILEWISE_OPS_SUPPORT_HPP
#define TILEWISE_OPS_SUPPORT_HPP

#include "tilewise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See error.hpp.
namespace ops {
namespace inner {

/// A kernel of the library, made once per process and never destroyed: static objects of the
/// program may call until its end.
inline const Kernel &kernel(const char *file, const char *name) {
  static auto &mutex = *new std::mutex;
  static auto &kernels = *new std::map<std::pair<std::string, std::string>, Kernel>;
  const std::lock_guard<std::mutex> lock(mutex);
  auto key = std::make_pair(std::string(file), std::string(name));
  auto found = kernels.find(key);
  if (found == kernels.end()) {
    const char *text = tw_library_text(file);
    if (!text)
      throw InternalError(std::string("the kernel library has no file '") + file + "'");
    found = kernels.emplace(std::move(key), Kernel::fromSource(text, name, file)).first;
  }
  return found->second;
}

inline std::int64_t count(const Tensor &x) { return std::int64_t(x.elements()); }
inline bool isGpu(const Tensor &x) { return !x.device().isHost(); }
inline std::string text(const Shape &shape) {
  std::string result = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

/// The tensor itself where it is in row-major order, else a copy that is.
class RowMajor {
public:
  explicit RowMajor(const Tensor &x) : tensor_(&x) {
    std::int64_t expected = 1;
    for (std::size_t i = x.rank(); i-- > 0; expected *= x.shape(i))
      if (x.shape(i) != 1 && x.stride(i) != expected) {
        copy_.emplace(x.copy());
        break;
      }
  }
  const Tensor &get() const { return copy_ ? *copy_ : *tensor_; }

private:
  const Tensor *tensor_;
  std::optional<Tensor> copy_;
};

/// A side of a block: a power of two that covers the extent, from 16 to `most`.
inline std::int64_t side(std::int64_t extent, std::int64_t most) {
  return std::max<std::int64_t>(16, std::min(most, nextPowerOf2(extent)));
}
/// The block in which rows are walked. On a CPU what is summed up must stay in registers or the
/// first cache from step to step: cross entropy of rows of 4096 takes 2.7 ms in blocks of 512 where
/// it takes 8.5 ms in one.
inline std::int64_t rowBlock(const Tensor &x, std::int64_t columns) { return side(columns, isGpu(x) ? 4096 : 512); }

/// A call of a function of the library: its name, for messages, and the floats it is about.
class Call {
public:
  struct Argument {
    const char *name;
    const Tensor *tensor;
  };

  /// `alsoBytes`: the first argument may be of bytes, as a picture is.
  Call(const char *function, std::vector<Argument> arguments, bool alsoBytes = false)
      : function_(function), arguments_(std::move(arguments)) {
    const Tensor &first = *arguments_.front().tensor;
    for (const Argument &each : arguments_) {
      const DType type = each.tensor->dtype();
      want(type == DType::Float16 || type == DType::BFloat16 || type == DType::Float32 || type == DType::Float64 ||
               (alsoBytes && type == DType::UInt8),
           std::string("'") + each.name + "' is " + tilewise::name(type) + "; " + (alsoBytes ? "u8, " : "") +
               "fp16, bf16, fp32 or fp64 is needed");
      want(type == first.dtype(), std::string("'") + each.name + "' is " + tilewise::name(type) + ", but '" +
                                      arguments_.front().name + "' is " + tilewise::name(first.dtype()));
      wantFewer(each);
    }
  }
  /// A call whose types are checked by itself.
  static Call ofAnyType(const char *function, std::vector<Argument> arguments) {
    return Call(std::move(arguments), function);
  }

  void want(bool holds, const std::string &message) const {
    if (!holds)
      throw LaunchError(std::string(function_) + ": " + message);
  }
  void wantOneOf(const char *name, const std::string &given, const std::vector<const char *> &words) const {
    std::string all;
    for (const char *word : words) {
      if (given == word)
        return;
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    want(false, std::string("'") + name + "' is one of " + all + "; got '" + given + "'");
  }
  void wantSameShapes() const {
    for (const Argument &each : arguments_)
      want(each.tensor->shape() == arguments_.front().tensor->shape(),
           std::string("'") + each.name + "' has shape " + text(each.tensor->shape()) + ", but '" +
               arguments_.front().name + "' has " + text(arguments_.front().tensor->shape()));
  }
  void wantVector(const char *name, const Tensor &x, std::int64_t length) const {
    want(x.shape() == Shape{length},
         std::string("'") + name + "' must have shape " + text({length}) + ", got " + text(x.shape()));
  }

  /// Memory for a result, of the first argument's type and place; or of the type of its sums.
  Tensor result(const Shape &shape) const { return Tensor(first().dtype(), shape, first().device()); }
  Tensor wideResult(const Shape &shape) const {
    return Tensor(first().dtype() == DType::Float64 ? DType::Float64 : DType::Float32, shape, first().device());
  }

  /// A kernel that goes over all elements of `like` alike.
  template <typename... Arguments>
  void launchFlat(const char *file, const char *name, const Tensor &like, const Arguments &...arguments) const {
    using namespace literals;
    const std::int64_t block = isGpu(like) ? 1024 : 8192;
    if (count(like) > 0)
      kernel(file, name)[cdiv(count(like), block)](arguments..., "BLOCK"_a = block);
  }
  void launchPicture(const char *file, const char *name, const Tensor &in, const Tensor &out, std::int64_t height,
                     std::int64_t width) const {
    using namespace literals;
    // 2048 pixels, as wide as the picture allows, so that each plane is a long stream: on a CPU
    // sepia of 4096 x 4096 takes 8 ms in tiles of 1 x 2048, 11 ms in 4 x 512 and twice that in
    // 16 x 128.
    const std::int64_t columns = std::max<std::int64_t>(64, std::min<std::int64_t>(2048, nextPowerOf2(width)));
    const std::int64_t rows = 2048 / columns;
    if (count(out) > 0)
      kernel(file, name)[{cdiv(height, rows), cdiv(width, columns)}](in, out, height, width, "BLOCK_H"_a = rows,
                                                                     "BLOCK_W"_a = columns);
  }

private:
  Call(std::vector<Argument> arguments, const char *function) : function_(function), arguments_(std::move(arguments)) {
    for (const Argument &each : arguments_)
      wantFewer(each);
  }
  void wantFewer(const Argument &each) const {
    want(count(*each.tensor) < (std::int64_t(1) << 31) - (1 << 16), std::string("'") + each.name + "' has " +
                                                                        std::to_string(count(*each.tensor)) +
                                                                        " elements; fewer than 2^31 are possible");
  }
  const Tensor &first() const { return *arguments_.front().tensor; }

  const char *function_;
  std::vector<Argument> arguments_;
};

/// A tensor as rows of its last dimension, one after the other.
struct Rows {
  Rows(const Call &call, const Tensor &x) : tensor(x) {
    call.want(x.rank() >= 1 && x.shape(x.rank() - 1) > 0,
              "x needs a last dimension with elements, got shape " + text(x.shape()));
    columns = x.shape(x.rank() - 1);
    count = inner::count(x) / columns;
  }
  const Tensor &get() const { return tensor.get(); }

  RowMajor tensor;
  std::int64_t count = 0, columns = 0;
};

/// Blocks of a product of M x K and K x N: what fits a GPU's shared memory, or pays for a CPU's
/// packing.
struct Blocks {
  Blocks(const Tensor &a, const std::array<std::int64_t, 3> &mnk) {
    const bool isSmall = a.dtype() == DType::Float16 || a.dtype() == DType::BFloat16;
    const std::int64_t most = isGpu(a) && !isSmall ? 64 : 128;
    m = side(mnk[0], most);
    n = side(mnk[1], most);
    k = side(mnk[2], isGpu(a) ? most / 2 : most);
  }
  std::int64_t m, n, k;
};

/// c = activation(a @ b + bias), with the strides of a's and b's rows and columns.
inline void product(const Tensor &a, const std::array<std::int64_t, 2> &aStrides, const Tensor &b,
                    const std::array<std::int64_t, 2> &bStrides, const Tensor *bias, const Tensor &c,
                    const std::array<std::int64_t, 3> &mnk, const std::string &activation) {
  using namespace literals;
  if (count(c) == 0)
    return;
  const Blocks block(a, mnk);
  std::optional<RowMajor> add;
  if (bias)
    add.emplace(*bias);
  kernel("linear.py", "linear")[cdiv(mnk[0], block.m) * cdiv(mnk[1], block.n)](
      a, b, add ? add->get() : c, c, mnk[0], mnk[1], mnk[2], aStrides[0], aStrides[1], bStrides[0], bStrides[1], mnk[1],
      1, "HAS_BIAS"_a = bias != nullptr, "ACTIVATION"_a = tilewise::quoted(activation), "GROUP"_a = 8,
      "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
}

} // namespace inner
} // namespace ops
} // namespace api
} // namespace tilewise

#endif
