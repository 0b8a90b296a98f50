/* isolate.h - runs work in a child process, so that a crash in it is only an error. */
#ifndef ISOLATE_H
#define ISOLATE_H

#include "base/status.h"

/* Runs fn in a child process and returns its status, with its message in the error record (but not
 * the CUDA error code). INTERNAL if a signal ends the child. Changes of fn to memory are lost with
 * the child; standard output is flushed on both sides. */
enum status isolate_run(enum status (*fn)(void *context), void *context);

#endif
