// Kernels recalled from the disk cache: only when all that their compile looked at is as it was.
#include "driver/Recall.h"
#include "cache/CacheTesting.h"
#include "frontend/python/LiveHost.h"
#include "frontend/values/Lookups.h"

#include <map>

namespace tilewise {

using cache::Folder;
using cache::ScratchFolder;

namespace {

/// A request that can be changed, and whether it was recalled.
struct Case {
  std::string text, path = "kernel.py";
  CompileRequest request;
  std::map<std::string, std::string> imports;

  explicit Case(std::string text) : text(std::move(text)) {
    request.kernel.kernel = "kernel";
    request.kernel.arguments = {{"*fp32", false, 16}, {"64", true}};
    request.kernel.readImport = [this](const std::string &path) -> std::optional<std::string> {
      auto found = imports.find(path);
      return found == imports.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
  }

  Result<CompiledKernel> run(Folder &folder) {
    const SourceFile file(path, text);
    request.kernel.file = &file;
    Diagnostics diagnostics;
    return recallOrCompile(request, diagnostics, &folder);
  }
  bool isRecalled(Folder &folder) {
    Result<CompiledKernel> kernel = run(folder);
    EXPECT_TRUE(kernel) << kernel.failure().message;
    return kernel && kernel->isRecalled;
  }
};

const std::string kPlain = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def kernel(x, B: tl.constexpr):\n"
                           "    at = tl.arange(0, B)\n"
                           "    tl.store(x + at, tl.load(x + at) + 1)\n";

const std::string kImporting = "import triton\n"
                               "import triton.language as tl\n"
                               "from helpers import shifted\n"
                               "@triton.jit\n"
                               "def kernel(x, B: tl.constexpr):\n"
                               "    at = tl.arange(0, B)\n"
                               "    tl.store(x + at, shifted(tl.load(x + at)))\n";

std::string helperWith(int shift) {
  return "import triton\n@triton.jit\ndef shifted(x):\n    return x + " + std::to_string(shift) + "\n";
}

} // namespace

TEST(Recall, GivesTheSameCode) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case plain(kPlain);
  Result<CompiledKernel> first = plain.run(folder), second = plain.run(folder);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->isRecalled);
  EXPECT_TRUE(second->isRecalled);
  EXPECT_EQ(first->artifact.serialize(), second->artifact.serialize());
  EXPECT_EQ(folder.list(false).size(), 1u);
}

TEST(Recall, NoticesEveryPartOfTheRequest) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  const std::vector<std::pair<const char *, std::function<void(Case &)>>> changes = {
      {"nothing", [](Case &) {}},
      {"text", [](Case &c) { c.text += "# more\n"; }},
      {"path", [](Case &c) { c.path = "other.py"; }},
      {"constant", [](Case &c) { c.request.kernel.arguments[1].text = "128"; }},
      {"type", [](Case &c) { c.request.kernel.arguments[0].text = "*fp16"; }},
      {"divisibility", [](Case &c) { c.request.kernel.arguments[0].divisibility = 1; }},
      {"define", [](Case &c) { c.request.kernel.defines["UNUSED"] = "1"; }},
      {"processor", [](Case &c) { c.request.target = *Target::parse("cpu:haswell"); }},
      {"engine", [](Case &c) { c.request.target = *Target::parse("reference"); }},
      {"GPU", [](Case &c) { c.request.target = *Target::parse("cuda:80"); }},
      {"newer GPU", [](Case &c) { c.request.target = *Target::parse("cuda:90"); }},
      {"warps", [](Case &c) { c.request.options.numWarps = 8; }},
      {"stages", [](Case &c) { c.request.options.numStages = 2; }},
      {"fusion", [](Case &c) { c.request.options.fpFusion = false; }},
      {"overflow checks", [](Case &c) { c.request.options.overflowChecks = false; }},
      {"debug", [](Case &c) { c.request.options.debug = true; }},
      {"checked", [](Case &c) { c.request.options.checked = true; }},
      {"lines", [](Case &c) { c.request.options.lineTables = false; }},
      {"warnings", [](Case &c) { c.request.options.warnings = WarningSet::none(); }},
  };
  for (const auto &[what, change] : changes) {
    Case changed(kPlain);
    change(changed);
    EXPECT_FALSE(changed.isRecalled(folder)) << what;
    EXPECT_TRUE(changed.isRecalled(folder)) << what;
  }
  Case cooperative(kPlain);
  cooperative.request.options.cooperative = true;
  EXPECT_TRUE(cooperative.isRecalled(folder)) << "of the launch alone";
}

TEST(Recall, NoticesAnImportedFile) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case importing(kImporting);
  importing.imports["helpers.py"] = helperWith(1);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
  importing.imports["helpers.py"] = helperWith(2);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
  // Back again: both are kept.
  importing.imports["helpers.py"] = helperWith(1);
  EXPECT_TRUE(importing.isRecalled(folder));
  // What was not there when it was looked for, and would now be taken first.
  importing.path = "package/deep/kernel.py";
  importing.imports["package/helpers.py"] = helperWith(1);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
  importing.imports["package/deep/helpers.py"] = helperWith(3);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
}

