/* divide.h - integer division that the processor refuses and a GPU answers. */
#ifndef DIVIDE_H
#define DIVIDE_H

#include <stdbool.h>

/* For a signal handler: `context` is that of a SIGFPE. When it stands at an integer division, gives
 * quotient and remainder as a GPU does, steps over the instruction and returns true. */
bool divide_emulate(void *context);

#endif
