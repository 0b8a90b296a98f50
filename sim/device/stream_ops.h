/* stream_ops.h - the operations of device_ops on streams and events. Private to sim/. */
#ifndef SIM_STREAM_OPS_H
#define SIM_STREAM_OPS_H

#include "engine/device.h"

struct device_simulated;

void streams_open(struct device_simulated *);   /* makes the default stream */
void streams_close(struct device_simulated *);

/* The operations of these names. */
enum status sim_sync(struct device *, struct stream *);
enum status sim_stream_create(struct device *, struct stream **out);
enum status sim_stream_destroy(struct device *, struct stream *);
enum status sim_event_create(struct device *, struct event **out);
enum status sim_event_destroy(struct device *, struct event *);
enum status sim_event_record(struct device *, struct event *, struct stream *);
enum status sim_event_wait(struct device *, struct stream *, struct event *);
enum status sim_event_sync(struct device *, struct event *);
enum status sim_event_elapsed(struct device *, struct event *from, struct event *to, double *us);

#endif
