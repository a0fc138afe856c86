// Measurements as a table and a plot: CSV, JSON, and one HTML page that needs nothing beside it.
#pragma once

#include "support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::bench {

class PerfReport {
public:
  struct Labels {
    std::string title;
    std::string x, y; ///< With their units: "n", "GB/s".
    bool isLogX = false, isLogY = false;
  };
  explicit PerfReport(Labels labels) : labels_(std::move(labels)) {}

  /// One point of a line; the bounds are shown as a band, where they are known.
  void add(const std::string &line, double x, double y, std::optional<std::pair<double, double>> bounds = {});

  std::string csv() const;
  std::string json() const;
  /// A page with the plot as inline SVG and the table, for light and dark screens.
  std::string html() const;
  /// By the path's end: .csv, .json or .html.
  Result<void> write(const std::string &path) const;

private:
  struct Point {
    double x, y;
    std::optional<std::pair<double, double>> bounds;
  };
  struct Line {
    std::string name;
    std::vector<Point> points;
  };
  struct Axis;
  std::vector<double> xs() const;
  const Point *find(const Line &line, double x) const;
  std::string svg() const;
  std::string table() const;

  Labels labels_;
  std::vector<Line> lines_;
};

} // namespace tilewise::bench
