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
	bool destroyed;                 /* freed when its work is done */
	bool stalled;                   /* its head waits for a store of the host */
	struct capture *capture;        /* NULL: not capturing */
	int *ends, end_count;           /* while capturing: nodes that the next one depends on */
	int number;                     /* 0: the default stream */
	struct clock *order;            /* on a checked device: operations before the next work */
	bool last_launched;             /* the last work is a launch, with this operation */
	uint64_t last_op;
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
/* Removes the stream from the device's list and frees it; its work must be done. */
void stream_free(struct stream *);

/* NULL is the default stream. USAGE if the stream is of another device. */
enum status stream_find(struct device_simulated *, struct stream *, struct stream **out);

#endif
