// Stores that pass the caches by.
//
// A store to memory that is in no cache first reads the line it is about to overwrite: adding two
// vectors of 256 MB moves 1 GB where 0.77 would do. Streaming stores write whole lines without
// reading them, and leave the caches to others; but what they write is in no cache afterwards. So a
// launch streams when it writes more than half of what the last-level cache holds (the other half
// is what it read), and its kernel
//
// - has no atomics: streaming stores are not ordered by them, and another program may wait for what
//   was stored before one;
// - does not load through a pointer that it stores through.
//
// A nest then has its main loop twice, with and without streaming (see streamedEnd in
// NestMemory.cpp): the first runs when the launch asks for it and the row starts at a multiple of
// the register. A fence at the end of the entry point makes the stores visible before the launch is
// over. Measured on one core of an Ice Lake server: add of 2^26 floats 12.9 -> 17.6 GB/s.
//
// The pass `cpu-stream` marks these nests `streams`, and the module with what a program stores.
#pragma once
