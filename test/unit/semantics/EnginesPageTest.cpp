// docs/engines.md is what the engines do: operation by element type by engine, with what is refused
// and in which words.
//
// What the language refuses is in the coverage table, and CoverageTest.cpp holds the reference and
// the CPU engine to it, cell by cell. So only the NVIDIA engine is asked here, for PTX, which needs
// no GPU. It is asked in a child process, whose death is a cell like any other:
//
//     child 1: cells 0 ... 340, dies          cell 341 is `crash`
//     child 2: cells 342 ...
//
// TILEWISE_UPDATE=1 writes the page; that is what dev/pages does.
#include "Coverage.h"
#include "TestRoot.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace tilewise::test {
namespace {

struct Cell {
  enum class State { Works, Refused, RefusedByNvidia, Crashes };
  State state = State::Crashes;
  std::string message; ///< Of what is refused.
};

std::string signatureOf(const Probe &probe) {
  std::string text;
  for (const std::vector<Column> *columns : {&probe.inputs, &probe.outputs})
    for (const Column &column : *columns)
      text += std::string(text.empty() ? "*" : ", *") + tw_dtype_name(tw_dtype(column.type->storage));
  return text;
}

/// "error: tl.dot takes ints" of a whole report, without the place in the text; empty when there is
/// no error.
std::string errorOf(const Probe &probe, const char *stage, const char *target) {
  try {
    Kernel::fromSource(textOf(probe), "cell", "cell.py").emit(stage, signatureOf(probe), target);
  } catch (const InternalError &) {
    throw;
  } catch (const Error &error) {
    std::istringstream lines(error.what());
    std::string line;
    std::getline(lines, line);
    size_t at = line.find("error: ");
    return at == std::string::npos ? line : line.substr(at + 7);
  }
  return "";
}

Cell ask(const Probe &probe) {
  if (!probe.error.empty())
    return {Cell::State::Refused, errorOf(probe, "tile", "cpu")};
  try {
    std::string message = errorOf(probe, "ptx", "cuda:90");
    return {message.empty() ? Cell::State::Works : Cell::State::RefusedByNvidia, message};
  } catch (const InternalError &) { // Its words may be garbage, and others each time.
    return {Cell::State::Crashes, ""};
  }
}

/// Asks about the cells from `first` on in a child, until it dies or has come to the end; gives how
/// many it told of.
size_t askInChild(const std::vector<Probe> &probes, size_t first, std::vector<Cell> &cells) {
  int ends[2];
  if (pipe(ends) != 0)
    return 0;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!std::freopen("/dev/null", "w", stderr))
      _exit(1);
    for (size_t i = first; i < probes.size(); ++i) {
      alarm(60); // A compiler that does not end dies, too.
      Cell cell = ask(probes[i]);
      std::string line = std::to_string(int(cell.state)) + cell.message + "\n";
      if (write(ends[1], line.data(), line.size()) != ssize_t(line.size()))
        _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string told;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    told.append(buffer, size_t(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  std::istringstream lines(told);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    cells[first + count] = {Cell::State(line[0] - '0'), line.substr(1)};
  return count;
}

std::vector<Cell> askAll(const std::vector<Probe> &probes) {
  std::vector<Cell> cells(probes.size());
  for (size_t next = 0; next < probes.size(); ++next) // Past the cell that killed the child.
    next += askInChild(probes, next, cells);
  return cells;
}

/// Text inside a table.
std::string inTable(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

/// The message with TYPE for the type's names, "int8" and "i8": "got fp16 and fp16" and "got fp32
/// and fp32" are one refusal.
std::string withoutType(std::string message, const ElementType &type) {
  for (const char *name : {type.language, type.name})
    message = std::regex_replace(message, std::regex(std::string("\\b") + name + "\\b"), "TYPE");
  return message;
}

/// The types of a row that share a state and a message, in one line of the second table.
std::string linesOfRefusals(const CoverageRow &row, const Cell *cells) {
  // Engines and message, types.
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (size_t n = 0; n < elementTypes().size(); ++n) {
    if (cells[n].state == Cell::State::Works)
      continue;
    std::string key = cells[n].state == Cell::State::Refused ? "all | " : "NVIDIA | ";
    key += cells[n].state == Cell::State::Crashes ? "the compiler dies"
                                                  : inTable(withoutType(cells[n].message, elementTypes()[n]));
    auto known = std::find_if(found.begin(), found.end(), [&](const auto &one) { return one.first == key; });
    if (known == found.end())
      known = found.insert(found.end(), {key, {}});
    known->second.push_back(elementTypes()[n].name);
  }
  std::string text;
  for (const auto &[key, types] : found) {
    std::string names;
    for (const std::string &type : types)
      names += (names.empty() ? "" : ", ") + type;
    text += "| `" + inTable(row.name) + "` | " + (types.size() == elementTypes().size() ? "all" : names) + " | " + key +
            " |\n";
  }
  return text;
}

std::string section(const std::string &title, const std::vector<CoverageRow> &rows) {
  const size_t width = elementTypes().size();
  std::vector<Probe> probes;
  for (const CoverageRow &row : rows)
    for (const ElementType &type : elementTypes())
      probes.push_back(row.probe(type));
  std::vector<Cell> cells = askAll(probes);
  std::string header = "| operation |", rule = "|---|", table, refusals;
  for (const ElementType &type : elementTypes()) {
    header += std::string(" ") + type.name + " |";
    rule += "---|";
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    table += "| `" + inTable(rows[r].name) + "` |";
    for (size_t n = 0; n < width; ++n) {
      static const char *const marks[] = {" + |", " - |", " h |", " crash |"};
      table += marks[int(cells[r * width + n].state)];
    }
    table += "\n";
    refusals += linesOfRefusals(rows[r], cells.data() + r * width);
  }
  return "\n## " + title + "\n\n" + header + "\n" + rule + "\n" + table + "\n### What is refused\n\n" +
         "| operation | element types | engines | message |\n|---|---|---|---|\n" + refusals;
}

TEST(EnginesPage, IsUpToDate) {
  std::string page = "# Engines\n\n"
                     "Which engine supports which operation for which element type. `dev/pages` generates this page: "
                     "the reference and "
                     "the CPU engine run every cell\nand compare its result (`test/unit/semantics/CoverageTest.cpp`); "
                     "the NVIDIA engine "
                     "compiles it to PTX for capability 9.0, and its results are\ncompared on machines with a GPU. A "
                     "test keeps the page "
                     "up to date. [semantics.md](semantics.md) defines each operation.\n\n"
                     "| mark | |\n|---|---|\n"
                     "| `+` | every engine supports it |\n"
                     "| `-` | the language refuses it, on every engine |\n"
                     "| `h` | the reference and CPU engines support it; the NVIDIA engine refuses it |\n"
                     "| `crash` | the reference and CPU engines support it; the NVIDIA engine's compiler fails |\n";
  page += section("Element by element", elementwiseRows());
  page += section("Blocks and memory", blockRows());
  if (std::getenv("TILEWISE_UPDATE")) {
    std::ofstream(rootPath("docs/engines.md")) << page;
    return;
  }
  EXPECT_TRUE(readRootFile("docs/engines.md") == page) << "docs/engines.md is not up to date: run dev/pages";
}

} // namespace
} // namespace tilewise::test
