// An internal error -> one file with all that is needed to see it again, for `tilewise repro`.
//
// The file is the kernel's own text below comments that hold the request, and, where the front end
// got that far, its tile IR: names that only a live host knows are no part of that any more.
//
//     # tilewise repro 0.1.0
//     # error: stage 'to cpu' failed: ...
//     # kernel: softmax
//     # target: cpu
//     # signature: *fp32:16, i32, 1024
//     # ...
//     # tile:
//     # | module {
//     import triton
//     ...
#pragma once

#include "driver/Compile.h"

namespace tilewise {

struct Reproducer {
  std::string version; ///< Of the library that wrote it.
  CompileRequest request;
  std::shared_ptr<const SourceFile> file; ///< That of the request.
  std::string tile;                       ///< Empty: the front end itself failed.
  std::string error;                      ///< The message's first line.

  static Result<Reproducer> read(llvm::StringRef text, llvm::StringRef path);
  std::string print() const;

  /// The compile again: the failure as it comes, if it does.
  Result<void> replay() const;
};

/// What two failures have in common when they are the same: the first line without numbers, which
/// change as the kernel shrinks.
std::string signatureOf(llvm::StringRef message);

/// An internal failure of a request, with the path of its reproducer in the message. Other failures
/// stay as they are.
Failure withReproducer(Failure failure, const CompileRequest &request);

/// A smaller text that is still `interesting`, by removing its lines, each with what is indented
/// below it. `tries` bounds the questions.
std::string shrinkText(std::string text, llvm::function_ref<bool(const std::string &)> interesting, unsigned tries);
/// A smaller module, by removing ops and replacing their results with zeros or operands.
std::string shrinkTile(std::string tile, llvm::function_ref<bool(const std::string &)> interesting, unsigned tries);
/// How many ops a module's text has.
size_t countOps(llvm::StringRef tile);

} // namespace tilewise
