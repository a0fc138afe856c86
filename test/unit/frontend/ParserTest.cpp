// Trees of the parser: the sample against CPython's own tree, literals, lazy bodies, and host code
// that is skipped by its structure.
#include "frontend/syntax/Parser.h"
#include "TestRoot.h"
#include "frontend/Frontend.h"
#include "frontend/syntax/AstPrinter.h"

#include "llvm/ADT/SmallString.h"

#include "gtest/gtest.h"

using namespace tilewise;
using namespace tilewise::frontend;

namespace {
/// A file parsed, kept alive together with its text.
struct Parsed {
  explicit Parsed(std::string text) : file("k.py", std::move(text)), module(parseModule(file, diagnostics)) {}

  std::string tree() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    printAst(*module, os);
    return text;
  }

  SourceFile file;
  Diagnostics diagnostics;
  std::unique_ptr<ast::Module> module;
};

std::string tree(std::string expression) {
  SourceFile file("k.py", std::move(expression));
  Diagnostics diagnostics;
  std::unique_ptr<ast::Module> module = parseExpression(file, diagnostics);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (module)
    printAst(*llvm::cast<ast::ExprStmt>(module->body[0])->value, os);
  return module ? text : diagnostics.render();
}

/// The constant that a text stands for. The module that owns it is in `keep`.
const ast::Constant &constant(std::string text) {
  static std::vector<std::unique_ptr<SourceFile>> files;
  static std::vector<std::unique_ptr<ast::Module>> keep;
  files.push_back(std::make_unique<SourceFile>("k.py", std::move(text)));
  Diagnostics diagnostics;
  keep.push_back(parseExpression(*files.back(), diagnostics));
  EXPECT_NE(keep.back(), nullptr) << diagnostics.render();
  return llvm::cast<ast::Constant>(*llvm::cast<ast::ExprStmt>(keep.back()->body[0])->value);
}
} // namespace

// samples/syntax.ast equals the tree of CPython 3.11's `ast` module, node by node with places
// (f-strings: without the places inside, which CPython 3.11 does not have).
TEST(Parser, SampleHasCPythonsTree) {
  SourceFile file("syntax.py", test::readRootFile("test/unit/frontend/samples/syntax.py"));
  std::string expected = test::readRootFile("test/unit/frontend/samples/syntax.ast");
  ASSERT_FALSE(expected.empty());
  Diagnostics diagnostics;
  EXPECT_EQ(dumpAst(file, "", diagnostics), expected);
  EXPECT_EQ(diagnostics.render(), "");
}

TEST(Parser, OurKernelsParse) {
  for (std::string name : {"vector_add", "softmax", "greyscale", "matmul"}) {
    SourceFile file(name + ".py", test::readRootFile("kernels/" + name + ".py"));
    Diagnostics diagnostics;
    std::string dump = dumpAst(file, "", diagnostics);
    EXPECT_NE(dump.find("FunctionDef"), std::string::npos) << name;
    EXPECT_EQ(dump.find("Unparsed"), std::string::npos) << name;
    EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  }
}

TEST(Parser, PrecedenceAndPlaces) {
  EXPECT_EQ(tree("-a ** -b * c"), "BinOp 1:1 *\n"
                                  "  UnaryOp 1:1 -\n"
                                  "    BinOp 1:2 **\n"
                                  "      Name 1:2 a\n"
                                  "      UnaryOp 1:7 -\n"
                                  "        Name 1:8 b\n"
                                  "  Name 1:12 c\n");
  EXPECT_EQ(tree("(a - b) - c"), "BinOp 1:1 -\n  BinOp 1:2 -\n    Name 1:2 a\n    Name 1:6 b\n  Name 1:11 c\n");
  EXPECT_EQ(tree("not a < b <= c"),
            "UnaryOp 1:1 not\n  Compare 1:5 < <=\n    Name 1:5 a\n    Name 1:9 b\n    Name 1:14 c\n");
}

