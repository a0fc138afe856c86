// What the parser says, and where, about the mistakes that people make.
#include "frontend/syntax/Parser.h"

#include "gtest/gtest.h"

using namespace tilewise;
using namespace tilewise::frontend;

namespace {
/// "LINE:COLUMN message" for each error of a function whose body is `body`; its first line is line
/// 2, indented by 4.
std::string errors(const std::string &body) {
  SourceFile file("k.py", "def k(x):\n    " + body + "\n");
  Diagnostics diagnostics;
  dumpAst(file, "", diagnostics);
  std::string text;
  for (const Diagnostic &error : diagnostics.all())
    text += (text.empty() ? "" : "\n") + std::to_string(error.loc.line) + ":" + std::to_string(error.loc.column) + " " +
            error.message;
  return text;
}
} // namespace

TEST(ParserError, SeveralInOneRun) {
  EXPECT_EQ(errors("a = = 1\n    b = 2\n    return x y\n    c = 4 +"),
            "2:9 expected an expression after '=', found '='\n"
            "4:14 expected the end of the statement, found 'y'\n"
            "5:12 expected an expression after '+', found the end of the line");
}

TEST(ParserError, StepsLeftToFillIn) {
  EXPECT_EQ(errors("for i in range(3):\n        # add up\n        # and so on\n    return x"),
            "3:9 fill in this step: the loop body has no statement; write one, or 'pass'");
  EXPECT_EQ(errors("# the kernel goes here"),
            "2:5 fill in this step: the function body has no statement; write one, or 'pass'");
  EXPECT_EQ(errors("if x:\n    # outside\n    return x"),
            "2:5 the body of 'if' is missing: the lines after 'if' must be "
            "indented deeper than it; write a statement there, or 'pass'");
}

TEST(ParserError, MissingColons) {
  EXPECT_EQ(errors("if x > 3  # yes\n        y = 1\n    else:\n        y = 2\n    return y"),
            "2:13 ':' is missing at the end of this line with 'if'");
  EXPECT_EQ(errors("for i in range(4)\n        y = 1"), "2:22 ':' is missing at the end of this line with 'for'");
  EXPECT_EQ(errors("while x y:\n        pass"), "2:13 expected ':' at the end of this line with 'while', found 'y'");
}

TEST(ParserError, BracketsPointAtTheirOpener) {
  EXPECT_EQ(errors("y = f(x, (1, 2)\n    return y"), "2:10 '(' is never closed");
  EXPECT_EQ(errors("y = f(x, [1, 2)\n    return y"), "2:19 ')' does not close '['");
  SourceFile file("k.py", "def k():\n    y = [1,\n         2 3]\n");
  Diagnostics diagnostics;
  dumpAst(file, "k", diagnostics);
  EXPECT_EQ(diagnostics.render(), "k.py:3:12: error: expected ',' or ']', found '3'\n"
                                  "    3 |          2 3]\n"
                                  "      |            ^\n"
                                  "note: '[' was opened here: k.py:2:9\n");
}

TEST(ParserError, AssignmentWhereAComparisonIsMeant) {
  EXPECT_EQ(errors("if x = 3: pass"), "2:10 '=' assigns; to compare, write '=='");
  EXPECT_EQ(errors("y = 1 if x = 3 else 2"), "2:16 '=' assigns; to compare, write '=='");
  EXPECT_EQ(errors("assert x = 3"), "2:14 '=' assigns; to compare, write '=='");
  EXPECT_EQ(errors("while (x = 3): pass"),
            "2:14 '=' assigns, and is not allowed inside brackets; to compare, write '=='");
}

TEST(ParserError, HabitsFromOtherLanguages) {
  EXPECT_EQ(errors("print x"), "2:5 this is Python 2's 'print' statement: write 'print(...)'");
  EXPECT_EQ(errors("y = x && x"), "2:11 '&&' is not a Python operator: write 'and', or '&' between blocks");
  EXPECT_EQ(errors("x++"), "2:6 '++' is not a Python operator: write '+= 1'");
  EXPECT_EQ(errors("y = !x"), "2:9 '!' is not a Python operator: write 'not'");
  EXPECT_EQ(errors("y = x <> 1"), "2:11 '<>' is not a Python 3 operator: write '!='");
  EXPECT_EQ(errors("if x: y\n    else if y: z"), "3:5 'else if' is written 'elif' in Python");
  EXPECT_EQ(errors("try: y\n    except A, B: z"), "3:13 several exceptions need parentheses: 'except (A, B):'");
}

TEST(ParserError, Targets) {
  EXPECT_EQ(errors("f(x) = 3"),
            "2:5 the left of '=' cannot be a call: it is a name, 'x.attr', 'x[i]' or a tuple of these");
  EXPECT_EQ(errors("a, None = 3"),
            "2:8 the left of '=' cannot be None: it is a name, 'x.attr', 'x[i]' or a tuple of these");
  EXPECT_EQ(errors("a, b += 3"), "2:5 the left of '+=' cannot be a tuple: it is a name, 'x.attr' or 'x[i]'");
  EXPECT_EQ(errors("for 1 in x: pass"),
            "2:9 the target of 'for' cannot be a literal: it is a name, 'x.attr', 'x[i]' or a tuple of these");
}

TEST(ParserError, Arguments) {
  EXPECT_EQ(errors("f(a=1, 2)"),
            "2:12 a positional argument follows a keyword argument; positional arguments come first");
  EXPECT_EQ(errors("f(a.b=1)"), "2:10 the name of a keyword argument must be a plain name; to compare, write '=='");
  EXPECT_EQ(errors("f(a for a in b, c)"), "2:7 a generator among other arguments needs its own parentheses");
}

TEST(ParserError, Parameters) {
  EXPECT_EQ(errors("def g(a, a): pass"), "2:14 two parameters are named 'a'");
  EXPECT_EQ(errors("def g(a=1, b): pass"), "2:16 'b' needs a default, since a parameter before it has one");
  EXPECT_EQ(errors("def g(*, **k): pass"), "2:11 named parameters must follow a bare '*'");
  EXPECT_EQ(errors("def g(a, ...): pass"), "2:14 '...' stands where parameters belong: name the parameters");
}

TEST(ParserError, Indentation) {
  EXPECT_EQ(errors("y = 1\n        z = 2\n    return y"),
            "3:9 this line is indented deeper than the block it stands in");
  EXPECT_EQ(errors("else:\n        pass"),
            "2:5 'else' has no 'if', 'for', 'while' or 'try' of the same indentation before it");
}

TEST(ParserError, Literals) {
  EXPECT_EQ(errors("y = '\\x1'"), "2:9 '\\x' needs 2 hexadecimal digits");
  EXPECT_EQ(errors("y = 'a' b'c'"), "2:13 a string and a bytes literal cannot be joined");
  EXPECT_EQ(errors("y = f'{}'"), "2:12 f-string: an expression is missing between the braces");
  EXPECT_EQ(errors("y = 1j"), "2:9 complex numbers are not part of the kernel language");
}

TEST(ParserError, AnUnknownFunctionSaysWhatMayHaveHiddenIt) {
  SourceFile file("k.py", "@broken(\ndef)\ndef k(x): pass\n");
  Diagnostics diagnostics;
  EXPECT_EQ(dumpAst(file, "k", diagnostics), "");
  EXPECT_EQ(diagnostics.render(), "error: 'k.py' has no function 'k'\n"
                                  "note: this statement cannot be parsed: expected an expression, found the keyword "
                                  "'def': k.py:2:1\n");
}
