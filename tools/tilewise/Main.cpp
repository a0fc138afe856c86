// The tool is the library's command line; linked against the shared library, so that one copy of
// LLVM serves both.
#include "tilewise/tilewise.h"

int main(int argc, char **argv) { return tw_command_line(argc, argv); }
