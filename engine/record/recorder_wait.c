/* recorder_wait.c - waiting for the device, and operations of the recorder's own; see
 * recorder_wait.h.
 */
#include "engine/record/recorder_wait.h"

#include <stdlib.h>

#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"

static void free_staged(struct recorder *r)
{
	while (r->staged_count)
		free(r->staged[--r->staged_count]);
}

enum status recorder_wait(struct recorder *r)
{
	TRY(device_sync(r->device.inner, NULL));
	free_staged(r);
	return recorder_late_error(r);
}

/* Keeps the staged bytes: for a checker the program has not waited, and its copies may still read
 * them. */
enum status recorder_step_aside(struct recorder *r)
{
	TRY(device_step_aside(r->device.inner, true));
	if (!device_can_step_aside(r->device.inner))
		free_staged(r);
	return recorder_late_error(r);
}

void recorder_step_back(struct recorder *r)
{
	/* Only device_step_aside(..., true) can fail. */
	(void)device_step_aside(r->device.inner, false);
}

enum status recorder_own_begin(struct recorder *r)
{
	if (!r->capturing.count || r->relaxed)
		return STATUS_OK;
	return device_capture_relax(r->device.inner, true);
}

void recorder_own_end(struct recorder *r)
{
	struct error_record error;

	if (!r->capturing.count || r->relaxed)
		return;
	error_save(&error);
	device_capture_relax(r->device.inner, false);
	error_restore(&error);
}
