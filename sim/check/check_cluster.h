/* check_cluster.h - order between the blocks of a cluster, and how long others may use the shared
 * memory of a block. Private to the checker.
 */
#ifndef CHECK_CLUSTER_H
#define CHECK_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access;
struct block;
struct check;
struct check_phase;
struct cluster;
struct lane;
struct listener;

/* Calls of the listener. */
void check_cluster_arrive(struct listener *, struct lane *, bool releases);
void check_cluster_release(struct listener *, struct cluster *);
void check_cluster_leave(struct listener *, struct lane *);
void check_cluster_exit(struct listener *, struct block *);

/* Whether this phase of a cluster's barrier is after the segment. */
bool check_phase_orders(const struct check *, const struct check_phase *, uint32_t segment);
/* The later of two phases of one cluster, each of which may be NULL. */
const struct check_phase *check_phase_later(const struct check_phase *, const struct check_phase *);
/* The phase will be asked for as long as the launch runs. */
void check_phase_keep(const struct check_phase *);

/* The block of the running lane's cluster in whose shared memory an access is; NULL: its own, or
 * none. */
const struct block *check_cluster_block(const struct check *, const struct lane *,
					uintptr_t address);
/* Reports an access of another block's shared memory before it is known to have begun, or after it
 * has exited. True if it has exited. */
bool check_lifetime(const struct access *, const struct block *);

#endif
