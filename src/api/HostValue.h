// Values on their way between the host and the compiler, and the environment whose answers come
// from the host's callbacks.
#pragma once

#include "frontend/values/Environment.h"
#include "tilewise/host.h"

struct tw_value;

namespace tilewise {

/// The host's callbacks, alive as long as its environment or any of its objects.
struct HostHandle {
  tw_host host{};
  ~HostHandle() {
    if (host.release)
      host.release(host.user);
  }
};

class HostEnvironment final : public frontend::Environment {
public:
  explicit HostEnvironment(std::shared_ptr<HostHandle> handle) : handle_(std::move(handle)) {}
  /// A failure when the structure is not filled as it must be.
  static Result<std::shared_ptr<HostEnvironment>> create(const tw_host *host);

  const std::shared_ptr<HostHandle> &handle() const { return handle_; }
  Result<std::optional<frontend::Operand>> lookup(llvm::StringRef name, frontend::LookupUse use) override;
  std::vector<std::string> names() const override;
  Result<frontend::Operand> getAttribute(const frontend::HostObject &object, llvm::StringRef name) override;
  bool canCall() const override { return true; }
  Result<frontend::Operand> call(const frontend::HostObject &callee, llvm::ArrayRef<frontend::Operand> arguments,
                                 llvm::ArrayRef<std::pair<std::string, frontend::Operand>> keywords) override;
  bool equal(const frontend::HostObject &a, const frontend::HostObject &b) override;
  /// What was said of a name that a kernel uses from outside, if it may.
  static Result<frontend::Operand> takeOuter(llvm::StringRef name, tw_value &value);

private:
  // Asking alone; what is public also notes the answer where a compile is recorded, see
  // frontend/values/Lookups.h.
  Result<std::optional<frontend::Operand>> askForName(llvm::StringRef name, frontend::LookupUse use);
  Result<frontend::Operand> askForAttribute(const frontend::HostObject &object, llvm::StringRef name);
  bool askWhetherEqual(const frontend::HostObject &a, const frontend::HostObject &b);

  std::shared_ptr<HostHandle> handle_;
};

} // namespace tilewise

/// An answer on its way from the host: missing, wrong, one operand, or a container of further
/// answers.
struct tw_value {
  enum class State { Missing, Error, Single, Tuple, List, Dict, NamedTuple, Class };
  State state = State::Missing;
  tilewise::HostEnvironment *environment = nullptr;
  bool isConstexpr = false;
  std::string error;
  tilewise::frontend::Operand operand;
  std::vector<tw_value> items;
  /// Of a class: what each item is, and the class so far.
  struct Member {
    std::string name;
    bool isField = false;
    tw_field_kind kind = TW_FIELD_ANY;
  };
  std::vector<Member> members;
  std::shared_ptr<tilewise::frontend::RecordClass> kind;
  /// Of an operand that is handed to the host: its digits, characters or description.
  mutable std::string text;

  /// For the host to read.
  static tw_value reading(const tilewise::frontend::Operand &operand) {
    tw_value value;
    value.set(operand);
    if (operand.isSequence()) {
      value.state = operand.isTuple() ? State::Tuple : State::List;
      for (const tilewise::frontend::Operand &element : operand.elements())
        value.items.push_back(reading(element));
    } else if (operand.isDict()) {
      value.state = State::Dict;
      for (const auto &[key, element] : operand.entries()) {
        value.items.push_back(reading(key));
        value.items.push_back(reading(element));
      }
    } else {
      // A block's type is written down only when it is asked for: interpreted kernels make many
      // blocks.
      value.text = operand.isRuntime()  ? ""
                   : operand.isString() ? operand.string()
                   : operand.isType()   ? typeExpression(operand.type())
                   : operand.isInt()    ? operand.str()
                                        : operand.kindText();
    }
    return value;
  }
  static std::string typeExpression(const tilewise::frontend::Type &type);

  void set(tilewise::frontend::Operand value) {
    state = State::Single;
    operand = std::move(value);
  }
  void setItems(State kind, size_t count) {
    state = kind;
    items.assign(count, tw_value{});
    for (tw_value &item : items)
      item.environment = environment;
  }

  tilewise::Result<tilewise::frontend::Operand> takeClass();

  tilewise::Result<tilewise::frontend::Operand> take() {
    switch (state) {
    case State::Class:
      return takeClass();
    case State::Missing:
      return tilewise::kernelFailure("the host gave a container an item without a value");
    case State::Error:
      return tilewise::kernelFailure(std::move(error));
    case State::Single:
      return std::move(operand);
    case State::Tuple:
    case State::List:
    case State::Dict:
    case State::NamedTuple:
      break;
    }
    tilewise::frontend::Elements elements;
    for (tw_value &item : items) {
      tilewise::Result<tilewise::frontend::Operand> element = item.take();
      if (!element)
        return element;
      elements.push_back(std::move(*element));
    }
    if (state == State::Tuple)
      return tilewise::frontend::Operand::ofTuple(std::move(elements));
    if (state == State::List)
      return tilewise::frontend::Operand::ofList(std::move(elements));
    if (state == State::NamedTuple) {
      auto tupleClass = elements.front().isClass() ? elements.front().classValue() : nullptr;
      elements.erase(elements.begin());
      if (!tupleClass || tupleClass->fields.size() != elements.size())
        return tilewise::kernelFailure("the host gave a named tuple without a class that has its fields");
      return tilewise::frontend::Operand::ofNamedTuple(std::move(tupleClass), std::move(elements));
    }
    tilewise::frontend::Entries entries;
    for (size_t i = 0; i + 1 < elements.size(); i += 2)
      entries.emplace_back(std::move(elements[i]), std::move(elements[i + 1]));
    return tilewise::frontend::Operand::ofDict(std::move(entries));
  }
};
