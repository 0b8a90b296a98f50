/* kernel_names.h - names of the kernels that attend and merge, and conditions of SQL on them.
 *
 * A trace has names only, so what a launch does in attention follows from its kernel's. Used by
 * traces/store/store_index.c and tui/views/view_shape.c, which knows how each numbers its blocks.
 */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

/* Prefixes: one and two warps; a reduction; the rungs of the ladder from 5 up, each for several
 * types of keys and values, some with options; and the merge, with and without options. */
#define KERNEL_CHUNK "flash_decode_chunk"
#define KERNEL_REDUCE "flash_decode_reduce"
#define KERNEL_SPLIT "flash_decode_split"
#define KERNEL_STREAM "flash_decode_stream"
#define KERNEL_TENSOR "flash_decode_tensor"
#define KERNEL_PLANNED "flash_decode_planned"
#define KERNEL_FUSED "flash_decode_fused"
#define KERNEL_CLUSTER "flash_decode_cluster"
#define KERNEL_MERGE "flash_decode_merge"
/* Names. */
#define KERNEL_PREFILL "attention_prefill"
#define KERNEL_PREFILL_TILED "attention_prefill_tiled"
#define KERNEL_GROUP "flash_decode_group"

/* Whether a column has the name of a kernel that publishes partials, of one of these that also
 * merges them, of one that merges them in a launch of its own, or of one for many queries. */
#define SQL_CHUNKS(kernel) \
	"(" kernel " GLOB '" KERNEL_CHUNK "*' OR " kernel " GLOB '" KERNEL_SPLIT "*' OR " \
	kernel " GLOB '" KERNEL_STREAM "*' OR " kernel " GLOB '" KERNEL_TENSOR "*' OR " \
	kernel " GLOB '" KERNEL_PLANNED "*' OR " \
	SQL_MERGES_OWN(kernel) " OR " kernel " = '" KERNEL_GROUP "')"
#define SQL_PREFILLS(kernel) kernel " IN ('" KERNEL_PREFILL "', '" KERNEL_PREFILL_TILED "')"
#define SQL_MERGES_OWN(kernel) \
	"(" kernel " GLOB '" KERNEL_FUSED "*' OR " kernel " GLOB '" KERNEL_CLUSTER "*')"
#define SQL_MERGES(kernel) \
	"(" kernel " GLOB '" KERNEL_REDUCE "*' OR " kernel " GLOB '" KERNEL_MERGE "*')"

#endif
