// Rows of a profile, added up, printed and merged.
#include "runtime/profile/Rows.h"

#include "runtime/Device.h"
#include "runtime/bench/Ceilings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace tilewise::profile {

llvm::StringRef nameOf(Kind kind) {
  switch (kind) {
  case Kind::Compile:
    return "compile";
  case Kind::Recall:
    return "recall";
  case Kind::Tune:
    return "tune";
  case Kind::Launch:
    return "launch";
  case Kind::Copy:
    return "copy";
  }
  return "launch";
}

void Rows::add(llvm::StringRef kind, llvm::StringRef name, llvm::StringRef device, const Row &row) {
  Row &known = rows_[{kind.str(), name.str(), device.str()}];
  known.fastest = known.count ? std::min(known.fastest, row.fastest) : row.fastest;
  known.count += row.count;
  known.seconds += row.seconds;
  known.bytes += row.bytes;
  known.secondsOfBytes += row.secondsOfBytes;
}

void Rows::add(const Rows &other) {
  for (const auto &[key, row] : other.rows_)
    add(std::get<0>(key), std::get<1>(key), std::get<2>(key), row);
}

llvm::json::Value Rows::toJson() const {
  llvm::json::Array list;
  for (const auto &[key, row] : rows_)
    list.push_back(llvm::json::Object{{"kind", std::get<0>(key)},
                                      {"name", std::get<1>(key)},
                                      {"device", std::get<2>(key)},
                                      {"count", int64_t(row.count)},
                                      {"seconds", row.seconds},
                                      {"fastest", row.fastest},
                                      {"bytes", int64_t(row.bytes)},
                                      {"secondsOfBytes", row.secondsOfBytes}});
  return list;
}

Rows Rows::fromJson(const llvm::json::Value &value) {
  Rows rows;
  const llvm::json::Array *list = value.getAsArray();
  for (size_t i = 0; list && i < list->size(); ++i)
    if (const llvm::json::Object *one = (*list)[i].getAsObject()) {
      auto text = [&](llvm::StringRef key) { return one->getString(key).value_or(""); };
      auto number = [&](llvm::StringRef key) { return one->getNumber(key).value_or(0); };
      rows.add(text("kind"), text("name"), text("device"),
               Row{uint64_t(number("count")), number("seconds"), number("fastest"), uint64_t(number("bytes")),
                   number("secondsOfBytes")});
    }
  return rows;
}

/// "1.23 s", "45.6 ms", "7.89 us"
static std::string timeText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds >= 1)
    os << llvm::format("%.2f s", seconds);
  else if (seconds >= 1e-3)
    os << llvm::format("%.2f ms", seconds * 1e3);
  else
    os << llvm::format("%.2f us", seconds * 1e6);
  return text;
}

static std::string bytesText(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes >= 1'000'000'000)
    os << llvm::format("%.2f GB", double(bytes) / 1e9);
  else
    os << llvm::format("%.2f MB", double(bytes) / 1e6);
  return text;
}

std::string Rows::print() const {
  std::vector<std::pair<Key, Row>> sorted(rows_.begin(), rows_.end());
  // Ties by name, so that the table is always the same.
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.second.seconds != b.second.seconds ? a.second.seconds > b.second.seconds : a.first < b.first;
  });
  std::vector<std::vector<std::string>> lines = {
      {"what", "name", "device", "calls", "total", "mean", "fastest", "bytes", "GB/s", "of peak"}};
  for (const auto &[key, row] : sorted) {
    const auto &[kind, name, device] = key;
    std::string rate, share;
    llvm::raw_string_ostream rateStream(rate), shareStream(share);
    if (row.bytes && row.secondsOfBytes > 0) {
      const double reached = double(row.bytes) / row.secondsOfBytes / 1e9;
      rateStream << llvm::format("%.1f", reached);
      Result<tw_device> parsed = parseDevice(device);
      if (std::optional<bench::Ceilings> known = parsed ? bench::knownCeilings(*parsed) : std::nullopt;
          known && kind == "launch")
        shareStream << llvm::format("%.0f %%", 100 * reached / known->gigabytesPerSecond);
    }
    lines.push_back({kind, name, device, std::to_string(row.count), timeText(row.seconds),
                     timeText(row.seconds / double(std::max<uint64_t>(1, row.count))), timeText(row.fastest),
                     row.bytes ? bytesText(row.bytes) : "", rate, share});
  }
  std::vector<size_t> widths(lines.front().size());
  for (const auto &line : lines)
    for (auto [i, cell] : llvm::enumerate(line))
      widths[i] = std::max(widths[i], cell.size());
  std::string text;
  for (const auto &line : lines) {
    std::string out;
    for (auto [i, cell] : llvm::enumerate(line)) {
      const std::string pad(widths[i] - cell.size(), ' ');
      // Words to the left, numbers to the right.
      out += (i ? "  " : "") + (i < 3 ? cell + pad : pad + cell);
    }
    text += llvm::StringRef(out).rtrim().str() + "\n";
  }
  return text;
}

std::string mergeTraces(std::span<const std::string> traces, std::string &table) {
  Rows rows;
  llvm::json::Array events;
  int64_t leftOut = 0;
  for (const std::string &trace : traces) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(trace);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    llvm::json::Object *object = parsed->getAsObject();
    if (!object)
      continue;
    if (const llvm::json::Value *own = object->get("tilewiseRows"))
      rows.add(Rows::fromJson(*own));
    leftOut += object->getInteger("eventsLeftOut").value_or(0);
    if (llvm::json::Array *list = object->getArray("traceEvents"))
      for (llvm::json::Value &event : *list)
        events.push_back(std::move(event));
  }
  table = rows.print();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(llvm::json::Object{{"traceEvents", std::move(events)},
                                             {"displayTimeUnit", "ms"},
                                             {"eventsLeftOut", leftOut},
                                             {"tilewiseRows", rows.toJson()}});
  return text;
}

} // namespace tilewise::profile
