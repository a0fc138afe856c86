// tw_command_line.
#include "api/Status.h"
#include "cli/CommandLine.h"

int tw_command_line(int argc, char **argv) {
  int code = tilewise::cli::kInternalError;
  const tw_status status = tilewise::guarded([&]() -> tilewise::Result<void> {
    code = tilewise::cli::runCommandLine(argc, argv);
    return {};
  });
  return status == TW_OK ? code : tilewise::cli::report(tilewise::internalFailure(tw_last_error()));
}
