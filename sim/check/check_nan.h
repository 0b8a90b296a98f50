/* check_nan.h - traps where a NaN is made. Private to the checker. */
#ifndef CHECK_NAN_H
#define CHECK_NAN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Turns traps of operations that make a NaN on or off. */
void check_watch_nan(bool on);

/* See struct listener_calls. */
bool check_trap(const siginfo_t *, void *context, uintptr_t pc);
bool check_stepped(void *context);

#endif
