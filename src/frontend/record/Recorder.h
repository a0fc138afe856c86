// A kernel written in a host's own language -> the kernel language, one operation at a time.
//
// The host's code runs once, as when a C++ lambda over tl::value is called, and tells what it does.
// Every value is a variable, every operation a line, so that C++'s order of evaluation is kept:
//
//     auto x = tl::load(in + at);         _1 = in_ptr + at        #@0:14:21
//     x = tl::exp(x);                     x = tl.load(_1)         #@0:14:21
//                                         x = tl.exp(x)           #@0:15:15
//
// A loop's body is told once; which variables it carries is for the front end to find, as in any
// kernel. What is made of constants alone stays one, by the annotation tl.constexpr, as it would
// inside of an expression. So what is recorded is compiled, cached, tuned and shipped as a kernel
// file is, and its messages are the same, at the host's lines: support/SourceLoc.h has the marks
// that say where a line was written. A variable goes by the name that it has there, when the host's
// text can be read and shows one (`auto x =`); it makes messages and the recorded text readable,
// and nothing else.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::frontend {

class Recorder {
public:
  using Value = uint32_t;
  struct Place {
    std::string file;
    uint32_t line = 0, column = 0;
  };

  /// What an operation takes: see tw_item.
  struct Item {
    enum class Kind { None, Value, Int, UInt, Float, Bool, Text, Name, Slice, Tuple };
    Kind kind = Kind::None;
    Value value = 0;
    int64_t integer = 0;
    double number = 0;
    std::string text;
    std::vector<Item> items;
    std::string keyword; ///< Of a call; empty for none.
  };
  using Items = llvm::ArrayRef<Item>;

  static Result<std::unique_ptr<Recorder>> create(llvm::StringRef kernel, const Place &place);

  Result<Value> parameter(llvm::StringRef name, llvm::StringRef annotation, const Place &place);
  Result<Value> call(llvm::StringRef callee, Items items, const Place &place);
  Result<void> callForEffect(llvm::StringRef callee, Items items, const Place &place);
  Result<Value> apply(llvm::StringRef spelling, Items items, const Place &place);
  Result<void> assign(Value target, const Item &item, bool isTemporary, const Place &place);

  Result<Value> beginFor(llvm::StringRef callee, Items items, const Place &place);
  Result<void> beginWhile(const Item &condition, const Place &place);
  Result<void> beginIf(const Item &condition, const Place &place);
  Result<void> beginElse(const Place &place);
  Result<Value> beginFunction(llvm::MutableArrayRef<Value> parameters, const Place &place);
  Result<void> giveBack(Items items, const Place &place);
  Result<void> end();

  /// The recorded text, after the last operation; with the marks that lead to the host's lines, or
  /// as a person would read it.
  Result<std::string> text(bool withPlaces = true) const;
  /// What the text goes by: "softmax.cpp:softmax".
  std::string path() const;

private:
  enum class Block { Kernel, Function, For, While, If, Else };
  struct Variable {
    size_t function = 0;
    std::string name;  ///< Fixed: of a parameter, or of a function. Else found at the end.
    std::string claim; ///< The name at its place; empty where none is seen.
    std::string claimedAt;
    bool isFunction = false;
    /// Made of constants alone; and given another value later, which makes it a runtime variable.
    bool isConstant = false, isAssigned = false;
  };
  struct Line {
    unsigned depth;
    std::string text; ///< With marks for values, see markOf.
    Place place;
    std::optional<Value> defines; ///< What its first mark is.
  };
  struct Function {
    std::string name;
    Place place;
    std::vector<Value> parameters;
    std::vector<std::string> annotations;
    std::vector<Line> lines;
    std::vector<Block> blocks;
    bool hasElse = false; ///< An else may follow: an if has just ended.
    bool isAtStart = true;
  };

  Recorder() = default;
  /// Whether a variable of a recorded text may have the name: it means nothing else there.
  static bool isFree(llvm::StringRef name);
  Failure refuse(const Place &place, std::string message) const;
  Result<std::string> textOf(const Item &item, const Place &place) const;
  Result<std::string> textOf(Items items, const Place &place) const;
  Result<std::string> callText(llvm::StringRef callee, Items items, const Place &place) const;
  bool areConstant(Items items) const;
  Value newValue(const Place &place, bool isIndex = false);
  Result<Value> define(Result<std::string> text, const Place &place, bool isConstant);
  Result<void> add(Result<std::string> text, const Place &place, std::optional<Value> defines = std::nullopt);
  Result<void> open(Block block, Result<std::string> text, const Place &place,
                    std::optional<Value> defines = std::nullopt);
  Function &current() { return functions_[open_.back()]; }
  /// The host's line, or empty.
  llvm::StringRef lineAt(const Place &place) const;
  std::vector<std::string> names() const;
  void print(const Function &function, llvm::ArrayRef<std::string> names, bool withPlaces,
             const std::map<std::string, size_t> &files, std::string &out) const;

  std::vector<Function> functions_; ///< The kernel first.
  std::vector<size_t> open_;        ///< Of `functions_`, the innermost last.
  std::vector<Variable> variables_;
  /// Files of the host by path, cut into lines; empty where a file cannot be read.
  mutable std::map<std::string, std::vector<std::string>> hostLines_;
};

} // namespace tilewise::frontend
