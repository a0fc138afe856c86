// A seed -> a random valid kernel.
#include "Generate.h"

#include "Coverage.h"
#include "Grammar.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tilewise::random {

Sketch generate(uint64_t seed) {
  Builder builder(seed);
  const std::vector<Cell> &all = cells();
  // A stride that shares no factor with the count visits every cell, neighbours in the table far
  // apart.
  size_t stride = all.size() * 5 / 13;
  while (std::gcd(stride, all.size()) != 1)
    ++stride;
  auto make = [&](const Cell &cell) { cell.row->make(builder, *cell.type); };
  // Of the rows, few are loops and branches; of what can go wrong, much is in them.
  static const std::vector<Cell> control = [&] {
    std::vector<Cell> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [](const Cell &cell) { return cell.row->isControl; });
    return some;
  }();
  auto makeAny = [&] { make(builder.random.of(builder.random.chance(15) ? control : all)); };
  const Cell &first = all[2 * seed % all.size() * stride % all.size()],
             &second = all[(2 * seed + 1) % all.size() * stride % all.size()];
  make(first);
  for (int extra = builder.random.between(0, 3); extra > 0; --extra)
    makeAny();
  make(second);
  for (int extra = builder.random.between(0, 2); extra > 0; --extra)
    makeAny();
  builder.finish();
  // What only a dead statement inside a loop has used is seen by nobody.
  for (const Cell *cell : {&first, &second}) {
    const std::vector<const Statement *> live = liveStatements(builder.sketch);
    if (std::none_of(live.begin(), live.end(),
                     [&](const Statement *s) { return s->op == cell->row->op && s->type == cell->type; })) {
      make(*cell);
      builder.finish();
    }
  }
  return std::move(builder.sketch);
}

} // namespace tilewise::random
