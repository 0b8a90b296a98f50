/* capture_sequences.c - sequences of operations to be tried during a capture.
 *
 * They cover CUDA's error codes 902 to 908: streams that join a capture, other captures, events
 * recorded in one. The result is that of the last operation. Used by capture_table.c.
 */
#include "config.h"

#include "tests/gpu/capture_ops.h"

/* Makes the other stream join the capture, through an event. */
static enum status fork_other(struct scene *s)
{
	TRY(device_event_record(s->device, s->fresh, s->origin));
	return device_event_wait(s->device, s->other, s->fresh);
}

static enum status try_fork(struct scene *s)
{
	TRY(fork_other(s));
	return scene_launch_on(s, s->other);
}

static enum status try_fork_empty(struct scene *s)
{
	return fork_other(s);
}

static enum status try_fork_join(struct scene *s)
{
	TRY(try_fork(s));
	TRY(device_event_record(s->device, s->before[1], s->other));
	return device_event_wait(s->device, s->origin, s->before[1]);
}

static enum status try_fork_end(struct scene *s)
{
	TRY(try_fork(s));
	return device_capture_end(s->device, s->other, &s->captured);
}

static enum status try_fork_sync(struct scene *s)
{
	TRY(try_fork(s));
	return device_sync(s->device, s->other);
}

static enum status try_fork_destroy(struct scene *s)
{
	TRY(try_fork(s));
	return scene_destroy_other(s);
}

static enum status try_wait_other_capture(struct scene *s)
{
	TRY(device_capture_begin(s->device, s->other, s->mode));
	TRY(scene_launch_on(s, s->other));
	TRY(device_event_record(s->device, s->fresh, s->other));
	return device_event_wait(s->device, s->origin, s->fresh);
}

static enum status try_captured_event_sync(struct scene *s)
{
	TRY(device_event_record(s->device, s->fresh, s->origin));
	return device_event_sync(s->device, s->fresh);
}

static enum status try_captured_event_elapsed(struct scene *s)
{
	double us;

	TRY(device_event_record(s->device, s->fresh, s->origin));
	return device_event_elapsed(s->device, s->before[0], s->fresh, &us);
}

static enum status try_captured_event_destroy(struct scene *s)
{
	TRY(device_event_record(s->device, s->fresh, s->origin));
	return device_event_destroy(s->device, s->fresh);
}

static enum status try_captured_event_again(struct scene *s)
{
	TRY(device_event_record(s->device, s->fresh, s->origin));
	TRY(device_event_record(s->device, s->fresh, s->other));
	return device_event_sync(s->device, s->fresh);
}

static enum status record_and_end(struct scene *s)
{
	TRY(device_event_record(s->device, s->fresh, s->origin));
	return device_capture_end(s->device, s->origin, &s->captured);
}

static enum status try_ended_event_sync(struct scene *s)
{
	TRY(record_and_end(s));
	return device_event_sync(s->device, s->fresh);
}

static enum status try_ended_event_wait(struct scene *s)
{
	TRY(record_and_end(s));
	return device_event_wait(s->device, s->other, s->fresh);
}

static enum status try_ended_event_elapsed(struct scene *s)
{
	double us;

	TRY(record_and_end(s));
	return device_event_elapsed(s->device, s->before[0], s->fresh, &us);
}

static enum status try_default_capture(struct scene *s)
{
	TRY(device_capture_begin(s->device, NULL, s->mode));
	TRY(scene_launch_on(s, NULL));
	return device_capture_end(s->device, NULL, &s->captured);
}

const struct operation sequences[] = {
	{ "fork", .call = try_fork },
	{ "fork_empty", .call = try_fork_empty },
	{ "fork_join", .call = try_fork_join },
	{ "fork_end", .call = try_fork_end },
	{ "fork_sync", .call = try_fork_sync },
	{ "fork_destroy", .call = try_fork_destroy },
	{ "wait_other_capture", .call = try_wait_other_capture },
	{ "captured_event_sync", .call = try_captured_event_sync },
	{ "captured_event_elapsed", .call = try_captured_event_elapsed },
	{ "captured_event_destroy", .call = try_captured_event_destroy },
	{ "captured_event_again", .call = try_captured_event_again },
	{ "ended_event_sync", .call = try_ended_event_sync },
	{ "ended_event_wait", .call = try_ended_event_wait },
	{ "ended_event_elapsed", .call = try_ended_event_elapsed },
	{ "default_capture", .call = try_default_capture },
	{ .name = NULL },
};