TEST(Parser, TextOfANode) {
  SourceFile file("k.py", "f((a + b) , c)[0]");
  Diagnostics diagnostics;
  auto module = parseExpression(file, diagnostics);
  auto *subscript = llvm::cast<ast::Subscript>(llvm::cast<ast::ExprStmt>(module->body[0])->value);
  auto *call = llvm::cast<ast::Call>(subscript->value);
  EXPECT_EQ(module->text(*subscript), "f((a + b) , c)[0]");
  EXPECT_EQ(module->text(*call), "f((a + b) , c)");
  EXPECT_EQ(module->text(*call->args[0]), "a + b");
  EXPECT_EQ(llvm::cast<ast::BinOp>(call->args[0])->opLoc.column, 6u);
}

TEST(Parser, Integers) {
  EXPECT_EQ(constant("0").intValue().getZExtValue(), 0u);
  EXPECT_EQ(constant("0xFF_ff").intValue().getZExtValue(), 65535u);
  EXPECT_EQ(constant("0o17").intValue().getZExtValue(), 15u);
  EXPECT_EQ(constant("0b101").intValue().getZExtValue(), 5u);
  EXPECT_TRUE(constant("18446744073709551615").intValue().isNonNegative());
  llvm::SmallString<64> digits;
  constant("340282366920938463463374607431768211456").intValue().toString(digits, 16, /*Signed=*/true);
  EXPECT_EQ(digits, "100000000000000000000000000000000");
  EXPECT_EQ(tree(std::string(4301, '1')).substr(0, 58), "k.py:1:1: error: a number may have at most 4300 digits, th");
}

TEST(Parser, Floats) {
  EXPECT_EQ(constant("1_0.0_1E-3").floatValue, 10.01e-3);
  EXPECT_EQ(constant("0.1").floatValue, 0.1);
  EXPECT_EQ(constant("1e999").floatValue, HUGE_VAL);
  EXPECT_EQ(constant("4.9e-324").floatValue, 4.9e-324);
  EXPECT_EQ(constant("09.5").floatValue, 9.5);
}

TEST(Parser, StringsAreDecoded) {
  EXPECT_EQ(constant(R"('a\n\t\\\'\x41\101\u00e9\U0001F600\N{DIGIT ONE}\q' "b" r'\n')").text,
            "a\n\t\\'AA\xC3\xA9\xF0\x9F\x98\x80"
            "1\\qb\\n");
  EXPECT_EQ(constant("'a\\\nb'").text, "ab");
  EXPECT_EQ(constant("'''a\r\nb'''").text, "a\nb");
  EXPECT_EQ(constant(R"(b'\xff\0' rb'\x')").text, llvm::StringRef("\xFF\0\\x", 4));
  EXPECT_EQ(constant(R"('\ud800')").text, "\xED\xA0\x80");
}

TEST(Parser, FStringParts) {
  EXPECT_EQ(tree("'x' f'{{a}}{b!s:>{c}}' f'{d = }'"), "FString 1:1\n"
                                                      "  Text 1:1 'x{a}'\n"
                                                      "  Field 1:12 !s\n"
                                                      "    Name 1:13 b\n"
                                                      "    spec\n"
                                                      "      Text 1:17 '>'\n"
                                                      "      Field 1:18\n"
                                                      "        Name 1:19 c\n"
                                                      "  Field 1:26 'd = ' !r\n"
                                                      "    Name 1:27 d\n");
}

TEST(Parser, BodiesWaitUntilTheyAreAskedFor) {
  Parsed parsed("def f(x):\n    return x\ndef g():\n    this is not python at all\n");
  EXPECT_FALSE(parsed.diagnostics.hasErrors());
  ast::FunctionDef *f = parsed.module->findFunction("f"), *g = parsed.module->findFunction("g");
  ASSERT_TRUE(f && g);
  EXPECT_EQ(f->bodyState, ast::BodyState::NotParsed);
  EXPECT_TRUE(parseBody(*f, parsed.diagnostics));
  ASSERT_EQ(f->body.size(), 1u);
  EXPECT_EQ(f->body[0]->kind, ast::StmtKind::Return);
  EXPECT_EQ(g->bodyState, ast::BodyState::NotParsed);
  EXPECT_FALSE(parseBody(*g, parsed.diagnostics));
  EXPECT_EQ(g->bodyState, ast::BodyState::Failed);
  ASSERT_EQ(parsed.diagnostics.errorCount(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].loc.line, 4u);
}

