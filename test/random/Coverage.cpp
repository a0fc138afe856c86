// Which cells of op by type have been run and agreed.
#include "Coverage.h"

#include <set>

namespace tilewise::random {
namespace {

/// Backwards over a block: what is wanted grows as statements that give it are met.
void markBlock(const std::vector<Statement> &block, std::set<int> &wanted, std::vector<const Statement *> &live) {
  for (auto s = block.rbegin(); s != block.rend(); ++s) {
    bool isLive = hasEffect(*s);
    for (int result : s->results)
      isLive |= wanted.count(result) > 0;
    if (!isLive)
      continue;
    live.push_back(&*s);
    wanted.insert(s->operands.begin(), s->operands.end());
    wanted.insert(s->carried.begin(), s->carried.end());
    wanted.insert(s->yields.begin(), s->yields.end());
    wanted.insert(s->otherwiseYields.begin(), s->otherwiseYields.end());
    markBlock(s->body, wanted, live);
    markBlock(s->otherwise, wanted, live);
  }
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

} // namespace

std::vector<const Statement *> liveStatements(const Sketch &sketch) {
  std::vector<const Statement *> live;
  std::set<int> wanted;
  markBlock(sketch.statements, wanted, live);
  return live;
}

void Coverage::add(const Sketch &sketch) {
  for (const Statement *statement : liveStatements(sketch))
    ++counts_[{statement->op, statement->type}];
}

std::vector<std::string> Coverage::emptyCells() const {
  std::vector<std::string> empty;
  for (const Cell &cell : cells())
    if (!counts_.count({cell.row->op, cell.type}))
      empty.push_back(cell.row->op + " x " + cell.type->name);
  return empty;
}

std::string Coverage::table(const std::string &engine) const {
  std::string text = padded(engine, 32);
  for (const ElementType &type : test::elementTypes())
    text += " " + padded(type.name, 5);
  size_t filled = 0;
  for (const Row &row : rows()) {
    text += "\n" + padded(row.op, 32);
    for (const ElementType &type : test::elementTypes()) {
      auto count = counts_.find({row.op, &type});
      filled += count != counts_.end() && row.takes(type);
      text += " " + padded(!row.takes(type)         ? "-"
                           : count == counts_.end() ? "EMPTY"
                                                    : std::to_string(count->second),
                           std::max<size_t>(5, std::string(type.name).size()));
    }
  }
  return text + "\n" + std::to_string(rows().size()) + " ops by " + std::to_string(test::elementTypes().size()) +
         " types: " + std::to_string(filled) + " of " + std::to_string(cells().size()) +
         " cells that the language has were run on " + engine + " and the reference engine\n";
}

} // namespace tilewise::random
