/* step_io.h - what attention paths share around their kernels: buffers of a step and of a
 * prompt, uploads, the scatter of new rows, launches.
 *
 * Serves engine/path*.c and engine/prefill.c only; path.h is what others include.
 */
#ifndef STEP_IO_H
#define STEP_IO_H

#include "engine/path.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define WARP 32u

/* Buffers of a prompt, gone after its last layer. */
struct prompt_io {
	int rows;                       /* there is room for */
	struct buffer *q, *out;         /* [H, rows, D] */
	struct buffer *k_new, *v_new;   /* [rows, Hkv, D] */
};

struct step_io {
	struct buffer *q, *out;         /* [M, H, D] */
	struct buffer *k_new, *v_new;   /* [M, Hkv, D] */
	/* Of paths whose kernels read them from device memory, else NULL. */
	struct buffer *seq_lens;        /* i32 [M] keys after the append, 0: the slot is done */
	struct buffer *positions;       /* i32 [M] of the new keys, -1: done. Only when M > 1 */
	int32_t *lens_now, *positions_now;      /* [M] of this step */
	int32_t *lens_there, *positions_there;  /* on the device; below -1: unknown */
	struct prompt_io prompt;
};

/* Allocates the buffers and the cache of a path that is being created; step_io_free() frees what
 * there is, also after an error. */
enum status step_io_alloc(struct attention *);
void step_io_free(struct attention *);

/* Uploads a step's q, k and v, and seq_lens where the path has it. */
enum status step_io_upload(struct attention *, const struct attention_step *);
/* Writes the new rows of all slots: one launch for K and one for V, whatever M is. */
enum status step_io_scatter(struct attention *, int layer);
/* The same with two launches for each slot. */
enum status step_io_scatter_each(struct attention *, int layer);
/* Downloads the output; rows of slots that are done become zeros. */
enum status step_io_download(struct attention *, const struct attention_step *);

/* Appends all rows of a prompt and attends to them, causally; see attention_prefill(). */
enum status step_io_prefill(struct attention *, const struct attention_prompt *);

/* Asks for shared memory above 48 KiB where it is needed. INTERNAL when there is no such kernel. */
enum status launch_kernel(struct device *, const char *kernel, int layer, struct dim3 grid,
			  struct dim3 block, unsigned shared_bytes, const struct arg *,
			  int arg_count);
/* USAGE when the device's blocks do not have that much shared memory. */
enum status check_shared(struct device *, const char *who, size_t bytes);
/* Frees those that are not NULL, and sets them so. */
void free_buffers(struct device *, struct buffer **, int count);

#endif
