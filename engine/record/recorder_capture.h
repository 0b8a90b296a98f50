/* recorder_capture.h - captures, and the nodes of graphs.
 *
 * Used by operations that can be captured, and the table of operations.
 */
#ifndef RECORDER_CAPTURE_H
#define RECORDER_CAPTURE_H

#include "engine/device.h"
#include "traces/row.h"

struct graph_shadow;
struct node;
struct recorder;

/* The graph that a stream captures into; NULL if it is not in capture. */
struct graph_shadow *recorder_capture_of(const struct recorder *, const struct stream *);
/* Stores the row of a node that was created, or failed to be, with the status `done`. Frees a node
 * that did not become part of the graph. */
enum status recorder_note_node(struct recorder *, struct graph_shadow *, struct row_op,
			       struct node *, enum status done);
enum status recorder_capture_launch(struct recorder *, struct graph_shadow *,
				    const struct launch *);
/* For an upload, download, copy or fill in a capture: saves the bytes it overwrites and creates the
 * node *out for recorder_note_node(). */
enum status recorder_capture_move(struct recorder *, struct graph_shadow *, enum op_kind work,
				  struct stream *, const struct buffer *, uint64_t offset,
				  uint64_t bytes, struct node **out);
/* An event was recorded in a capture. NULL: outside of captures, or the event was destroyed. */
void recorder_event_moved(struct recorder *, const struct event *, struct graph_shadow *);
/* A stream waits for an event: joins its capture, if any. */
void recorder_stream_joins(struct recorder *, const struct stream *, const struct event *);
void recorder_stream_leaves(struct recorder *, const struct stream *);  /* it is destroyed */

enum status recorder_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status recorder_capture_end(struct device *, struct stream *, struct graph **out);
enum status recorder_capture_state(struct device *, struct stream *, enum capture_state *out);
enum status recorder_capture_relax(struct device *, bool relaxed);
enum status recorder_graph_create(struct device *, struct graph **out);
enum status recorder_graph_add_launch(struct device *, struct graph *, const struct launch *,
				      const int *after, int after_count, int *node);
enum status recorder_graph_add_copy(struct device *, struct graph *, struct buffer *to,
				    uint64_t to_offset, const struct buffer *from,
				    uint64_t from_offset, size_t bytes, const int *after,
				    int after_count, int *node);

#endif
