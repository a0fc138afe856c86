// Noting what is asked, hashing what is answered, and asking again.
#include "frontend/values/Lookups.h"

#include "frontend/syntax/Ast.h"
#include "frontend/values/Builtin.h"
#include "support/Bytes.h"

#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/xxhash.h"

#include <bit>

namespace tilewise::frontend {

static void write(ByteWriter &bytes, const Question &question) {
  bytes.number(uint64_t(question.kind));
  bytes.number(question.subject);
  bytes.number(question.other);
  bytes.string(question.name);
}

uint64_t Question::id() const {
  ByteWriter bytes;
  write(bytes, *this);
  return llvm::xxh3_64bits(bytes.bytes);
}

std::string serializeQuestions(llvm::ArrayRef<Question> questions) {
  ByteWriter bytes;
  bytes.number(questions.size());
  for (const Question &question : questions)
    write(bytes, question);
  return std::move(bytes.bytes);
}

std::optional<std::vector<Question>> deserializeQuestions(llvm::StringRef bytes) {
  ByteReader reader{bytes};
  std::vector<Question> questions;
  const uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    Question question;
    question.kind = Question::Kind(reader.number());
    question.subject = reader.number();
    question.other = reader.number();
    question.name = reader.string();
    questions.push_back(std::move(question));
  }
  if (reader.broken || !reader.rest.empty())
    return std::nullopt;
  return questions;
}

/// The hash of one answer, and the subjects found in it.
class LookupRecord::Hasher {
public:
  Hasher(LookupRecord &record, uint64_t question) : record_(record), question_(question) {}

  void add(uint64_t number) {
    uint8_t bytes[8];
    llvm::support::endian::write64le(bytes, number);
    hash_.update(bytes);
  }
  void add(llvm::StringRef text) {
    add(uint64_t(text.size()));
    hash_.update(text);
  }
  void add(const Failure &failure) {
    add("failure");
    add(uint64_t(failure.code));
    add(failure.message);
  }
  void add(const Operand &operand);

  Digest finish() {
    Digest digest;
    const auto full = hash_.final();
    std::copy_n(full.begin(), digest.size(), digest.begin());
    return digest;
  }

private:
  void addFunction(const FunctionValue &function);
  void addClass(const std::shared_ptr<const RecordClass> &kind);
  void addParts(llvm::StringRef kind, const Elements &parts) {
    add(kind);
    add(uint64_t(parts.size()));
    for (const Operand &part : parts)
      add(part);
  }
  /// The number of a subject; a new one is numbered by this question and its place in the answer.
  uint64_t numberOf(const void *subject, llvm::function_ref<void(uint64_t)> remember) {
    const uint64_t place[] = {question_, ++found_};
    const uint64_t number =
        llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(place), sizeof(place))) | 1;
    auto [known, isNew] = record_.numbers_.try_emplace(subject, number);
    if (isNew)
      remember(number);
    return known->second;
  }

  LookupRecord &record_;
  uint64_t question_, found_ = 0;
  llvm::BLAKE3 hash_;
};

void LookupRecord::Hasher::add(const Operand &operand) {
  if (operand.isNone()) {
    add("None");
  } else if (operand.isBool()) {
    add(operand.boolean() ? "True" : "False");
  } else if (operand.isInt()) {
    add("int");
    add(operand.str());
  } else if (operand.isFloat()) {
    add("float");
    add(std::bit_cast<uint64_t>(operand.floating()));
  } else if (operand.isString()) {
    add("str");
    add(operand.string());
  } else if (operand.isType()) {
    add("type");
    add(operand.type().str());
  } else if (operand.isModule()) {
    add("module");
    add(operand.moduleName());
  } else if (operand.isBuiltin()) {
    add("builtin");
    add(operand.builtin()->name());
  } else if (operand.isFunction()) {
    addFunction(*operand.function());
  } else if (operand.isSequence()) {
    if (operand.tupleClass())
      addClass(operand.tupleClass());
    addParts(operand.isTuple() ? "tuple" : "list", operand.elements());
  } else if (operand.isDict()) {
    add("dict");
    add(uint64_t(operand.entries().size()));
    for (const auto &[key, value] : operand.entries()) {
      add(key);
      add(value);
    }
  } else if (operand.isClass()) {
    addClass(operand.classValue());
  } else if (operand.isHostObject()) {
    const auto &object = operand.hostObject();
    add("object");
    add(object->description);
    add(numberOf(object->handle, [&](uint64_t number) { record_.objects_[number] = object; }));
  } else {
    record_.giveUp(); // Nothing else is a host's to give.
  }
}

void LookupRecord::Hasher::addFunction(const FunctionValue &function) {
  if (!function.definition)
    return record_.giveUp();
  const SourceFile &file = function.definition->module->file();
  add("function");
  add(function.name);
  add(uint64_t(function.kind));
  add(uint64_t(function.isStatic) | uint64_t(function.isProperty) << 1 | uint64_t(function.isNoinline) << 2 |
      uint64_t(function.mustUseResult.has_value()) << 3);
  add(function.mustUseResult.value_or(""));
  add(file.path());
  add(uint64_t(file.firstLine()));
  add(file.text());
  add(uint64_t(function.definition->begin));
  for (const auto &[name, value] : function.captured) {
    add(name);
    add(value);
  }
  if (Environment *environment = function.environment)
    add(numberOf(environment, [&](uint64_t number) { record_.environments_[number] = environment; }));
}

