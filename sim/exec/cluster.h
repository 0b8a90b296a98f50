/* cluster.h - blocks that are resident together, wait for each other, and reach each other's shared
 * memory. Private to sim/.
 *
 * Every block is in a cluster, most of them alone. The struct is in the cluster's first block.
 */
#ifndef SIM_CLUSTER_EXEC_H
#define SIM_CLUSTER_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct block;
struct check_cluster;
struct lane;
struct worker;

struct cluster {
	struct block *blocks[FT_CLUSTER_BLOCKS];        /* by rank */
	unsigned size;
	unsigned alive;                 /* threads */
	unsigned missing;               /* those that have not arrived at the barrier */
	unsigned phase;                 /* how often the barrier is complete */
	struct check_cluster *check;    /* of a checked launch; NULL: none so far */
};

/* The first block begins the cluster and others join it, before they begin themselves; the last one
 * has begun. */
void cluster_begin(struct block *first, unsigned size);
void cluster_join(struct block *first, struct block *, unsigned rank);
void cluster_ready(struct block *first);
/* A lane has exited, of a block that no longer counts it as alive. If it was the last one of its
 * block, no other block may use the block's shared memory from here on. */
void cluster_exit(struct lane *);
/* The block of the cluster whose shared memory contains, or ends at, this address; or NULL. */
struct block *cluster_owner(const struct cluster *, const void *address);
/* What was wrong with an access that faulted, if it was meant for the shared memory of another
 * block: it ends with error 719. NULL: it was not. */
const char *cluster_fault(const struct block *running, const void *address);

#endif
