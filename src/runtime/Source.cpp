// Kernel files: opened, parsed once, shared by their kernels.
#include "runtime/Source.h"

#include "frontend/KernelNames.h"
#include "frontend/python/LiveHost.h"
#include "support/TextFile.h"
#include "support/Try.h"

namespace tilewise {

Source::Source(std::unique_ptr<State> state) : state_(std::move(state)) {}
Source::~Source() = default;

Result<std::shared_ptr<Source>> Source::open(const std::string &path) {
  TILEWISE_TRY(std::string text, readKernelFile(path));
  return create(std::move(text), path, 1);
}

std::shared_ptr<Source> Source::create(std::string text, std::string file, uint32_t firstLine) {
  return std::shared_ptr<Source>(new Source(std::make_unique<State>(std::move(file), std::move(text), firstLine)));
}

Result<void> Source::define(const std::string &name, const std::string &literal) {
  TILEWISE_CHECK(frontend::checkDefined(state_->file, name));
  std::lock_guard lock(state_->mutex);
  state_->defines[name] = literal;
  return {};
}

void Source::setEnvironment(std::shared_ptr<frontend::Environment> environment) {
  std::lock_guard lock(state_->mutex);
  state_->environment = std::move(environment);
}

frontend::Environment *Source::environment() const {
  std::lock_guard lock(state_->mutex);
  return state_->environment.get();
}

const SourceFile &Source::file() const { return state_->file; }

Result<std::shared_ptr<const frontend::FunctionValue>> Source::function(const std::string &name) {
  std::lock_guard lock(state_->mutex);
  auto &known = state_->functions[name];
  if (known)
    return known;
  // The text is copied: the function may outlive this source.
  const SourceFile &file = state_->file;
  auto copy = std::make_shared<const SourceFile>(file.path().str(), file.text().str(), file.firstLine());
  auto made = frontend::makeFunction(std::move(copy), name, state_->environment);
  if (made)
    known = *made;
  return made;
}

Result<void> Source::parse() {
  std::lock_guard lock(state_->mutex);
  if (!state_->isParsed) {
    Diagnostics &diagnostics = state_->parseDiagnostics;
    state_->infos = frontend::listKernels(state_->file, diagnostics, /*everyFunction=*/state_->environment != nullptr);
    if (diagnostics.hasErrors()) {
      state_->infos.clear();
      state_->parseResult = kernelFailure(diagnostics.render());
    }
    for (const frontend::KernelInfo &info : state_->infos)
      state_->names.push_back(info.name);
    state_->isParsed = true;
  }
  if (!state_->parseResult)
    keepReport(state_->parseDiagnostics);
  return state_->parseResult;
}

const std::vector<std::string> &Source::kernels() const { return state_->names; }

} // namespace tilewise
