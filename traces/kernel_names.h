/* kernel_names.h - names of the kernels that attend and merge, and conditions of SQL on them.
 *
 * A trace has names only, so what a launch does in attention follows from its kernel's. Used by
 * traces/store/store_index.c and tui/views/view_shape.c, which knows how each numbers its blocks.
 */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

/* Prefixes: one and two warps; a reduction. */
#define KERNEL_CHUNK "flash_decode_chunk"
#define KERNEL_REDUCE "flash_decode_reduce"
/* The ladder's. */
#define KERNEL_GROUP "flash_decode_group"
#define KERNEL_SPLIT "flash_decode_split"
#define KERNEL_STREAM "flash_decode_stream"
#define KERNEL_PLANNED "flash_decode_planned"
#define KERNEL_FUSED "flash_decode_fused"
#define KERNEL_MERGE "flash_decode_merge"

/* Whether a column has the name of a kernel that publishes partials, or that merges them in a
 * launch of its own. */
#define SQL_CHUNKS(kernel) \
	"(" kernel " GLOB '" KERNEL_CHUNK "*' OR " kernel " IN ('" KERNEL_GROUP "', '" \
	KERNEL_SPLIT "', '" KERNEL_STREAM "', '" KERNEL_PLANNED "', '" KERNEL_FUSED "'))"
#define SQL_MERGES(kernel) \
	"(" kernel " GLOB '" KERNEL_REDUCE "*' OR " kernel " = '" KERNEL_MERGE "')"

#endif
