// A sketch -> text. Sizes become numbers here, so this is also where buffers get their sizes.
#include "Emit.h"

#include "Random.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace tilewise::random {
namespace {

/// Functions that texts may call by name.
const std::pair<const char *, const char *> kFunctions[] = {
    {"fn_add", "def fn_add(a, b):\n    return a + b\n"},
    {"fn_mul", "def fn_mul(a, b):\n    return a * b\n"},
    {"fn_larger", "def fn_larger(a, b):\n    return tl.maximum(a, b)\n"},
    {"fn_smaller", "def fn_smaller(a, b):\n    return tl.minimum(a, b)\n"},
    {"fn_xor", "def fn_xor(a, b):\n    return a ^ b\n"},
    {"fn_second", "def fn_second(a, b):\n    return b\n"},
    {"fn_both", "def fn_both(a, b, c, d):\n    return a + c, tl.maximum(b, d)\n"},
    {"fn_affine", "def fn_affine(a, b, c, d):\n    return a * c, b * c + d\n"},
    {"fn_pick", "def fn_pick(a, b):\n    return tl.where(a > b, a, b)\n"},
    {"fn_swap", "def fn_swap(t):\n    return (t[1], t[0])\n"},
    {"fn_rotate", "def fn_rotate(t, n):\n    for k in range(n):\n        t = (t[1], t[0])\n    return t\n"},
    {"fn_nest", "def fn_nest(a, b):\n    both = (a, (b, a))\n    return both[1][0], both[1][1]\n"},
    {"fn_mixed", "def fn_mixed(a, i, n, b, j, m):\n    takes = (a > b) | ((a == b) & (i < j))\n"
                 "    return tl.where(takes, a, b), tl.where(takes, i, j), n + m\n"},
    {"fn_asm_sum", "def fn_asm_sum(a, b):\n    return tl.inline_asm_elementwise(\"add.rn.f32 $0, $1, $2;\", "
                   "\"=f,f,f\", [a, b], dtype=a.dtype, is_pure=True, "
                   "pack=1)\n"},
    {"fn_asm_fma", "def fn_asm_fma(a, b):\n    return tl.inline_asm_elementwise(\"fma.rn.f32 $0, $1, $2, $2;\", "
                   "\"=f,f,f\", [a, b], dtype=a.dtype, is_pure=True, "
                   "pack=1)\n"},
    {"fn_asm_xor", "def fn_asm_xor(a, b):\n    return tl.inline_asm_elementwise(\"{ .reg .b32 t; xor.b32 t, $1, $2; "
                   "shl.b32 $0, t, 3; }\", \"=r,r,r\", [a, b], dtype=a.dtype, is_pure=True, "
                   "pack=1)\n"},
    {"fn_asm_less", "def fn_asm_less(a, b):\n    return tl.inline_asm_elementwise(\"{ .reg .pred p; setp.lt.s32 p, $1, "
                    "$2; selp.b32 $0, $1, $2, p; }\", \"=r,r,r\", [a, b], dtype=a.dtype, is_pure=True, "
                    "pack=1)\n"},
    {"fn_asm_pack", "def fn_asm_pack(a, b):\n    return tl.inline_asm_elementwise(\"add.s32 $0, $2, $4; add.s32 $1, "
                    "$3, $5;\", \"=r,=r,r,r,r,r\", [a, b], dtype=a.dtype, is_pure=True, "
                    "pack=2)\n"},
    {"fn_branch", "def fn_branch(a, b):\n    if a > b:\n        r = a\n    else:\n        r = b\n    return r\n"},
};

/// Another type of the same size: ints for floats, floats for ints where there are any.
std::string otherOfSize(const ElementType &type) {
  const std::string bits = std::to_string(type.bits);
  return "tl." +
         (type.isFloat || type.bits == 8 ? (type.isSigned && type.isInt() ? "uint" : "int") + bits : "float" + bits);
}

std::string storageName(const ElementType &type) { return type.isFp8() ? "u8" : type.name; }

class Emitter {
public:
  explicit Emitter(const Sketch &sketch) : sketch_(sketch) {
    for (size_t k = 0; k < sketch.values.size(); ++k)
      names_.push_back("v" + std::to_string(k));
    programs_ = sketch.grid[0] * sketch.grid[1];
    counts_.resize(sketch.buffers.size(), 0);
  }

