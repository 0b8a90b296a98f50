/* stream.h - streams and events as objects of a device. Private to sim/.
 *
 * Work goes through sim/device/queue.h, captures through sim/device/capture.h; the operations on
 * them are in sim/device/stream_ops.h.
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "sim/device/mark.h"
#include "sim/device/simulated.h"

struct stream {
	struct device_simulated *sim;
	struct stream *next;
	struct entry *head, **tail;     /* work in order */
	bool destroyed;                 /* goes when its work is done */
	struct capture *capture;        /* NULL: work runs */
	int *ends, end_count;           /* while capturing: what the next node comes after */
	int number;                     /* 0: the default stream */
	struct clock *order;            /* of a checked device: what the next work comes after */
};

struct event {
	struct device_simulated *sim;
	struct event *next;
	struct mark *mark;              /* of the last record; NULL: never recorded */
	uint64_t capture;               /* the capture it was recorded in last; 0: none */
	int *ends, end_count;           /* the nodes before it there */
};

/* The first one of a device is its default stream. */
struct stream *stream_new(struct device_simulated *);
/* Out of the device's list, and freed; its work is done. */
void stream_free(struct stream *);

/* NULL is the default stream. USAGE for another device's. */
enum status stream_find(struct device_simulated *, struct stream *, struct stream **out);

#endif