TEST(Recall, FollowsAnswersToFurtherQuestions) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case importing(kImporting);
  importing.imports["helpers.py"] = helperWith(1);
  EXPECT_FALSE(importing.isRecalled(folder));
  // The helper now imports something itself, which the first compile never asked for.
  importing.imports["helpers.py"] = "from inner import shifted\n";
  importing.imports["inner.py"] = helperWith(5);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
  importing.imports["inner.py"] = helperWith(6);
  EXPECT_FALSE(importing.isRecalled(folder));
  EXPECT_TRUE(importing.isRecalled(folder));
}

TEST(Recall, WarnsAsTheCompileDid) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case told(kPlain + "    tl.static_print(\"block\", B)\n");
  Result<CompiledKernel> first = told.run(folder), second = told.run(folder);
  ASSERT_TRUE(first && second);
  ASSERT_FALSE(first->messages.empty());
  EXPECT_TRUE(second->isRecalled);
  EXPECT_EQ(first->messages, second->messages);
}

TEST(Recall, KeepsNoFailure) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case wrong(kPlain + "    tl.nothing(x)\n");
  EXPECT_FALSE(wrong.run(folder));
  EXPECT_TRUE(folder.list(false).empty());
}

namespace {

/// A host with the module tl, the function `scaled` of a second host, and numbers.
class TestHost : public frontend::Environment {
public:
  std::map<std::string, int> numbers;
  std::shared_ptr<const frontend::FunctionValue> function;

  Result<std::optional<frontend::Operand>> lookup(llvm::StringRef name, frontend::LookupUse use) override {
    Result<std::optional<frontend::Operand>> answer = find(name);
    if (auto *record = frontend::LookupRecord::current())
      record->noteName(*this, name, use, answer);
    return answer;
  }
  std::vector<std::string> names() const override { return {}; }

private:
  Result<std::optional<frontend::Operand>> find(llvm::StringRef name) {
    if (name == "tl")
      return std::optional(frontend::Operand::ofModule("triton.language"));
    if (name == "scaled" && function)
      return std::optional(frontend::Operand::ofFunction(function));
    auto number = numbers.find(name.str());
    if (number == numbers.end())
      return std::optional<frontend::Operand>();
    return std::optional(frontend::Operand::ofInt(number->second));
  }
};

} // namespace

TEST(Recall, AsksALiveHostAgain) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 26);
  Case live("def kernel(x, B: tl.constexpr):\n"
            "    at = tl.arange(0, B)\n"
            "    tl.store(x + at, scaled(tl.load(x + at)) + SHIFT)\n");
  auto inner = std::make_shared<TestHost>();
  TestHost outer;
  auto setFunction = [&](const char *text) {
    auto file = std::make_shared<const SourceFile>("helper.py", text);
    outer.function = *frontend::makeFunction(file, "scaled", inner);
  };
  live.request.kernel.environment = &outer;
  outer.numbers = {{"SHIFT", 1}, {"UNUSED", 1}};
  inner->numbers = {{"FACTOR", 3}};
  setFunction("def scaled(x):\n    return x * FACTOR\n");
  EXPECT_FALSE(live.isRecalled(folder));
  EXPECT_TRUE(live.isRecalled(folder));
  outer.numbers["UNUSED"] = 2;
  EXPECT_TRUE(live.isRecalled(folder)) << "nobody asked";
  outer.numbers["SHIFT"] = 2;
  EXPECT_FALSE(live.isRecalled(folder));
  inner->numbers["FACTOR"] = 4;
  EXPECT_FALSE(live.isRecalled(folder)) << "a name of the function that is called";
  EXPECT_TRUE(live.isRecalled(folder));
  setFunction("def scaled(x):\n    return FACTOR * x\n");
  EXPECT_FALSE(live.isRecalled(folder)) << "the function's text";
  EXPECT_TRUE(live.isRecalled(folder));
  setFunction("def scaled(x):\n    return x * FACTOR\n");
  EXPECT_TRUE(live.isRecalled(folder)) << "as before";
}

TEST(Recall, DoesNotKeepWhatHostsComputed) {
  frontend::LookupRecord record(nullptr);
  record.noteFile("a.py", std::nullopt);
  EXPECT_TRUE(record.isComplete());
  record.giveUp();
  EXPECT_FALSE(record.isComplete());
  std::vector<frontend::Question> questions = {record.noted()[0].first};
  auto read = frontend::deserializeQuestions(frontend::serializeQuestions(questions));
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].id(), questions[0].id());
  EXPECT_FALSE(frontend::deserializeQuestions("nonsense"));
}

} // namespace tilewise
