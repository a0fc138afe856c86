// Python's tokens, as the language reference has them; and that nothing in a text stops the lexer.
#include "frontend/syntax/Lexer.h"
#include "frontend/syntax/Parser.h"

#include "gtest/gtest.h"

using namespace tilewise;
using namespace tilewise::frontend;

namespace {
struct Dump {
  std::string tokens;
  std::string errors;
};

Dump dump(std::string text) {
  SourceFile file("k.py", std::move(text));
  Diagnostics diagnostics;
  std::string tokens = dumpTokens(file, diagnostics);
  std::string errors;
  for (const Diagnostic &error : diagnostics.all())
    errors += std::to_string(error.loc.line) + ":" + std::to_string(error.loc.column) + " " + error.message + "\n";
  return {tokens, errors};
}

/// The texts of a line's tokens, for cases where kinds and places say nothing new.
std::vector<std::string> texts(std::string text) {
  SourceFile file("k.py", std::move(text));
  std::vector<std::string> result;
  for (const Token &token : lex(file).tokens)
    if (token.kind != TokenKind::Newline && token.kind != TokenKind::EndOfFile)
      result.push_back(token.text.str());
  return result;
}

using Strings = std::vector<std::string>;
} // namespace

TEST(Lexer, BlocksOpenAndCloseByIndentation) {
  Dump result = dump("if a:\n    b\n\n  # no block\n    if c:\n        d\ne");
  EXPECT_EQ(result.tokens, "1:1 NAME 'if'\n1:4 NAME 'a'\n1:5 OP ':'\n1:6 NEWLINE '\\n'\n"
                           "2:1 INDENT '    '\n2:5 NAME 'b'\n2:6 NEWLINE '\\n'\n"
                           "5:5 NAME 'if'\n5:8 NAME 'c'\n5:9 OP ':'\n5:10 NEWLINE '\\n'\n"
                           "6:1 INDENT '        '\n6:9 NAME 'd'\n6:10 NEWLINE '\\n'\n"
                           "7:1 DEDENT ''\n7:1 DEDENT ''\n7:1 NAME 'e'\n7:2 NEWLINE ''\n7:2 ENDMARKER ''\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Lexer, OpenBlocksCloseAtTheEndOfTheFile) {
  EXPECT_EQ(dump("if a:\n  if b:\n    c\n").tokens,
            "1:1 NAME 'if'\n1:4 NAME 'a'\n1:5 OP ':'\n1:6 NEWLINE '\\n'\n"
            "2:1 INDENT '  '\n2:3 NAME 'if'\n2:6 NAME 'b'\n2:7 OP ':'\n2:8 NEWLINE '\\n'\n"
            "3:1 INDENT '    '\n3:5 NAME 'c'\n3:6 NEWLINE '\\n'\n4:1 DEDENT ''\n4:1 DEDENT ''\n4:1 ENDMARKER ''\n");
}

TEST(Lexer, BracketsAndBackslashesJoinLines) {
  EXPECT_EQ(dump("x = (1,  # one\n\n2)\ny = \\\n  3\n").tokens,
            "1:1 NAME 'x'\n1:3 OP '='\n1:5 OP '('\n1:6 NUMBER '1'\n1:7 OP ','\n3:1 NUMBER '2'\n3:2 OP ')'\n"
            "3:3 NEWLINE '\\n'\n4:1 NAME 'y'\n4:3 OP '='\n5:3 NUMBER '3'\n5:4 NEWLINE '\\n'\n6:1 ENDMARKER ''\n");
}

TEST(Lexer, CarriageReturnsByteOrderMarkAndFormFeed) {
  EXPECT_EQ(dump("\xEF\xBB\xBF"
                 "a\r\n  \fb\r\n")
                .tokens,
            "1:1 NAME 'a'\n1:2 NEWLINE '\\r\\n'\n2:4 NAME 'b'\n2:5 NEWLINE '\\r\\n'\n3:1 ENDMARKER ''\n");
}

TEST(Lexer, EmptyTexts) {
  EXPECT_EQ(dump("").tokens, "1:1 ENDMARKER ''\n");
  EXPECT_EQ(dump("\n  \n# only this").tokens, "3:12 ENDMARKER ''\n");
}

TEST(Lexer, TheFirstLineSetsTheBaseOfACutOutFunction) {
  SourceFile file("k.py", "    def f():\n        x\n", 40);
  Diagnostics diagnostics;
  EXPECT_EQ(dumpTokens(file, diagnostics),
            "40:5 NAME 'def'\n40:9 NAME 'f'\n40:10 OP '('\n40:11 OP ')'\n40:12 OP ':'\n40:13 NEWLINE '\\n'\n"
            "41:1 INDENT '        '\n41:9 NAME 'x'\n41:10 NEWLINE '\\n'\n42:1 DEDENT ''\n42:1 ENDMARKER ''\n");
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(Lexer, IndentationThatFitsNoBlock) {
  EXPECT_EQ(dump("if a:\n    b\n  c\n").errors,
            "3:3 this line's indentation matches no block around it: it has 2 columns, the blocks around it have 0\n");
}

TEST(Lexer, TabsMayNotDecideTheDepth) {
  EXPECT_EQ(dump("if a:\n\tb\n\tc\n").errors, "");
  EXPECT_EQ(dump("if a:\n        b\n\tc\n").errors,
            "3:1 tabs and spaces are mixed: how deep this line is would depend on the width of a tab; indent with "
            "spaces only\n");
}

TEST(Lexer, OperatorsTakeTheLongestMatch) {
  EXPECT_EQ(texts("a**=b//=c<<=d...:=->!=@=x**-y"),
            (Strings{"a", "**=", "b", "//=", "c", "<<=", "d", "...", ":=", "->", "!=", "@=", "x", "**", "-", "y"}));
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(texts("0 1_000 0xFF_f 0o17 0b1_0 1.5 1. .5 1e5 1_0.0_1E-3 09.5 1.e3 1..real"),
            (Strings{"0", "1_000", "0xFF_f", "0o17", "0b1_0", "1.5", "1.", ".5", "1e5", "1_0.0_1E-3", "09.5", "1.e3",
                     "1.", ".", "real"}));
  EXPECT_EQ(texts("1if a else 2"), (Strings{"1", "if", "a", "else", "2"}));
  EXPECT_EQ(texts("0x1for x"), (Strings{"0x1f", "or", "x"}));
}

TEST(Lexer, WrongNumbersAreErrorTokens) {
  EXPECT_EQ(dump("0777").errors, "1:1 a decimal number may not start with 0; for octal write '0o777'\n");
  EXPECT_EQ(dump("0b12").errors, "1:1 '2' is no digit of a number in binary\n");
  EXPECT_EQ(dump("0x").errors, "1:1 a number in hexadecimal needs digits after '0x'\n");
  EXPECT_EQ(dump("1__0").errors, "1:1 '1__0' is no number, and a name cannot start with a digit\n");
  EXPECT_EQ(dump("3abc").errors, "1:1 '3abc' is no number, and a name cannot start with a digit\n");
  EXPECT_EQ(dump("2.5j").errors, "1:1 complex numbers are not part of the kernel language\n");
}

TEST(Lexer, StringsOfEveryPrefix) {
  EXPECT_EQ(texts(R"('a\'' "b" r'\\' u"")"), (Strings{R"('a\'')", R"("b")", R"(r'\\')", R"(u"")"}));
  EXPECT_EQ(texts("rb\"c\" Br'd' U\"e\" bR'''f\n'g' ''' xb'h'"),
            (Strings{"rb\"c\"", "Br'd'", "U\"e\"", "bR'''f\n'g' '''", "xb", "'h'"}));
  EXPECT_EQ(texts("'a\\\nb'"), (Strings{"'a\\\nb'"}));
}

TEST(Lexer, StringsThatDoNotEnd) {
  EXPECT_EQ(dump("x = 'abc\ny").errors, "1:5 this string is not closed on its line\n");
  EXPECT_EQ(texts("x = 'abc\ny"), (Strings{"x", "=", "'abc", "y"}));
  Dump triple = dump("x\n'''abc\ny");
  EXPECT_EQ(triple.errors.substr(0, triple.errors.find('\n')), "2:1 this triple-quoted string is never closed");
}

TEST(Lexer, FStringsOpenUp) {
  EXPECT_EQ(dump("f\"a{x!r:>{w}}{{b\"").tokens,
            "1:1 FSTRING_START 'f\"'\n1:3 FSTRING_MIDDLE 'a'\n1:4 OP '{'\n1:5 NAME 'x'\n1:6 OP '!'\n1:7 NAME 'r'\n"
            "1:8 OP ':'\n1:9 FSTRING_MIDDLE '>'\n1:10 OP '{'\n1:11 NAME 'w'\n1:12 OP '}'\n1:13 OP '}'\n"
            "1:14 FSTRING_MIDDLE '{'\n1:16 FSTRING_MIDDLE 'b'\n1:17 FSTRING_END '\"'\n1:18 NEWLINE ''\n"
            "1:18 ENDMARKER ''\n");
}

TEST(Lexer, FStringFieldsHoldAnything) {
  EXPECT_EQ(texts("f'{a!=b}'"), (Strings{"f'", "{", "a", "!=", "b", "}", "'"}));
  EXPECT_EQ(texts("f'{a:=5}'"), (Strings{"f'", "{", "a", ":", "=5", "}", "'"}));
  EXPECT_EQ(texts("f'{d[1:2]}'"), (Strings{"f'", "{", "d", "[", "1", ":", "2", "]", "}", "'"}));
  // Python 3.12 lets a string inside a field use the same quotes.
  EXPECT_EQ(texts("f'{'a' if b else 'c'}'"), (Strings{"f'", "{", "'a'", "if", "b", "else", "'c'", "}", "'"}));
  EXPECT_EQ(texts("f'\\N{DIGIT ONE}{x}'"), (Strings{"f'", "\\N{DIGIT ONE}", "{", "x", "}", "'"}));
}

TEST(Lexer, ABrokenFStringEndsWithItsLine) {
  for (std::string broken : {"f'{x'", "f'{x", "f'a}'", "f'{x:{y}'", "f'{x]}'", "f'{\"}'"}) {
    Dump result = dump("y = " + broken + "\nz\n");
    EXPECT_FALSE(result.errors.empty()) << broken;
    EXPECT_NE(result.tokens.find("2:1 NAME 'z'"), std::string::npos) << broken << "\n" << result.tokens;
  }
}

TEST(Lexer, IdentifiersInAllScripts) {
  EXPECT_EQ(texts("é变量_1 = α"), (Strings{"é变量_1", "=", "α"}));
  EXPECT_EQ(dump("a → b").errors, "1:3 '→' is not part of Python's syntax\n");
  EXPECT_EQ(dump("x = “a”").errors,
            "1:5 '“' is a typographic quote; write ' or \"\n1:9 '”' is a typographic quote; write "
            "' or \"\n");
  EXPECT_EQ(dump("x\xC2\xA0= 1").errors,
            "1:2 an invisible character U+00A0 stands here; replace it with a plain space\n");
  EXPECT_EQ(dump("x = \xFF").errors, "1:5 this byte is not valid UTF-8; save the file as UTF-8\n");
}

TEST(Lexer, BracketsFindTheirPartners) {
  SourceFile file("k.py", "f(a[{1}], (2))");
  std::vector<Token> tokens = lex(file).tokens;
  for (uint32_t i = 0; i < tokens.size(); ++i)
    if (llvm::StringRef("()[]{}").contains(tokens[i].text) && !tokens[i].text.empty())
      EXPECT_EQ(tokens[tokens[i].partner].partner, i);
  EXPECT_EQ(tokens[1].partner, 12u);
}

TEST(Lexer, BracketsThatDoNotMatch) {
  EXPECT_EQ(dump("f(a\nb\n").errors, "1:2 '(' is never closed\n");
  EXPECT_EQ(dump("f(a]\nb\n").errors, "1:4 ']' does not close '('\n");
  EXPECT_EQ(dump("f([a)\nb\n").errors, "1:5 ')' does not close '['\n");
  EXPECT_EQ(dump("a)\n").errors, "1:2 ')' closes nothing: no bracket is open here\n");
  // Each of them leaves the lines behind it in order.
  EXPECT_EQ(texts("f([a)\nb"), (Strings{"f", "(", "[", "a", ")", "b"}));
}

TEST(Lexer, DeepFStringsAreAnErrorAndNoCrash) {
  std::string text, tail;
  for (int i = 0; i < 5000; ++i) {
    text += "f'{";
    tail += "}'";
  }
  EXPECT_NE(dump("x = " + text + "1" + tail).errors.find("more than 100 levels of nesting"), std::string::npos);
}
