// The three forms of a report.
#include "runtime/bench/PerfReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace tilewise::bench {

void PerfReport::add(const std::string &line, double x, double y, std::optional<std::pair<double, double>> bounds) {
  auto found = llvm::find_if(lines_, [&](const Line &one) { return one.name == line; });
  if (found == lines_.end())
    found = lines_.insert(lines_.end(), Line{line, {}});
  found->points.push_back({x, y, bounds});
}

std::vector<double> PerfReport::xs() const {
  std::set<double> all;
  for (const Line &line : lines_)
    for (const Point &point : line.points)
      all.insert(point.x);
  return {all.begin(), all.end()};
}

const PerfReport::Point *PerfReport::find(const Line &line, double x) const {
  auto found = llvm::find_if(line.points, [&](const Point &point) { return point.x == x; });
  return found == line.points.end() ? nullptr : &*found;
}

/// As few digits as tell it: 1024, 0.5, 38.25.
static std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

static std::string quoted(llvm::StringRef cell) {
  if (cell.find_first_of(",\"\n") == llvm::StringRef::npos)
    return cell.str();
  std::string text = "\"";
  for (char c : cell)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string PerfReport::csv() const {
  std::string text = quoted(labels_.x);
  for (const Line &line : lines_)
    text += "," + quoted(line.name + (labels_.y.empty() ? "" : " (" + labels_.y + ")"));
  text += "\n";
  for (double x : xs()) {
    text += numberText(x);
    for (const Line &line : lines_) {
      const Point *point = find(line, x);
      text += "," + (point ? numberText(point->y) : "");
    }
    text += "\n";
  }
  return text;
}

std::string PerfReport::json() const {
  llvm::json::Array lines;
  for (const Line &line : lines_) {
    llvm::json::Array points;
    for (const Point &point : line.points) {
      llvm::json::Object one{{"x", point.x}, {"y", point.y}};
      if (point.bounds) {
        one["low"] = point.bounds->first;
        one["high"] = point.bounds->second;
      }
      points.push_back(std::move(one));
    }
    lines.push_back(llvm::json::Object{{"name", line.name}, {"points", std::move(points)}});
  }
  return llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{
                           {"title", labels_.title}, {"x", labels_.x}, {"y", labels_.y}, {"lines", std::move(lines)}}))
      .str();
}

static std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

/// Values -> places along one side of the plot, and where its marks are.
struct PerfReport::Axis {
  double low = 0, high = 1, from, to;
  bool isLog;
  std::vector<double> marks;

  Axis(std::vector<double> values, double from, double to, bool isLog, bool fromZero) : from(from), to(to) {
    llvm::erase_if(values, [](double value) { return !std::isfinite(value); });
    this->isLog = isLog && !values.empty() && *std::min_element(values.begin(), values.end()) > 0;
    if (values.empty())
      values = {0, 1};
    low = *std::min_element(values.begin(), values.end());
    high = *std::max_element(values.begin(), values.end());
    if (this->isLog)
      markDecades();
    else
      markSteps(fromZero);
  }

  double place(double value) const {
    const double share =
        isLog ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : (value - low) / (high - low);
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }

private:
  void markDecades() {
    if (low == high)
      low /= 2, high *= 2;
    // Powers of ten, or of two where the values lie within few of those.
    const double base = high / low < 200 ? 2 : 10;
    for (double mark = std::pow(base, std::ceil(std::log(low) / std::log(base) - 1e-9)); mark <= high * (1 + 1e-9);
         mark *= base)
      marks.push_back(mark);
  }
  void markSteps(bool fromZero) {
    if (fromZero && low > 0)
      low = 0;
    if (low == high)
      high = low + 1;
    const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (double factor : {5.0, 2.5, 2.0, 1.0})
      if (factor * power >= rough)
        step = factor * power;
    if (fromZero)
      high = std::ceil(high / step - 1e-9) * step;
    for (double mark = std::ceil(low / step - 1e-9) * step; mark <= high + step * 1e-6; mark += step)
      marks.push_back(std::abs(mark) < step * 1e-6 ? 0 : mark);
  }
};

