/* step_io.h - the code that attention paths share around their kernels: buffers of a step and of a
 * prompt, uploads, the scatter of new rows, launches.
 *
 * Used only by path.c, path_*.c and attention_graph.c in this folder; others include path.h.
 */
#ifndef STEP_IO_H
#define STEP_IO_H

#include "engine/attention/attention.h"
#include "engine/attention/launch_kernel.h"

/* Buffers of a prompt, freed after its last layer. */
struct prompt_io {
	int rows;                       /* capacity of the buffers */
	struct buffer *q, *out;         /* [H, rows, D] */
	struct buffer *k_new, *v_new;   /* [rows, Hkv, D] */
};

/* A value for each query of each slot in device memory. */
struct slot_values {
	struct buffer *buffer;          /* i32 [M * T]; NULL: no kernel reads it */
	int32_t *current;               /* [M * T] the values it holds; below -1: unknown */
};

/* Lengths of the current step. Graphs and launches issued one by one have separate sets, so that
 * neither can depend on the other's. */
struct step_lengths {
	struct slot_values seq_lens;    /* keys that a query sees, 0: none, or the slot is done */
	/* Of the new keys, -1: none; of several queries or in pages, rows of the whole cache. */
	struct slot_values positions;
};

struct step_io {
	struct buffer *q, *out;         /* [M, H, D]; with several queries [M, T, H, D] */
	struct buffer *k_new, *v_new;   /* [M, Hkv, D] or [M, T, Hkv, D]; NULL: none */
	struct buffer *lse;             /* [M, H] or [M, T, H], with options; else NULL */
	/* If kernels read them; positions if keys are appended and M * T > 1 or not f32. */
	struct step_lengths eager;
	struct step_lengths graph;      /* allocated with the first graph */
	int32_t *lens_now, *positions_now;      /* [M * T] of this step */
	bool uploaded;                  /* at least one step was uploaded */
	struct launch_target target;
	struct prompt_io prompt;
};

/* Allocates the buffers and the cache of a path that is being created. step_io_free() frees them,
 * also after an error. */
enum status step_io_alloc(struct attention *);
void step_io_free(struct attention *);

/* Allocates the lengths of graphs if needed, and sets them as of the last upload, if any. */
enum status step_io_alloc_graph(struct attention *);

/* How many keys a step appends to a slot. */
int step_io_appended(const struct attention *, const struct attention_step *, int slot);
/* Uploads a step's q, k and v, and the lengths that are in device memory. */
enum status step_io_upload(struct attention *, const struct attention_step *);
/* USAGE before the first upload. */
enum status step_io_check_uploaded(const struct attention *);
/* The lengths for the current target: those for graphs, or for launches issued one by one. */
const struct step_lengths *step_io_lengths(const struct attention *);
/* Writes the new rows of all slots, if there are any: one launch for K and one for V, for any M. */
enum status step_io_scatter(struct attention *, int layer);
/* The same for one slot, which may be done. */
enum status step_io_scatter_slot(struct attention *, int layer, int slot);
/* Downloads the output, and the log-sum-exps if the step wants them; rows of slots that are done
 * become zeros. */
enum status step_io_download(struct attention *, const struct attention_step *);

/* Appends all rows of a prompt and attends to them, causally; see attention_prefill(). */
enum status step_io_prefill(struct attention *, const struct attention_prompt *);

/* Issues a launch of a step: on the device, or into the current list. Errors as launch_on(). */
enum status step_launch(struct attention *, const char *kernel, int layer, struct dim3 grid,
			struct dim3 block, unsigned shared_bytes, const struct arg *,
			int arg_count);

#endif
