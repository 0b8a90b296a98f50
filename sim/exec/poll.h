/* poll.h - lets other threads run while one polls a volatile value. */
#ifndef SIM_POLL_H
#define SIM_POLL_H

#include <stddef.h>

/* The running thread is about to make a volatile read. May let others run first. */
void poll_read(const void *p, size_t bytes);

#endif