std::string PerfReport::svg() const {
  constexpr double kLeft = 70, kRight = 700, kTop = 20, kBottom = 360;
  std::vector<double> values;
  for (const Line &line : lines_)
    for (const Point &point : line.points) {
      values.push_back(point.y);
      if (point.bounds)
        values.insert(values.end(), {point.bounds->first, point.bounds->second});
    }
  const Axis x(xs(), kLeft, kRight, labels_.isLogX, /*fromZero=*/false);
  const Axis y(values, kBottom, kTop, labels_.isLogY, /*fromZero=*/true);
  std::string text;
  llvm::raw_string_ostream os(text);
  auto at = [&](double px, double py) { return llvm::formatv("{0:F1},{1:F1}", px, py).str(); };
  os << "<svg viewBox=\"0 0 720 430\" role=\"img\" aria-label=\"" << escaped(labels_.title) << "\">\n";
  for (double mark : y.marks)
    os << llvm::formatv(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:F1}\" y2=\"{2:F1}\"/><text x=\"{3}\" y=\"{4:F1}\" "
        "text-anchor=\"end\">{5}</text>\n",
        kLeft, kRight, y.place(mark), kLeft - 8, y.place(mark) + 4, numberText(mark));
  for (double mark : x.marks)
    os << llvm::formatv(
        "<line class=\"grid\" x1=\"{0:F1}\" x2=\"{0:F1}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:F1}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        x.place(mark), kTop, kBottom, kBottom + 18, numberText(mark));
  os << llvm::formatv("<text class=\"label\" x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>\n",
                      (kLeft + kRight) / 2, kBottom + 42, escaped(labels_.x))
     << llvm::formatv(
            "<text class=\"label\" transform=\"translate(16 {0}) rotate(-90)\" text-anchor=\"middle\">{1}</text>\n",
            (kTop + kBottom) / 2, escaped(labels_.y));
  for (auto [number, line] : llvm::enumerate(lines_)) {
    std::vector<Point> points = line.points;
    llvm::sort(points, [](const Point &a, const Point &b) { return a.x < b.x; });
    std::string path, band, back;
    for (const Point &point : points) {
      path += (path.empty() ? "" : " ") + at(x.place(point.x), y.place(point.y));
      if (point.bounds) {
        band += (band.empty() ? "" : " ") + at(x.place(point.x), y.place(point.bounds->first));
        back = " " + at(x.place(point.x), y.place(point.bounds->second)) + back;
      }
    }
    os << "<g class=\"line" << number % 6 << "\">";
    if (!band.empty())
      os << "<polygon points=\"" << band << back << "\"/>";
    os << "<polyline points=\"" << path << "\"/>";
    for (const Point &point : points)
      os << llvm::formatv("<circle cx=\"{0:F1}\" cy=\"{1:F1}\" r=\"3\"><title>{2}: {3}, {4}</title></circle>",
                          x.place(point.x), y.place(point.y), escaped(line.name), numberText(point.x),
                          numberText(point.y));
    os << "</g>\n";
  }
  os << "</svg>\n<p class=\"legend\">";
  for (auto [number, line] : llvm::enumerate(lines_))
    os << "<span class=\"line" << number % 6 << "\">&#9632; " << escaped(line.name) << "</span> ";
  os << "</p>\n";
  return text;
}

std::string PerfReport::table() const {
  std::string text = "<table><tr><th>" + escaped(labels_.x) + "</th>";
  for (const Line &line : lines_)
    text += "<th>" + escaped(line.name) + "</th>";
  text += "</tr>\n";
  for (double x : xs()) {
    text += "<tr><td>" + numberText(x) + "</td>";
    for (const Line &line : lines_) {
      const Point *point = find(line, x);
      text += "<td>" + (point ? numberText(point->y) : "") + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string PerfReport::html() const {
  static constexpr const char *kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
:root { --back: #fff; --text: #222; --grid: #ddd; --c0: #0b62c4; --c1: #c2410c; --c2: #15803d; --c3: #7c3aed; --c4: #b91c6b; --c5: #64748b }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e4e4e4; --grid: #3a3d44; --c0: #6db3ff; --c1: #ff9a5c; --c2: #5fd38a; --c3: #b79cff; --c4: #ff8ac4; --c5: #a8b3c2 } }
body { background: var(--back); color: var(--text); font: 15px system-ui, sans-serif; max-width: 760px; margin: 2em auto; padding: 0 1em }
svg { width: 100%; height: auto } svg text { fill: var(--text); font-size: 12px } svg .label { font-size: 13px }
.grid { stroke: var(--grid) } polyline { fill: none; stroke: currentColor; stroke-width: 2 } circle { fill: currentColor } polygon { fill: currentColor; opacity: .15 }
.line0 { color: var(--c0) } .line1 { color: var(--c1) } .line2 { color: var(--c2) } .line3 { color: var(--c3) } .line4 { color: var(--c4) } .line5 { color: var(--c5) }
.legend span { margin-right: 1em } table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: right; border-bottom: 1px solid var(--grid) }
</style>
)";
  return std::string(kHead) + "<title>" + escaped(labels_.title) + "</title></head><body>\n<h1>" +
         escaped(labels_.title) + "</h1>\n" + svg() + table() + "</body></html>\n";
}

Result<void> PerfReport::write(const std::string &path) const {
  const llvm::StringRef end = llvm::StringRef(path).rsplit('.').second;
  std::string text;
  if (end == "csv")
    text = csv();
  else if (end == "json")
    text = json();
  else if (end == "html")
    text = html();
  else
    return launchFailure("a report is written to a file that ends in .csv, .json or .html; got '" + path + "'");
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return launchFailure("cannot write '" + path + "': " + error.message());
  return {};
}

} // namespace tilewise::bench
