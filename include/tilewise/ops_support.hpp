// What the functions of ops.hpp share: kernels of the library inside, checks, row-major copies,
// block sizes. Not for programs.
#ifndef TILEWISE_OPS_SUPPORT_HPP
#define TILEWISE_OPS_SUPPORT_HPP

#include "tilewise.hpp"
#include "tune.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
/// How one kernel is launched with a config: `go(launch, arguments...)` either launches or only
/// compiles.
///
///     launchTuned("swiglu", x, {n}, [&](const Config &config, const auto &go) {
///       go(kernel(...)[cdiv(n, config["BLOCK"])], gate, up, out, n, "BLOCK"_a = config["BLOCK"]);
///     });
///
/// The config is the best one known for a kernel of this name (what follows a slash in it tells
/// launches apart that differ in more than sizes), the type of `like`, and the sizes; else it is
/// found by timing now. Nothing is launched where a grid would have no programs.
template <typename Launcher>
void launchTuned(const char *name, const Tensor &like, const std::vector<std::int64_t> &sizes,
                 const Launcher &launcher) {
  const auto withConfig = [&](const tw_config *config, bool isLaunched) {
    const Config read(config);
    const auto options =
        Options().withNumWarps(std::uint32_t(read["num_warps"])).withNumStages(std::uint32_t(read["num_stages"]));
    launcher(read, [&](const Launch &launch, const auto &...arguments) {
      if (isLaunched)
        launch.with(options)(arguments...);
      else
        launch.with(options).prepare(arguments...);
    });
  };
  const auto run = [&](const tw_config *config, std::uint64_t calls) -> double {
    try {
      if (calls == 0)
        withConfig(config, false);
      like.device().synchronize();
      const auto begin = std::chrono::steady_clock::now();
      for (std::uint64_t i = 0; i < calls; ++i)
        withConfig(config, true);
      like.device().synchronize();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } catch (const Error &) {
      return -1; // A config that this device has no room for, say.
    }
  };
  const tw_config *config = nullptr;
  detail::check(tw_library_config(
      name, like.device().get(), tw_dtype(like.dtype()), sizes.data(), sizes.size(),
      [](void *user, const tw_config *each, std::uint64_t calls) {
        return (*static_cast<const decltype(run) *>(user))(each, calls);
      },
      const_cast<void *>(static_cast<const void *>(&run)), &config));
  withConfig(config, true);
}

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
    const std::int64_t elements = count(like);
    if (elements > 0)
      launchTuned(name, like, {elements}, [&](const Config &config, const auto &go) {
        go(kernel(file, name)[cdiv(elements, config["BLOCK"])], arguments..., "BLOCK"_a = config["BLOCK"]);
      });
  }
  void launchPicture(const char *file, const char *name, const Tensor &in, const Tensor &out, std::int64_t height,
                     std::int64_t width) const {
    using namespace literals;
    if (count(out) > 0)
      launchTuned(name, in, {height, width}, [&](const Config &config, const auto &go) {
        // As wide as the picture allows, so that each plane is a long stream.
        const std::int64_t columns =
            std::max<std::int64_t>(64, std::min<std::int64_t>(config["BLOCK_W"], nextPowerOf2(width)));
        const std::int64_t rows = std::max<std::int64_t>(1, config["PIXELS"] / columns);
        go(kernel(file, name)[{cdiv(height, rows), cdiv(width, columns)}], in, out, height, width, "BLOCK_H"_a = rows,
           "BLOCK_W"_a = columns);
      });
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

/// A kernel with a program per row, which it walks in blocks.
template <typename... Arguments>
void launchRows(const char *file, const char *name, const Rows &rows, const Arguments &...arguments) {
  using namespace literals;
  if (rows.count > 0)
    launchTuned(name, rows.get(), {rows.count, rows.columns}, [&](const Config &config, const auto &go) {
      go(kernel(file, name)[rows.count], arguments..., "BLOCK"_a = side(rows.columns, config["BLOCK"]));
    });
}

/// Blocks of a product of M x K and K x N, no larger than they need to be.
struct Blocks {
  Blocks(const Config &config, const std::array<std::int64_t, 3> &mnk)
      : m(side(mnk[0], config["BLOCK_M"])), n(side(mnk[1], config["BLOCK_N"])), k(side(mnk[2], config["BLOCK_K"])) {}
  std::int64_t m, n, k;
};

/// c = activation(a @ b + bias), with the strides of a's and b's rows and columns.
inline void product(const Tensor &a, const std::array<std::int64_t, 2> &aStrides, const Tensor &b,
                    const std::array<std::int64_t, 2> &bStrides, const Tensor *bias, const Tensor &c,
                    const std::array<std::int64_t, 3> &mnk, const std::string &activation) {
  using namespace literals;
  if (count(c) == 0)
    return;
  std::optional<RowMajor> add;
  if (bias)
    add.emplace(*bias);
  launchTuned("linear", a, {mnk[0], mnk[1], mnk[2]}, [&](const Config &config, const auto &go) {
    const Blocks block(config, mnk);
    go(kernel("linear.py", "linear")[cdiv(mnk[0], block.m) * cdiv(mnk[1], block.n)], a, b, add ? add->get() : c, c,
       mnk[0], mnk[1], mnk[2], aStrides[0], aStrides[1], bStrides[0], bStrides[1], mnk[1], 1,
       "HAS_BIAS"_a = bias != nullptr, "ACTIVATION"_a = tilewise::quoted(activation), "GROUP"_a = 8,
       "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
  });
}

} // namespace inner
} // namespace ops
} // namespace api
} // namespace tilewise

#endif