TEST(Parser, HostCodeThatCannotBeParsedIsSkippedByItsStructure) {
  Parsed parsed("x = 1\n"
                "if broken here:\n"
                "    y = 1\n"
                "    def hidden(): pass\n"
                "else:\n"
                "    z = 2\n"
                "w = 1j * (\n"
                "  v)\n"
                "def f(): pass\n");
  EXPECT_FALSE(parsed.diagnostics.hasErrors());
  ASSERT_EQ(parsed.module->body.size(), 4u);
  auto *first = llvm::dyn_cast<ast::Unparsed>(parsed.module->body[1]);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error->message, "expected ':' at the end of this line with 'if', found 'here'");
  for (llvm::StringRef name : {"y", "z", "hidden"})
    EXPECT_TRUE(first->mayBind(name));
  EXPECT_FALSE(first->mayBind("w"));
  EXPECT_EQ(parsed.module->whyNotBound("w")->message, "complex numbers are not part of the kernel language");
  EXPECT_EQ(parsed.module->whyNotBound("nowhere"), nullptr);
  EXPECT_TRUE(parsed.module->findFunction("f"));
  EXPECT_FALSE(parsed.module->findFunction("hidden"));
}

TEST(Parser, ABrokenHeaderConcernsOnlyItsFunction) {
  Parsed parsed("@triton.jit\ndef f(...):\n    ...\n@triton.jit\ndef g(x): pass\n");
  EXPECT_FALSE(parsed.diagnostics.hasErrors());
  EXPECT_TRUE(parseBody(*parsed.module->findFunction("g"), parsed.diagnostics));
  EXPECT_FALSE(parseBody(*parsed.module->findFunction("f"), parsed.diagnostics));
  EXPECT_EQ(parsed.diagnostics.render(), "k.py:2:7: error: '...' stands where parameters belong: name the parameters\n"
                                         "    2 | def f(...):\n"
                                         "      |       ^~~\n");
}

TEST(Parser, FunctionsUnderConditionsAreFoundAndMethodsAreNot) {
  Parsed parsed("try:\n    import a\n    def f(): pass\nexcept ImportError:\n    def f(x): pass\n"
                "if b:\n    with c:\n        def g(): pass\nclass C:\n    def h(self): pass\n");
  ASSERT_EQ(parsed.module->functions().size(), 3u);
  EXPECT_EQ(parsed.module->findFunction("f")->parameters.size(), 1u);
  EXPECT_TRUE(parsed.module->findFunction("g"));
  EXPECT_FALSE(parsed.module->findFunction("h"));
}

TEST(Parser, ParameterKinds) {
  Parsed parsed("def f(a, /, b: int = 1, *c, d, e=2, **g): pass\n");
  ast::FunctionDef &f = *parsed.module->findFunction("f");
  using ast::ParameterKind;
  std::vector<ParameterKind> kinds;
  for (const ast::Parameter &parameter : f.parameters)
    kinds.push_back(parameter.kind);
  EXPECT_EQ(kinds, (std::vector<ParameterKind>{ParameterKind::PositionalOnly, ParameterKind::Regular,
                                               ParameterKind::VarArgs, ParameterKind::KeywordOnly,
                                               ParameterKind::KeywordOnly, ParameterKind::KwArgs}));
  EXPECT_TRUE(f.parameters[1].annotation && f.parameters[1].defaultValue);
}