  Emitted run() {
    lines(sketch_.statements, 1);
    Emitted emitted;
    emitted.grid = {uint32_t(sketch_.grid[0]), uint32_t(sketch_.grid[1]), 1};
    emitted.seed = sketch_.seed;
    emitted.fusion = sketch_.fusion;
    emitted.checked = sketch_.checked;
    emitted.machine = sketch_.machine;
    emitted.warps = sketch_.warps;
    emitted.stages = sketch_.stages;
    std::string parameters;
    for (size_t k = 0; k < sketch_.buffers.size(); ++k) {
      if (!counts_[k])
        continue;
      const Buffer &buffer = sketch_.buffers[k];
      int limit = buffer.limitOf >= 0 ? int(counts_[size_t(buffer.limitOf)]) : buffer.limit;
      if (buffer.fill == Fill::Permutation)
        limit = int(counts_[size_t(buffer.limitOf)] / programs_);
      emitted.buffers.push_back({buffer, int(k), bufferName(int(k)), counts_[k], limit,
                                 aligned_.count(int(k)) || mix(sketch_.seed, 77 + k) % 4 != 0});
      parameters += (parameters.empty() ? "" : ", ") + bufferName(int(k));
    }
    emitted.scalars = scalars_;
    for (const ScalarPlan &scalar : scalars_)
      parameters += (parameters.empty() ? "" : ", ") + scalar.name + (scalar.isConstant ? ": tl.constexpr" : "");
    std::string text = "import triton\nimport triton.language as tl\n";
    if (body_.find("libdevice.") != std::string::npos || functions_.find("libdevice.") != std::string::npos)
      text += "from triton.language.extra import libdevice\n";
    for (const auto &[name, function] : kFunctions)
      if (body_.find(name) != std::string::npos || functions_.find(name) != std::string::npos)
        text += std::string("\n\n@triton.jit\n") + function;
    text += functions_ + "\n\n@triton.jit\ndef " + kKernelName + "(" + parameters + "):\n    pid = tl.program_id(0)";
    if (sketch_.grid[1] > 1)
      text += " + tl.program_id(1) * tl.num_programs(0)";
    emitted.text = text + "\n" + body_;
    return emitted;
  }

private:
  const Value &valueOf(int value) const { return sketch_.values[size_t(value)]; }
  std::string bufferName(int buffer) const {
    return (sketch_.buffers[size_t(buffer)].written ? "O" : "X") + std::to_string(buffer);
  }
  static std::string number(int64_t n) { return std::to_string(n); }

  std::string shapeText(const Shape &shape) const {
    std::string text = "[";
    for (size_t d = 0; d < shape.size(); ++d)
      text += (d ? ", " : "") + number(sketch_.sizes.of(shape[d]));
    return text + "]";
  }

  void line(int depth, const std::string &text) { *out_ += std::string(size_t(depth) * 4, ' ') + text + "\n"; }

  /// A number of the launch: a literal, an argument, or a compile-time argument.
  std::string scalar(int64_t value, Access::Number form) {
    if (form == Access::Literal || inFunction_)
      return number(value);
    for (const ScalarPlan &known : scalars_)
      if (known.value == value && known.isConstant == (form == Access::Constant))
        return known.name;
    scalars_.push_back(
        {(form == Access::Constant ? "C" : "n") + number(int64_t(scalars_.size())), value, form == Access::Constant});
    return scalars_.back().name;
  }

