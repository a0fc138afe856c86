// What a compile asks from outside its own text, in order, and how each answer is told from others:
// what a disk cache has to ask again before it may give out the code of an earlier compile.
//
//     @triton.jit                                    question                    answer
//     def kernel(x, n, B: tl.constexpr):             name `tl` of the kernel     the module triton.language
//         tl.store(x, scale(tl.load(x)) + SHIFT)     name `scale` of the kernel  a function: its text, place and flags
//                                                    name `FACTOR` of `scale`    constexpr 3
//                                                    name `SHIFT` of the kernel  constexpr 1
//
// A question names whom it asks, its subject, by the question whose answer gave that: `FACTOR` is
// asked of the environment of the function that `scale` was answered with. So the list can be asked
// again in another process. Answers are kept as hashes over all that a compile can see of a value;
// what it can see of a host's object are the answers to further questions about it. A compile that
// runs code of the host asks what cannot be asked again: its record is not complete.
#pragma once

#include "frontend/values/Environment.h"

#include <functional>
#include <map>
#include <set>

namespace tilewise::frontend {

struct Question {
  enum class Kind : uint8_t { File, KernelName, DefaultName, Attribute, Equal };
  Kind kind = Kind::File;
  uint64_t subject = 0; ///< 0: the kernel's environment, or none.
  uint64_t other = 0;   ///< Of Equal: the second object.
  std::string name;     ///< A path, a name, an attribute.

  uint64_t id() const;
};

class LookupRecord {
public:
  /// A file's text, or nothing when there is no such file.
  using ReadFile = std::function<std::optional<std::string>(const std::string &path)>;
  using Digest = std::array<uint8_t, 16>;

  /// `environment` is the kernel's, or null for a file's own.
  explicit LookupRecord(Environment *environment);

  /// While it lives, what this thread asks of hosts is noted in the record.
  class Scope {
  public:
    explicit Scope(LookupRecord &record);
    Scope(const Scope &) = delete;
    ~Scope();

  private:
    LookupRecord *previous_;
  };
  /// Null where nobody wants to know.
  static LookupRecord *current();

  // For those who answer.
  void noteFile(const std::string &path, const std::optional<std::string> &text);
  void noteName(Environment &asked, llvm::StringRef name, LookupUse use, const Result<std::optional<Operand>> &answer);
  void noteAttribute(const HostObject &object, llvm::StringRef name, const Result<Operand> &answer);
  void noteEqual(const HostObject &a, const HostObject &b, bool answer);
  /// Something was asked that cannot be noted.
  void giveUp() { isComplete_ = false; }

  /// Asks again, inside a Scope of this record; false where a subject is no longer there.
  bool ask(llvm::ArrayRef<Question> questions, const ReadFile &readFile);

  bool isComplete() const { return isComplete_; }
  /// Each question once, with its answer's hash.
  const std::vector<std::pair<Question, Digest>> &noted() const { return noted_; }
  bool hasAsked(const Question &question) const { return asked_.count(question.id()) != 0; }

private:
  class Hasher;
  void note(Question question, llvm::function_ref<void(Hasher &)> hashAnswer);
  /// The number of a subject; gives up where it is not known.
  uint64_t subjectOf(const void *environmentOrObject);

  std::vector<std::pair<Question, Digest>> noted_;
  std::set<uint64_t> asked_;
  /// Of environments and of handles of the host's objects.
  std::map<const void *, uint64_t> numbers_;
  std::map<uint64_t, Environment *> environments_;
  std::map<uint64_t, std::shared_ptr<const HostObject>> objects_;
  std::map<const RecordClass *, size_t> classes_;
  std::vector<Operand> kept_; ///< What subjects live in.
  bool isComplete_ = true;
};

/// A list of questions <-> bytes; nothing for bytes that are no such list.
std::string serializeQuestions(llvm::ArrayRef<Question> questions);
std::optional<std::vector<Question>> deserializeQuestions(llvm::StringRef bytes);

} // namespace tilewise::frontend
