// Our reader of line tables against LLVM's, over whole kernels; and tables that are broken.
#include "runtime/DwarfLines.h"
#include "TestRoot.h"
#include "driver/Compile.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <random>

namespace tilewise {
namespace {

/// The object of a kernel of the library, and what is asked of it.
struct Compiled {
  std::string code, lines;
  std::unique_ptr<llvm::object::ObjectFile> object;

  Compiled(const std::string &file, const char *signature) {
    SourceFile source("kernels/" + file, test::readRootFile("kernels/" + file));
    CompileRequest request;
    request.kernel.file = &source;
    request.kernel.kernel = llvm::StringRef(file).drop_back(3).str();
    request.kernel.arguments = *frontend::parseSignature(signature);
    request.target = *Target::parse("cpu:x86-64-v3");
    auto artifact = compile(request);
    EXPECT_TRUE(bool(artifact)) << artifact.failure().message;
    code = artifact->code;
    object = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(code, "kernel")));
    for (const llvm::object::SectionRef &section : object->sections())
      if (llvm::cantFail(section.getName()) == ".debug_line")
        lines = llvm::cantFail(section.getContents()).str();
  }
};

void compareWithLlvm(const std::string &file, const char *signature) {
  Compiled kernel(file, signature);
  ASSERT_FALSE(kernel.lines.empty());
  auto context = llvm::DWARFContext::create(*kernel.object);
  uint64_t bytes = 0, section = 0;
  for (const llvm::object::SectionRef &one : kernel.object->sections())
    if (one.isText() && one.getSize())
      bytes = one.getSize(), section = one.getIndex();
  ASSERT_GT(bytes, 100u);
  unsigned found = 0, userLines = 0;
  for (uint64_t offset = 0; offset < bytes; ++offset) {
    CodePlace place = placeAt({kernel.lines.data(), kernel.lines.size()}, offset);
    llvm::DILineInfo expected = context->getLineInfoForAddress(
        {offset, section}, {llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath});
    ASSERT_EQ(place.line, expected.Line) << "at " << offset;
    if (!place.line)
      continue;
    ASSERT_EQ(place.column, expected.Column) << "at " << offset;
    ASSERT_EQ(std::string(place.folder) + "/" + place.file, expected.FileName) << "at " << offset;
    ++found;
    userLines += expected.FileName == "kernels/" + file;
  }
  EXPECT_GT(found, bytes * 3 / 4); // Code that LLVM made of two lines has none.
  EXPECT_EQ(userLines, found) << "the standard library's lines are nobody's";
}

TEST(DwarfLines, VectorAdd) { compareWithLlvm("vector_add.py", "*fp32:16,*fp32:16,*fp32:16,i32,1024"); }
TEST(DwarfLines, Softmax) { compareWithLlvm("softmax.py", "*fp32:16,*fp32:16,i32,i32,i32,1024"); }

TEST(DwarfLines, NothingIsKnownWithoutATable) {
  EXPECT_EQ(placeAt({}, 0).line, 0u);
  Compiled kernel("vector_add.py", "*fp32:16,*fp32:16,*fp32:16,i32,1024");
  EXPECT_EQ(placeAt({kernel.lines.data(), kernel.lines.size()}, uint64_t(1) << 40).line, 0u);
}

// A reader that trusts what it reads would leave the table, which AddressSanitizer sees, or never
// end.
TEST(DwarfLines, BrokenTablesEndTheSearch) {
  Compiled kernel("vector_add.py", "*fp32:16,*fp32:16,*fp32:16,i32,1024");
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<char> broken(kernel.lines.begin(), kernel.lines.end());
    for (int i = 0; i < 4; ++i)
      broken[random() % broken.size()] = char(random());
    broken.resize(random() % broken.size() + 1);
    broken.shrink_to_fit();
    placeAt({broken.data(), broken.size()}, random() % 4096);
  }
}

} // namespace
} // namespace tilewise