  std::string holes(const std::string &text, const Statement &statement) const {
    std::string done;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '{') {
        done += text[at];
        continue;
      }
      size_t end = text.find('}', at);
      done += hole(text.substr(at + 1, end - at - 1), statement);
      at = end;
    }
    return done;
  }

  std::string hole(std::string what, const Statement &statement) const {
    char kind = 0;
    if (what.size() > 2 && what[1] == ':') {
      kind = what[0];
      what = what.substr(2);
    }
    const bool isResult = what[0] == 'r';
    size_t used = 0;
    size_t index = std::stoul(isResult ? what.substr(1) : what, &used);
    int value = isResult ? statement.results[index] : statement.operands[index];
    if (kind == 's')
      return shapeText(valueOf(value).shape);
    if (kind == 't')
      return test::languageName(*valueOf(value).type);
    if (kind == 'd')
      return number(sketch_.sizes.of(valueOf(value).shape[std::stoul(what.substr(what.find('.') + 1))]));
    return names_[size_t(value)];
  }

  struct Places {
    std::string pointers, mask;
    std::string advance; ///< Walked: from one round to the next, with `Q` for the pointers.
  };
  /// No loop that walks has more rounds.
  static constexpr int64_t kRounds = 5;

  /// The block of pointers of an access, and its mask or nothing.
  Places places(const Access &access, const Shape &shape) {
    Places at = plainPlaces(access, shape);
    if (access.chooser >= 0) {
      Access other = access;
      other.buffer = access.otherBuffer;
      at.pointers = "tl.where(" + names_[size_t(access.chooser)] + ", " + at.pointers + ", " +
                    plainPlaces(other, shape).pointers + ")";
    }
    if (access.asBits)
      at.pointers = "(" + at.pointers + ").to(tl.pointer_type(" +
                    otherOfSize(*sketch_.buffers[size_t(access.buffer)].type) + "), bitcast=True)";
    if (access.asNumber) {
      const Buffer &buffer = sketch_.buffers[size_t(access.buffer)];
      at.pointers = "(" + at.pointers + ").to(tl.int64).to(tl.pointer_type(" +
                    (buffer.type->isFp8() ? "tl.uint8" : test::languageName(*buffer.type)) + "))";
    }
    return at;
  }

  Places plainPlaces(const Access &access, const Shape &shape) {
    if (access.through == Access::Descriptor || access.through == Access::DescriptorRows)
      return descriptor(access, shape);
    const size_t rank = shape.size();
    std::vector<int64_t> extents(rank), strides(rank);
    for (size_t d = 0; d < rank; ++d)
      extents[d] = sketch_.sizes.of(shape[d]);
    int64_t stride = 1, first = 0, extent = 1;
    for (int d : access.order) {
      const int64_t length = extents[size_t(d)] * (d == access.walk ? kRounds : 1);
      strides[size_t(d)] = stride * access.gaps[size_t(d)];
      stride = strides[size_t(d)] * length;
      extent += (length - 1) * strides[size_t(d)];
      if (access.backward[size_t(d)] && access.through == Access::Pointers)
        first += (extents[size_t(d)] - 1) * strides[size_t(d)];
    }
    const int64_t elements = sketch_.sizes.of(shape);
    const Buffer &buffer = sketch_.buffers[size_t(access.buffer)];
    const bool isPlaces = buffer.limitOf >= 0;
    const int64_t step = access.samePlace ? 0
                         : access.overlap ? std::max<int64_t>(1, extent / 2)
                         : isPlaces       ? extent
                                          : extent + 3;
    int64_t &count = counts_[size_t(access.buffer)];
    count = std::max(count, step * (programs_ - 1) + extent);
    std::string pid = access.wideOffsets ? "pid.to(tl.int64)" : "pid";
    std::string base = bufferName(access.buffer);
    if (access.through == Access::Gathered) {
      count = buffer.written ? elements * programs_ : elements * programs_ / 2 + 3;
      return {base + " + " + names_[size_t(access.indices)], maskText(access, shape, extents, pid), ""};
    }
    if (step)
      base += " + " + pid + " * " + scalar(step, access.numbers);
    if (first)
      base += " + " + number(first);
    if ((access.through == Access::BlockPointer || access.walksBlock) && rank)
      return blockPointer(access, base, extents, strides);
    for (size_t d = 0; d < rank; ++d) {
      std::string index = range(extents[d], d, rank);
      if (access.through == Access::Modulo)
        index = "(" + index + " % " +
                scalar(std::max<int64_t>(1, extents[d] - cutOf(access, d, extents[d])), access.numbers) + ")";
      base += (access.backward[d] && access.through == Access::Pointers ? " - " : " + ") + index;
      if (strides[d] != 1)
        base += " * " + scalar(strides[d], access.numbers);
    }
    if (access.walk >= 0)
      return {base, "", "Q += " + scalar(extents[size_t(access.walk)] * strides[size_t(access.walk)], access.numbers)};
    return {base, maskText(access, shape, extents, pid), ""};
  }

  /// Where a walk ends, in elements: in the middle of a block, as a rule.
  int64_t walkedEnd(const Access &access, int64_t extent) const {
    return access.mask == Access::None ? kRounds * extent : std::max<int64_t>(1, kRounds * extent / 2 - 1);
  }

  /// The blocks of all programs one behind the other along the first dimension; lines begin at
  /// multiples of 16 bytes.
  Places descriptor(const Access &access, const Shape &shape) {
    const size_t rank = shape.size();
    const bool isRows = access.through == Access::DescriptorRows;
    std::string extents, strides, start = "pid * " + number(sketch_.sizes.of(shape[0]));
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0;) {
      const int64_t length = sketch_.sizes.of(shape[d]) * (d == 0 ? programs_ : 1);
      const std::string comma = d + 1 < rank ? ", " : "";
      extents = scalar(length - cutOf(access, d, length - 1), access.numbers) + comma + extents;
      strides = (d + 1 == rank ? "1" : scalar(stride, access.numbers)) + comma + strides;
      stride *= d + 1 == rank ? (length + 15) / 16 * 16 + 16 * (access.gaps[0] - 1) : length;
      start += d ? ", 0" : "";
    }
    counts_[size_t(access.buffer)] = rank == 1 ? sketch_.sizes.of(shape[0]) * programs_ : stride;
    aligned_.insert(access.buffer);
    std::string block = isRows ? "[1, " + number(sketch_.sizes.of(shape[1])) + "]" : shapeText(shape);
    std::string text = "tl.make_tensor_descriptor(" + bufferName(access.buffer) + ", shape=[" + extents +
                       "], strides=[" + strides + "], block_shape=" + block +
                       (access.padsWithNaN ? ", padding_option=\"nan\")" : ")");
    return {text, isRows ? names_[size_t(access.indices)] + ", 0" : "[" + start + "]", ""};
  }

  static int64_t cutOf(const Access &access, size_t d, int64_t extent) {
    int cut = access.cuts.empty() ? 1 : access.cuts[std::min(d, access.cuts.size() - 1)];
    return std::min<int64_t>(extent, cut < 0 ? (extent + 1) / 2 : cut);
  }

  static std::string range(int64_t extent, size_t d, size_t rank) {
    std::string text = "tl.arange(0, " + number(extent) + ")";
    if (rank == 1)
      return text;
    text += "[";
    for (size_t other = 0; other < rank; ++other)
      text += std::string(other ? ", " : "") + (other == d ? ":" : "None");
    return text + "]";
  }

  Places blockPointer(const Access &access, const std::string &base, const std::vector<int64_t> &extents,
                      const std::vector<int64_t> &strides) {
    std::string shape, steps, starts, block, order, checks, moves;
    for (size_t d = 0; d < extents.size(); ++d) {
      std::string comma = d ? ", " : "";
      int64_t cut = access.mask == Access::Each ? cutOf(access, d, extents[d]) : 0;
      const bool walks = int(d) == access.walk;
      shape += comma +
               scalar(walks ? walkedEnd(access, extents[d]) : extents[d] - (access.walk < 0 ? cut : 0), access.numbers);
      moves += comma + (walks ? number(extents[d]) : "0");
      steps += comma + scalar(strides[d], access.numbers);
      starts += comma + "0";
      block += comma + number(extents[d]);
      order += comma + number(access.order[d]);
      checks += number(int64_t(d)) + ", ";
    }
    return {"tl.make_block_ptr(" + base + ", [" + shape + "], [" + steps + "], [" + starts + "], [" + block + "], [" +
                order + "])",
            access.mask != Access::None ? "(" + checks + ")" : "", "Q = tl.advance(Q, [" + moves + "])"};
  }

  std::string maskText(const Access &access, const Shape &shape, const std::vector<int64_t> &extents,
                       const std::string &pid) {
    const size_t rank = shape.size();
    if (access.mask == Access::Block)
      return names_[size_t(access.maskValue)];
    if (access.mask == Access::Whole) {
      const int64_t elements = sketch_.sizes.of(shape);
      std::string index = pid + " * " + number(elements);
      int64_t below = elements;
      for (size_t d = 0; d < rank; ++d) {
        below /= extents[d];
        index += " + " + range(extents[d], d, rank) + (below > 1 ? " * " + number(below) : "");
      }
      return "(" + index + ") < " +
             scalar(elements * programs_ - cutOf(access, 0, elements * programs_), access.numbers);
    }
    std::string mask;
    if (access.mask == Access::Each)
      for (size_t d = 0; d < rank; ++d)
        mask += (d ? " & (" : "(") + range(extents[d], d, rank) + " < " +
                scalar(extents[d] - cutOf(access, d, extents[d]), access.numbers) + ")";
    return mask;
  }

  void load(const Statement &s, int depth) {
    const Value &value = valueOf(s.results[0]);
    Places at;
    if (s.access.walk >= 0)
      at = walking(s, value.shape);
    else
      at = places(s.access, value.shape);
    const bool isRows = s.access.through == Access::DescriptorRows;
    if (s.access.through == Access::Descriptor || isRows)
      return line(depth,
                  names_[size_t(s.results[0])] + " = " +
                      test::asElement(*value.type, at.pointers + (isRows ? ".gather(" : ".load(") + at.mask + ")"));
    std::string text = "tl.load(" + at.pointers;
    const bool isBlock = (s.access.through == Access::BlockPointer || s.access.walksBlock) && !value.shape.empty();
    if (!at.mask.empty())
      text += !isBlock ? ", mask=" + at.mask
                       : ", boundary_check=" + at.mask +
                             ", padding_option=" + (s.access.padsWithNaN ? "\"nan\"" : "\"zero\"");
    if (!at.mask.empty() && !isBlock && s.access.otherValue >= 0)
      text += ", other=" + test::asStored(*value.type, names_[size_t(s.access.otherValue)]);
    else if (!at.mask.empty() && !isBlock && !s.access.other.empty())
      text += ", other=" + s.access.other;
    text += s.access.modifiers;
    if (s.access.asBits && !value.type->isFp8())
      return line(depth, names_[size_t(s.results[0])] + " = " + text + ").to(" + test::languageName(*value.type) +
                             ", bitcast=True)");
    line(depth, names_[size_t(s.results[0])] + " = " + test::asElement(*value.type, text + ")"));
  }

  static std::string walker(const Statement &s) { return "q" + std::to_string(s.results[0]); }

  Places walking(const Statement &s, const Shape &shape) {
    if (s.access.mask == Access::None)
      return {walker(s), "", ""};
    if (s.access.walksBlock)
      return {walker(s), shape.size() == 1 ? "(0, )" : "(0, 1)", ""};
    const int64_t extent = sketch_.sizes.of(shape[size_t(s.access.walk)]);
    return {walker(s),
            range(extent, size_t(s.access.walk), shape.size()) + " < " +
                scalar(walkedEnd(s.access, extent), s.access.numbers) + " - " + counters_.back() + " * " +
                number(extent),
            ""};
  }

  void store(const Statement &s, int depth) {
    const Value &value = valueOf(s.operands[0]);
    const std::string &name = names_[size_t(s.operands[0])];
    Places at = places(s.access, value.shape);
    line(depth, "tl.static_assert(" + name + ".dtype == " + test::languageName(*value.type) + ")");
    if (s.access.through == Access::Descriptor)
      return line(depth, at.pointers + ".store(" + at.mask + ", " + test::asStored(*value.type, name) + ")");
    if (s.access.through == Access::DescriptorRows)
      return line(depth, at.pointers + ".scatter(" + test::asStored(*value.type, name) + ", " + at.mask + ")");
    std::string text = "tl.store(" + at.pointers + ", " +
                       (s.access.asBits ? name + ".to(" + otherOfSize(*value.type) + ", bitcast=True)"
                                        : test::asStored(*value.type, name));
    if (!at.mask.empty())
      text += (s.access.through == Access::BlockPointer && !value.shape.empty() ? ", boundary_check=" : ", mask=") +
              at.mask;
    line(depth, text + s.access.modifiers + ")");
  }

  /// `{p}` in the text is the block of pointers, `{m}` the mask with its comma, or nothing.
  void atomic(const Statement &s, int depth) {
    Places at = places(s.access, valueOf(s.operands[0]).shape);
    std::string text = s.text;
    auto replace = [&](const std::string &what, const std::string &by) {
      if (size_t place = text.find(what); place != std::string::npos)
        text.replace(place, what.size(), by);
    };
    replace("{p}", at.pointers);
    replace("{m}", at.mask.empty() ? "" : ", mask=" + at.mask);
    replace("{o}", at.mask); // A descriptor's offsets.
    text = holes(text, s);
    line(depth, (s.results.empty() ? "" : names_[size_t(s.results[0])] + " = ") + text);
  }

  std::string list(const std::vector<int> &values) const {
    std::string text;
    for (size_t k = 0; k < values.size(); ++k)
      text += (k ? ", " : "") + names_[size_t(values[k])];
    return text;
  }

  void block(const Statement &s, const std::vector<Statement> &body, const std::vector<int> &yields, int depth) {
    lines(body, depth);
    line(depth, list(s.results) + " = " + list(yields));
  }

  void loop(const Statement &s, int depth) {
    for (size_t k = 0; k < s.results.size(); ++k) {
      names_[size_t(s.inner[k])] = names_[size_t(s.results[k])];
      line(depth, names_[size_t(s.results[k])] + " = " + names_[size_t(s.carried[k])]);
    }
    if (s.kind == Statement::For) {
      std::vector<std::string> advances;
      for (const Statement &inner : s.body)
        if (inner.access.walk >= 0) {
          Places at = places(inner.access, valueOf(inner.results[0]).shape);
          line(depth, walker(inner) + " = " + at.pointers);
          for (size_t q; (q = at.advance.find('Q')) != std::string::npos;)
            at.advance.replace(q, 1, walker(inner));
          advances.push_back(at.advance);
        }
      line(depth, "for " + names_[size_t(s.counter)] + " in " + holes(s.text, s) + ":");
      counters_.push_back(names_[size_t(s.counter)]);
      block(s, s.body, s.yields, depth + 1);
      counters_.pop_back();
      for (const std::string &advance : advances)
        line(depth + 1, advance);
      return;
    }
    if (s.kind == Statement::While) {
      std::string rounds = "w" + std::to_string(s.results[0]);
      line(depth, rounds + " = " + holes(s.text, s));
      line(depth, "while " + rounds + " > 0:");
      block(s, s.body, s.yields, depth + 1);
      line(depth + 1, rounds + " -= 1");
      return;
    }
    line(depth, "if " + holes(s.text, s) + ":");
    block(s, s.body, s.yields, depth + 1);
    if (s.hasElse) {
      line(depth, "else:");
      block(s, s.otherwise, s.otherwiseYields, depth + 1);
    }
  }

  void call(const Statement &s, int depth) {
    std::string name = "function" + std::to_string(s.results[0]), parameters;
    for (size_t k = 0; k < s.inner.size(); ++k) {
      names_[size_t(s.inner[k])] = "p" + std::to_string(k);
      parameters += (k ? ", p" : "p") + std::to_string(k);
    }
    std::string text, *outer = std::exchange(out_, &text);
    const bool wasInFunction = std::exchange(inFunction_, true);
    lines(s.body, 1);
    line(1, "return " + list(s.yields));
    inFunction_ = wasInFunction;
    out_ = outer;
    functions_ += "\n\n@triton.jit\ndef " + name + "(" + parameters + "):\n" + text;
    line(depth, list(s.results) + " = " + name + "(" + list(s.operands) + ")");
  }

  void lines(const std::vector<Statement> &statements, int depth) {
    for (const Statement &s : statements)
      switch (s.kind) {
      case Statement::Assign:
        line(depth, list(s.results) + " = " + holes(s.text, s));
        break;
      case Statement::Load:
        load(s, depth);
        break;
      case Statement::Store:
        store(s, depth);
        break;
      case Statement::Atomic:
        atomic(s, depth);
        break;
      case Statement::Effect: {
        std::istringstream text(holes(s.text, s));
        for (std::string each; std::getline(text, each);)
          line(depth, each);
        break;
      }
      case Statement::Call:
        call(s, depth);
        break;
      default:
        loop(s, depth);
      }
  }

  const Sketch &sketch_;
  std::vector<std::string> names_;
  std::vector<int64_t> counts_;
  std::vector<ScalarPlan> scalars_;
  int programs_ = 1;
  std::string body_, functions_, *out_ = &body_;
  bool inFunction_ = false;
  std::vector<std::string> counters_; ///< Of the loops around.
  std::set<int> aligned_;             ///< Buffers that must be.
};

} // namespace

std::string Emitted::signature() const {
  std::string text;
  for (const BufferPlan &buffer : buffers)
    text += (text.empty() ? "*" : ", *") + storageName(*buffer.buffer.type) + (buffer.aligned ? ":16" : "");
  for (const ScalarPlan &scalar : scalars)
    text += (text.empty() ? "" : ", ") + (scalar.isConstant        ? std::to_string(scalar.value)
                                          : scalar.value % 16 == 0 ? std::string("i32:16")
                                                                   : std::string("i32"));
  return text;
}

Emitted emit(const Sketch &sketch) { return Emitter(sketch).run(); }

} // namespace tilewise::random