/// A class may hold itself, in its methods: the second time it is its number.
void LookupRecord::Hasher::addClass(const std::shared_ptr<const RecordClass> &kind) {
  add("class");
  auto [known, isNew] = record_.classes_.try_emplace(kind.get(), record_.classes_.size());
  add(uint64_t(known->second));
  if (!isNew)
    return;
  record_.kept_.push_back(Operand::ofClass(kind));
  add(kind->name);
  add(uint64_t(kind->maker));
  add(uint64_t(kind->fields.size()));
  for (const std::string &field : kind->fields)
    add(field);
  for (const RecordClass::Field &field : kind->fieldInfos) {
    add(uint64_t(field.kind));
    add(field.defaultValue ? "default" : "");
    if (field.defaultValue)
      add(*field.defaultValue);
  }
  add(uint64_t(kind->attributes.size()));
  for (const auto &[name, value] : kind->attributes) {
    add(name);
    add(value);
  }
  if (kind->base)
    addClass(kind->base);
}

LookupRecord::LookupRecord(Environment *environment) {
  if (environment) {
    numbers_[environment] = 0;
    environments_[0] = environment;
  }
}

static thread_local LookupRecord *currentRecord = nullptr;
LookupRecord *LookupRecord::current() { return currentRecord; }
LookupRecord::Scope::Scope(LookupRecord &record) : previous_(std::exchange(currentRecord, &record)) {}
LookupRecord::Scope::~Scope() { currentRecord = previous_; }

uint64_t LookupRecord::subjectOf(const void *subject) {
  auto found = numbers_.find(subject);
  if (found == numbers_.end())
    giveUp();
  return found == numbers_.end() ? 0 : found->second;
}

void LookupRecord::note(Question question, llvm::function_ref<void(Hasher &)> hashAnswer) {
  const uint64_t id = question.id();
  if (!isComplete_ || !asked_.insert(id).second)
    return;
  Hasher hasher(*this, id);
  hashAnswer(hasher);
  noted_.emplace_back(std::move(question), hasher.finish());
}

void LookupRecord::noteFile(const std::string &path, const std::optional<std::string> &text) {
  note({Question::Kind::File, 0, 0, path}, [&](Hasher &hasher) {
    hasher.add(text ? "file" : "no file");
    hasher.add(text.value_or(""));
  });
}

void LookupRecord::noteName(Environment &asked, llvm::StringRef name, LookupUse use,
                            const Result<std::optional<Operand>> &answer) {
  const auto kind = use == LookupUse::Kernel ? Question::Kind::KernelName : Question::Kind::DefaultName;
  note({kind, subjectOf(&asked), 0, name.str()}, [&](Hasher &hasher) {
    if (!answer)
      return hasher.add(answer.failure());
    if (!*answer)
      return hasher.add("not defined");
    kept_.push_back(**answer);
    hasher.add(**answer);
  });
}

void LookupRecord::noteAttribute(const HostObject &object, llvm::StringRef name, const Result<Operand> &answer) {
  note({Question::Kind::Attribute, subjectOf(object.handle), 0, name.str()}, [&](Hasher &hasher) {
    if (!answer)
      return hasher.add(answer.failure());
    kept_.push_back(*answer);
    hasher.add(*answer);
  });
}

void LookupRecord::noteEqual(const HostObject &a, const HostObject &b, bool answer) {
  note({Question::Kind::Equal, subjectOf(a.handle), subjectOf(b.handle), ""},
       [&](Hasher &hasher) { hasher.add(uint64_t(answer)); });
}

bool LookupRecord::ask(llvm::ArrayRef<Question> questions, const ReadFile &readFile) {
  for (const Question &question : questions) {
    auto environment = environments_.find(question.subject);
    auto object = objects_.find(question.subject), other = objects_.find(question.other);
    switch (question.kind) {
    case Question::Kind::File:
      noteFile(question.name, readFile(question.name));
      break;
    case Question::Kind::KernelName:
    case Question::Kind::DefaultName:
      if (environment == environments_.end())
        return false;
      // The answer is noted by the one who gives it; so below.
      (void)environment->second->lookup(
          question.name, question.kind == Question::Kind::KernelName ? LookupUse::Kernel : LookupUse::Default);
      break;
    case Question::Kind::Attribute:
      if (object == objects_.end())
        return false;
      (void)object->second->environment->getAttribute(*object->second, question.name);
      break;
    case Question::Kind::Equal:
      if (object == objects_.end() || other == objects_.end())
        return false;
      (void)object->second->environment->equal(*object->second, *other->second);
      break;
    }
  }
  return isComplete_;
}

} // namespace tilewise::frontend
