// The head of a kernel's file: what a launch needs, one comment per fact, written and read back.
#include "Emit.h"

#include <cstdio>
#include <sstream>

namespace tilewise::random {

static constexpr const char *kFills[] = {"wild", "moderate", "small", "index", "near-index", "permutation", "poison"};

std::string Emitted::file() const {
  std::ostringstream out;
  out << "#random seed " << seed << " grid " << grid[0] << " " << grid[1] << " fusion " << fusion << " checked "
      << checked << " machine " << (machine.empty() ? "host" : machine) << " warps " << warps << " stages " << stages
      << "\n";
  for (const BufferPlan &plan : buffers) {
    char bound[96];
    std::snprintf(bound, sizeof bound, "ulps %.17g within %.17g", plan.buffer.facts.ulps, plan.buffer.facts.within);
    out << "#random buffer " << plan.name << " " << plan.buffer.type->name << " id " << plan.id << " fill "
        << kFills[int(plan.buffer.fill)] << " limit " << plan.limit << " count " << plan.count << " aligned "
        << plan.aligned << " written " << plan.buffer.written << " exact " << plan.buffer.facts.exact << " raw "
        << plan.buffer.facts.raw << " " << bound << "\n";
  }
  for (const ScalarPlan &scalar : scalars)
    out << "#random scalar " << scalar.name << " " << scalar.value << " constant " << scalar.isConstant << "\n";
  return out.str() + text;
}

std::string Emitted::read(const std::string &file) {
  *this = Emitted();
  text = file;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#random ", 0) != 0)
      continue;
    std::istringstream words(line.substr(8));
    std::string kind, word;
    words >> kind;
    if (kind == "seed") {
      words >> seed >> word >> grid[0] >> grid[1] >> word >> fusion >> word >> checked >> word >> machine >> word >>
          warps >> word >> stages;
      if (machine == "host")
        machine.clear();
    } else if (kind == "buffer") {
      BufferPlan plan;
      std::string type, fill;
      words >> plan.name >> type >> word >> plan.id >> word >> fill >> word >> plan.limit >> word >> plan.count >>
          word >> plan.aligned >> word >> plan.buffer.written >> word >> plan.buffer.facts.exact >> word >>
          plan.buffer.facts.raw >> word >> plan.buffer.facts.ulps >> word >> plan.buffer.facts.within;
      plan.buffer.type = test::findType(type);
      for (int k = 0; k < int(std::size(kFills)); ++k)
        if (fill == kFills[k])
          plan.buffer.fill = Fill(k);
      if (!plan.buffer.type)
        return "there is no type '" + type + "'";
      buffers.push_back(std::move(plan));
    } else if (kind == "scalar") {
      ScalarPlan scalar;
      words >> scalar.name >> scalar.value >> word >> scalar.isConstant;
      scalars.push_back(std::move(scalar));
    }
    if (!words)
      return "this line is incomplete: " + line;
  }
  return buffers.empty() ? "the file has no '#random buffer' lines" : "";
}

} // namespace tilewise::random
