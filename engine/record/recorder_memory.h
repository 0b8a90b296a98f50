/* recorder_memory.h - records allocations, synchronous uploads and downloads, copies and fills.
 *
 * Used by the table of operations and replays.
 */
#ifndef RECORDER_MEMORY_H
#define RECORDER_MEMORY_H

#include "engine/device.h"
#include "traces/op.h"

enum status recorder_alloc(struct device *, const struct buffer_spec *, struct buffer **out);
enum status recorder_alloc_managed(struct device *, const struct buffer_spec *,
				   struct buffer **out);
enum status recorder_alloc_variable(struct device *, const struct buffer_spec *,
				    const struct kernel_variable *, struct buffer **out);
enum status recorder_free(struct device *, struct buffer *);
enum status recorder_upload(struct device *, struct stream *, struct buffer *, uint64_t offset,
			    const void *source, size_t bytes);
enum status recorder_upload_pointers(struct device *, struct stream *, struct buffer *,
				     uint64_t offset, const struct pointer_entry *, size_t count);
enum status recorder_download(struct device *, struct stream *, const struct buffer *,
			      uint64_t offset, void *destination, size_t bytes);
enum status recorder_copy(struct device *, struct stream *, struct buffer *to, uint64_t to_offset,
			  const struct buffer *from, uint64_t from_offset, size_t bytes);
enum status recorder_fill(struct device *, struct stream *, struct buffer *, uint64_t offset,
			  uint32_t pattern, size_t words);
enum status recorder_set_heap(struct device *, size_t bytes, bool reset);
/* An upload that is recorded as another kind of operation. */
enum status recorder_upload_as(struct device *, enum op_kind, struct stream *, struct buffer *,
			       uint64_t offset, const void *source, size_t bytes);
enum status recorder_upload_pointers_as(struct device *, enum op_kind, struct stream *,
					struct buffer *, uint64_t offset,
					const struct pointer_entry *, size_t count);

#endif
