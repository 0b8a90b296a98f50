/* divide.h - emulates integer divisions that have other results on the processor than on a GPU. */
#ifndef DIVIDE_H
#define DIVIDE_H

#include <stdbool.h>

/* For a handler of SIGFPE or SIGTRAP: if `context` is stopped at an integer division, stores the
 * quotient and remainder a GPU would give, skips the instruction and returns true. */
bool divide_emulate(void *context);

#endif
