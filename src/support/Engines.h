// Which engines this build of the library has, by LLVM's back ends in TILEWISE_TARGETS.
#pragma once

#define TILEWISE_HAS_CPU_ENGINE (TILEWISE_WITH_X86 || TILEWISE_WITH_AARCH64)
