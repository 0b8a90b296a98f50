/* program_watch.h - waits for the process of a user's program, which shares this one's terminal. */
#ifndef PROGRAM_WATCH_H
#define PROGRAM_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* Blocks the signals that program_watch() takes, and returns the mask before in *before. Call it
 * before the process is made. */
void program_watch_begin(sigset_t *before);

/* Waits until the process ends; *ended is as waitpid() gives it. A signal to this process alone is
 * passed on to the program; one from the terminal has reached it already. Neither ends the wait:
 * what they do is the program's decision. LIMIT if it runs for `timeout` seconds (0: no limit):
 * then it was killed, with everything that it started. */
enum status program_watch(pid_t child, int64_t timeout, int *ended);

#endif
