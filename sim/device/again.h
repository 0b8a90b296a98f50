/* again.h - runs a checked launch again under further seeds, or tries a launch, on a copy of its
 * device memory. */
#ifndef SIM_AGAIN_H
#define SIM_AGAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct check;

struct again {
	pid_t child;                    /* holds the copy; 0: none */
	int go, found;                  /* pipes to and from it */
};

/* Runs the launch under a seed, in a process of its own. */
typedef void again_fn(void *context, uint64_t seed);
/* Keeps a copy of this process, in which `run` can be called for the seeds after `seed`, `count` of
 * them. Without memory or processes for it, the launch is not run again. */
void again_prepare(struct again *, struct check *, uint64_t seed, int count, again_fn *run,
		   void *context);
/* The launch is over. wanted: calls `run` for the seeds, and adds what the checker finds there. */
void again_finish(struct again *, struct check *, bool wanted);

/* Calls `holds` on a copy of this process, and returns its result; false if there is no memory or
 * process for it. */
bool again_try(bool (*holds)(void *context), void *context);

#endif
