/* view_visible.h - which keys of a sequence a launch sees that has a window and sinks, or several
 * queries of a sequence. */
#ifndef VIEW_VISIBLE_H
#define VIEW_VISIBLE_H

#include "tui/views/view.h"

/* Chunks count the keys that a query sees. With a window and sinks those from `sinks` on are `gap`
 * positions further on in the sequence. */
struct view_visible {
	double softcap;                 /* 0: not set */
	int64_t window, sinks;          /* 0: not set */
	int64_t gap;                    /* positions between the sinks and the window */
	int64_t queries;                /* of a sequence, which are slots that follow each other */
};

/* Reads them from the arguments of a launch, an operation; all 0 if it has none of them. The gap is
 * that of a slot; 0 if the trace does not have the length of its sequence. */
enum status view_visible_read(const struct view_context *, int64_t op, int64_t slot,
			      struct view_visible *);
/* The sequence of a slot, and which of its queries the slot is. */
int64_t view_visible_sequence(const struct view_visible *, int64_t slot);
int64_t view_visible_query(const struct view_visible *, int64_t slot);
/* How many keys of the sequence are newer than the query's own, and masked. */
int64_t view_visible_newer(const struct view_visible *, int64_t slot);
/* Where a key is in its sequence. */
int64_t view_visible_position(const struct view_visible *, int64_t key);
/* Of keys begin <= i < end, those below the result are where their numbers say, and the others are
 * `gap` positions further on. */
int64_t view_visible_split(const struct view_visible *, int64_t begin, int64_t end);
/* As view_bytes_read(), of keys begin <= i < end. */
enum status view_visible_bytes(const struct view_context *, const struct view_visible *,
			       int64_t slot, int64_t step, int64_t begin, int64_t end,
			       unsigned char *out);
/* A line that says where keys are, if some are not where their numbers say; else nothing. */
void view_visible_note(const struct view_context *, const struct view_visible *);

/* The bytes of a buffer before an operation, if one upload was the last to write them. */
enum status view_upload_read(const struct view_context *, int64_t op, int64_t buffer,
			     int64_t offset, size_t bytes, void *out, bool *known);

#endif