TEST(Parser, AFunctionCutOutOfAClassKeepsItsPlaces) {
  SourceFile file("k.py", "    @jit\n    def f(x):\n        return x\n", 100);
  Diagnostics diagnostics;
  auto module = parseModule(file, diagnostics);
  ASSERT_TRUE(module->findFunction("f"));
  EXPECT_TRUE(parseBody(*module->findFunction("f"), diagnostics));
  EXPECT_EQ(module->findFunction("f")->body[0]->loc, (SourceLoc{&file, 102, 9}));
}

TEST(Parser, DeepNestingIsAnErrorAndNoCrash) {
  auto failsWith = [](const std::string &text, const std::string &message) {
    SourceFile file("k.py", text);
    Diagnostics diagnostics;
    dumpAst(file, "", diagnostics);
    ASSERT_TRUE(diagnostics.hasErrors());
    EXPECT_EQ(diagnostics.all()[0].message.substr(0, message.size()), message);
  };
  auto repeat = [](std::string text, unsigned count) {
    std::string result;
    while (count--)
      result += text;
    return result;
  };
  std::string nesting = "too many levels of nesting", height = "this expression is nested too deeply";
  failsWith("def f(): return " + repeat("(", 20000) + "1" + repeat(")", 20000), nesting);
  failsWith("def f(): return " + repeat("[", 20000), "'[' is never closed");
  failsWith("def f(): return " + repeat("-", 20000) + "1", nesting);
  failsWith("def f(): return " + repeat("not ", 20000) + "1", nesting);
  failsWith("def f(): return " + repeat("lambda: ", 20000) + "1", nesting);
  failsWith("def f(): return " + repeat("1 if 1 else ", 20000) + "1", nesting);
  failsWith("def f(): return " + repeat("2 ** ", 20000) + "1", nesting);
  failsWith("def f(): return 1" + repeat(" + 1", 20000), height);
  failsWith("def f(): return x" + repeat(".x", 20000), height);
  failsWith("def f(): return x" + repeat("()", 20000), height);
  std::string blocks = "def f():\n";
  for (unsigned depth = 1; depth < 400; ++depth)
    blocks += std::string(depth, ' ') + "if x:\n";
  failsWith(blocks + std::string(400, ' ') + "y\n", nesting);
}

TEST(ListKernels, NamesParametersAndDecorators) {
  SourceFile file("k.py", "import triton as t\n"
                          "@t.autotune(configs=[], key=['n'])\n"
                          "@t.jit(debug=True)\n"
                          "def one(x_ptr, n: int, BLOCK: tl.constexpr = 2 * 64, *, eps: 'tl.constexpr' = 1e-5): pass\n"
                          "def host(): pass\n"
                          "if True:\n"
                          "    @jit\n"
                          "    def two(): not parsed at all\n"
                          "@jit.other\n"
                          "def three(): pass\n");
  Diagnostics diagnostics;
  std::vector<KernelInfo> kernels = listKernels(file, diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "one");
  EXPECT_EQ(kernels[0].loc, (SourceLoc{&file, 4, 1}));
  ASSERT_EQ(kernels[0].parameters.size(), 4u);
  EXPECT_EQ(kernels[0].parameters[1].annotation, "int");
  EXPECT_FALSE(kernels[0].parameters[1].isConstexpr);
  EXPECT_TRUE(kernels[0].parameters[2].isConstexpr);
  EXPECT_EQ(kernels[0].parameters[2].annotation, "tl.constexpr");
  EXPECT_EQ(kernels[0].parameters[2].defaultValue, "2 * 64");
  EXPECT_TRUE(kernels[0].parameters[3].isConstexpr);
  EXPECT_EQ(kernels[1].name, "two");
}

TEST(ListKernels, ABrokenHeaderIsReported) {
  SourceFile file("k.py", "@triton.jit\ndef one(...): pass\n@triton.jit\ndef two(x): pass\n");
  Diagnostics diagnostics;
  std::vector<KernelInfo> kernels = listKernels(file, diagnostics);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(diagnostics.errorCount(), 1u);
}
