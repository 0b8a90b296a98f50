/* ladder_shape.h - which rung of the path `ladder` a shape gets, in which form and memory. */
#ifndef LADDER_SHAPE_H
#define LADDER_SHAPE_H

#include "engine/attention/path.h"
#include "engine/device.h"

/* The first rungs with splits, and with options; with bulk copies, which need sm_90; with tensor
 * cores, if keys and values are not f32; and with a plan. */
#define LADDER_SPLIT_RUNG 5
#define LADDER_BULK_RUNG 6
#define LADDER_TENSOR_RUNG 7
#define LADDER_PLAN_RUNG 9
/* Launches whose clusters run at once: one begins while the other ends. */
#define LADDER_CLUSTER_LAUNCHES 2
/* Room for most keys of a sequence for which rung 10 has clusters, unless it is alone and its
 * clusters are on enough multiprocessors. */
#define LADDER_CLUSTER_LEN 3072

/* The rungs that a type of keys and values has: "5 to 7, 9, 10 and 13". */
const char *ladder_rungs_of(enum dtype);
/* The rung, 4 or more, that path_ladder runs for a shape: its own, or what the table names. */
int ladder_rung(const struct attention_shape *);
/* Refuses a shape that its rung does not take (STATUS_USAGE), and says which rungs do. */
enum status ladder_check(const struct attention_shape *);
/* Whether the rung of a shape does: its kernels have "tensor" in their names. */
bool ladder_uses_tensor_cores(const struct attention_shape *);
/* Query heads of a KV head for which the kernel of a rung has shared memory: the group, or more. */
int ladder_room(const struct attention_shape *, int rung);
/* Most clusters of a launch for which rung 10 has them, one for each sequence and KV head; 0 before
 * sm_90. */
int ladder_max_clusters(const struct device_info *);
/* Room for most keys with them: LADDER_CLUSTER_LEN, or INT_MAX. */
int ladder_cluster_keys(const struct attention_shape *, int multiprocessors);

/* Forms of rungs 9 and 10, with the same bits. */
enum ladder_form {
	LADDER_SINGLE,                  /* a block for each multiprocessor */
	LADDER_CLUSTERS,                /* flash_decode_cluster: rung 10 for one sequence, or few
					 * short ones */
	LADDER_PAIRS,                   /* two blocks for each: some batches on tensor cores */
};
/* The form of a shape's rung on a device; LADDER_SINGLE for rungs without others. */
enum ladder_form ladder_form(const struct attention_shape *, const struct device_info *);
/* Blocks that run on a multiprocessor at once, from rung 5 up: their registers leave room for no
 * more. */
int ladder_blocks_at_once(enum ladder_form);
/* Blocks of a launch with a plan, unless there are fewer splits. */
int ladder_max_blocks(enum ladder_form, int multiprocessors);
/* Dynamic shared memory of a block. */
size_t ladder_shared(const struct attention_shape *, enum ladder_form);
/* Tiles that a warp has in flight; 0 for rungs that load keys when they need them. */
int ladder_tiles_in_flight(const struct attention_shape *, enum ladder_form);

#endif
