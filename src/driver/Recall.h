// A compile, or what an earlier one left in the disk cache.
//
// An entry is found by what is known before the compile: the text, where it lies (its lines are in
// the code), signature, target with the processor's features, options, and the build of the
// library. What the compile then asks from outside, as imported files and names of a live host, is
// found out by compiling, so it becomes a second step:
//
//     key of the request                -> "lookups": the questions that this compile asked
//     key of the request + the answers  -> "kernel": the code, and what the compile had to say
//
// A kernel that asks nothing is under the first key at once. Where the answers lead to other code
// that asks something more, there is a third step, and so on; each key stands for one state of
// everything that was looked at so far.
#pragma once

#include "cache/Folder.h"
#include "driver/Compile.h"

namespace tilewise {

struct CompiledKernel {
  Artifact artifact;
  /// The warnings and notes of the compile, as a person reads them: a recalled kernel warns as a
  /// compiled one does.
  std::vector<std::pair<Severity, std::string>> messages;
  /// Warnings that hold for some grids.
  std::vector<CompiledLint> gridLints;
  bool isRecalled = false;

  bool warnsOf(Warning warning) const;
};

/// `folder` may be null: then it is a compile. Of a failure, what was found is in `diagnostics`.
Result<CompiledKernel> recallOrCompile(const CompileRequest &request, Diagnostics &diagnostics,
                                       cache::Folder *folder = cache::Folder::ofProcess());

} // namespace tilewise
