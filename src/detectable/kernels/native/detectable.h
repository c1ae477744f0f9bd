/* What every kernel here agrees on.

   C99 without extensions and without Python.h: arrays come as pointers to contiguous memory that
   library.py has checked, sizes as int64_t. A kernel returns DONE, or NO_MEMORY. It never keeps a
   pointer and has no global state, so any number of threads may call it. */
#ifndef DETECTABLE_H
#define DETECTABLE_H

#include <stdint.h>
#include <stddef.h>

#if defined(_WIN32)
#define KERNEL __declspec(dllexport)
#elif defined(__GNUC__)
#define KERNEL __attribute__((visibility("default")))
#else
#define KERNEL
#endif

#define DONE 0
#define NO_MEMORY (-1)

#endif
