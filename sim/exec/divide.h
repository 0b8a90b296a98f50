/* divide.h - emulates integer divisions that trap on the processor but not on a GPU. */
#ifndef DIVIDE_H
#define DIVIDE_H

#include <stdbool.h>

/* For a SIGFPE handler: if `context` is stopped at an integer division, stores the quotient and
 * remainder a GPU would give, skips the instruction and returns true. */
bool divide_emulate(void *context);

#endif
