/* isolate.h - work in a child process, so that a crash of it is an error and not the end. */
#ifndef ISOLATE_H
#define ISOLATE_H

#include "base/status.h"

/* Runs fn in a child process and returns its status, with its message in the error record (the
 * CUDA error code is lost). INTERNAL when the child dies of a signal. What fn changes in memory
 * is lost with the child; standard output is flushed on both sides. */
enum status isolate_run(enum status (*fn)(void *context), void *context);

#endif
