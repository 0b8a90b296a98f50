/* stream.c - the streams of a device; see stream.h. */
#include "config.h"

#include "sim/device/stream.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check.h"

struct stream *stream_new(struct device_simulated *sim)
{
	struct stream *stream = xcalloc(1, sizeof *stream);

	stream->sim = sim;
	stream->number = sim->stream_count++;
	stream->tail = &stream->head;
	stream->next = sim->streams;
	sim->streams = stream;
	return stream;
}

void stream_free(struct stream *stream)
{
	struct stream **link = &stream->sim->streams;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	clock_free(stream->order);
	free(stream->ends);
	free(stream);
}

static struct stream *default_stream(const struct device_simulated *sim)
{
	struct stream *stream = sim->streams;

	while (stream->next)
		stream = stream->next;
	return stream;
}

enum status stream_find(struct device_simulated *sim, struct stream *stream, struct stream **out)
{
	*out = stream ? stream : default_stream(sim);
	if ((*out)->sim != sim)
		return fail(STATUS_USAGE, "a stream of sim:%d was used on sim:%d",
			    stream->sim->base.ordinal, sim->base.ordinal);
	return STATUS_OK;
}
