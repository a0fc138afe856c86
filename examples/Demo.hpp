// The demo's parts: checks of the four kernels on a device, and times of fused kernels against the
// same maths in passes.
#pragma once

#include <tilewise/tilewise.hpp>

#include <string>
#include <vector>

namespace demo {

/// Runs the four kernels on the device and prints what was compared with what; false if something
/// differs.
bool checkKernels(const tilewise::Device &device);
/// Filters a picture of ours on the device and writes it as PNG.
bool writePictures(const tilewise::Device &device, const std::string &folder);
/// Prints the table of times for the device; `scale` divides the problem sizes' rows.
bool printTimes(const tilewise::Device &device, int scale);

/// Plain loops over row-major matrices, as a person writes them, on `threads` threads; one pass
/// over memory per function.
namespace plain {
void rowMax(const float *x, float *top, int rows, int columns, int threads);
void expOfDifference(const float *x, const float *top, float *y, int rows, int columns, int threads);
void rowSum(const float *y, float *sum, int rows, int columns, int threads);
void divideRows(float *y, const float *sum, int rows, int columns, int threads);
void scale(const float *x, float factor, float *y, int n, int threads);
void add(const float *x, float *y, int n, int threads);
} // namespace plain

} // namespace demo
