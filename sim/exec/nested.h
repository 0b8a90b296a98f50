/* nested.h - the launches that device code makes; sim/device/queued.c runs them. */
#ifndef SIM_NESTED_H
#define SIM_NESTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sim/cuda/runtime.h"

#define MAX_NESTED_ARGS 32

struct lane;

/* Launches of one queue run in order: those of a block without a stream, and those in a stream. */
struct nested_launch {
	const struct kernel_entry *entry;
	struct dim3 grid, block;
	size_t shared;
	uint64_t queue;                 /* 0: in none */
	bool tail;                      /* in the stream that runs after all others */
	unsigned number;
	void *args[MAX_NESTED_ARGS];    /* owned copies */
};

/* A launch whose arguments are being evaluated. */
struct nested_call {
	const struct lane *lane;
	struct dim3 grid, block;
	size_t shared;
	uint64_t stream;
};

/* Of one launch; all zero: none so far. */
struct nested {
	struct nested_launch *made;
	size_t made_count;
	struct nested_call *calls;
	size_t call_count;
	uint64_t streams;               /* that device code created */
};

typedef enum status nested_run_fn(void *context, const struct nested_launch *);

/* Calls fn for every launch, in the order in which they were made, or with a seed in a random one
 * that CUDA allows. Ends at the first failure. */
enum status nested_run(const struct nested *, uint64_t seed, nested_run_fn *, void *context);
void nested_free(struct nested *);

#endif
