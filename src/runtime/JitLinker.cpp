// One ORC session for the process; every object is a library of its own in it.
#include "runtime/JitLinker.h"
#include "runtime/HostFunctions.h"

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>

namespace tilewise {

using namespace llvm::orc;

// A failed look-up says that a symbol failed; why it did goes to the session's reporter, which
// in-place dispatch calls on the same thread.
static thread_local std::string reported;

namespace {
/// Gives objects the host's functions, each when it is first asked for.
class HostSymbols : public DefinitionGenerator {
public:
  llvm::Error tryToGenerate(LookupState &, LookupKind, JITDylib &library, JITDylibLookupFlags,
                            const SymbolLookupSet &wanted) override {
    SymbolMap found;
    for (const auto &[name, flags] : wanted)
      if (void *function = hostFunction(*name))
        found[name] = {ExecutorAddr::fromPtr(function),
                       llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    return found.empty() ? llvm::Error::success() : library.define(absoluteSymbols(std::move(found)));
  }
};

/// Never destroyed: code may still run while static objects are torn down.
class Session {
public:
  /// The session, or why this process cannot have one (a system that forbids executable memory).
  static Result<Session *> get() {
    static Result<Session *> &session = *new Result<Session *>(make());
    return session;
  }

  Result<JITDylib *> add(const std::string &object) {
    // Names of libraries must differ; nothing else reads them.
    auto library = session_->createJITDylib("kernel" + std::to_string(count_.fetch_add(1)));
    if (!library)
      return toFailure(library.takeError());
    library->addToLinkOrder(*allowed_);
    if (llvm::Error error = layer_->add(*library, llvm::MemoryBuffer::getMemBufferCopy(object, "kernel")))
      return failAndRemove(*library, std::move(error));
    return &*library;
  }

  Result<void *> find(JITDylib &library, const std::string &name) {
    reported.clear();
    auto symbol = session_->lookup({&library}, session_->intern(name));
    if (!symbol) {
      Failure failure = toFailure(symbol.takeError());
      return reported.empty() ? failure : internalFailure(failure.message + reported);
    }
    return symbol->getAddress().toPtr<void *>();
  }

  void remove(JITDylib &library) { llvm::consumeError(session_->removeJITDylib(library)); }

private:
  static Result<Session *> make() {
    auto control = SelfExecutorProcessControl::Create(nullptr, std::make_unique<InPlaceTaskDispatcher>());
    if (!control)
      return toFailure(control.takeError());
    return new Session(std::move(*control));
  }

  explicit Session(std::unique_ptr<ExecutorProcessControl> control)
      : session_(std::make_unique<ExecutionSession>(std::move(control))),
        layer_(std::make_unique<ObjectLinkingLayer>(*session_, session_->getExecutorProcessControl().getMemMgr())) {
    session_->setErrorReporter([](llvm::Error error) { reported += "; " + llvm::toString(std::move(error)); });
    allowed_ = &session_->createBareJITDylib("host");
    allowed_->addGenerator(std::make_unique<HostSymbols>());
  }

  Failure failAndRemove(JITDylib &library, llvm::Error error) {
    remove(library);
    return toFailure(std::move(error));
  }

  static Failure toFailure(llvm::Error error) {
    return internalFailure("cannot link a CPU kernel: " + llvm::toString(std::move(error)));
  }

  std::unique_ptr<ExecutionSession> session_;
  std::unique_ptr<ObjectLinkingLayer> layer_;
  JITDylib *allowed_ = nullptr;
  std::atomic<uint64_t> count_{0};
};
} // namespace

Result<LinkedObject> LinkedObject::link(const std::string &object, const std::string &entry) {
  Result<Session *> session = Session::get();
  if (!session)
    return session.failure();
  Result<JITDylib *> library = (*session)->add(object);
  if (!library)
    return library.takeFailure();
  Result<void *> address = (*session)->find(**library, entry);
  if (!address) {
    (*session)->remove(**library);
    return address.takeFailure();
  }
  return LinkedObject(*library, object, entry, *address);
}

/// Notes of a relocatable object where its sections went, as debuggers want it: in the sections'
/// headers. Only code is told: that is what lines are about.
LinkedObject::LinkedObject(JITDylib *library, const std::string &object, const std::string &name, void *entry)
    : library_(library) {
  code_.entry = entry;
  using File = llvm::object::ELF64LE;
  auto read = llvm::object::ELFFile<File>::create(object);
  auto sections = read ? read->sections() : llvm::Expected<File::ShdrRange>(read.takeError());
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return;
  }
  uint64_t codeSection = 0, linesAt = 0, linesSize = 0;
  for (const File::Shdr &section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_SYMTAB) {
      auto symbols = read->symbols(&section);
      auto names = read->getStringTableForSymtab(section);
      if (!symbols || !names) {
        llvm::consumeError(symbols.takeError());
        llvm::consumeError(names.takeError());
        continue;
      }
      for (const File::Sym &symbol : *symbols)
        if (symbol.st_name < names->size() && name == names->data() + symbol.st_name) {
          code_.bytes = symbol.st_size;
          code_.section = static_cast<const char *>(entry) - symbol.st_value;
          codeSection = symbol.st_shndx;
        }
      continue;
    }
    auto sectionName = read->getSectionName(section);
    if (!sectionName)
      llvm::consumeError(sectionName.takeError());
    else if (*sectionName == ".debug_line")
      linesAt = section.sh_offset, linesSize = section.sh_size;
  }
  if (!linesSize || codeSection == 0 || codeSection >= sections->size())
    return;
  std::string copy = object;
  auto *header = reinterpret_cast<File::Shdr *>(copy.data() + read->getHeader().e_shoff) + codeSection;
  header->sh_addr = reinterpret_cast<uintptr_t>(code_.section);
  debugged_.emplace(std::move(copy));
  code_.lines = {debugged_->bytes().data() + linesAt, linesSize};
}

LinkedObject::~LinkedObject() {
  if (library_)
    (*Session::get())->remove(*library_);
}

} // namespace tilewise
