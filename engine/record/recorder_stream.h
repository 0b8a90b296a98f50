/* recorder_stream.h - records operations on streams and events, asynchronous uploads and downloads.
 *
 * Used by the table of operations.
 */
#ifndef RECORDER_STREAM_H
#define RECORDER_STREAM_H

#include "engine/device.h"

enum status recorder_upload_async(struct device *, struct stream *, struct buffer *,
				  uint64_t offset, const void *source, size_t bytes);
enum status recorder_download_async(struct device *, struct stream *, const struct buffer *,
				    uint64_t offset, void *destination, size_t bytes);
enum status recorder_sync(struct device *, struct stream *);
enum status recorder_stream_create(struct device *, struct stream **out);
enum status recorder_stream_destroy(struct device *, struct stream *);
enum status recorder_event_create(struct device *, struct event **out);
enum status recorder_event_destroy(struct device *, struct event *);
enum status recorder_event_record(struct device *, struct event *, struct stream *);
enum status recorder_event_wait(struct device *, struct stream *, struct event *);
enum status recorder_event_sync(struct device *, struct event *);
enum status recorder_event_elapsed(struct device *, struct event *from, struct event *to,
				   double *us);

#endif
