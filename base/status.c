/* status.c - the per-thread error record, and what each status means.
 *
 * Holds one message and one CUDA error code per thread. Does not print or exit: main.c prints the
 * message once, at the end. Used by everything above kernels/ to report errors.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"

#define TEXT_BYTES sizeof(((struct error_record *)0)->text)

static _Thread_local char text[TEXT_BYTES];
static _Thread_local int device_code;

/* Formats into a copy first: an argument may be error_text() itself. A path or kernel name may
 * contain any byte; the message must stay one line, and harmless on a terminal. */
__attribute__((format(printf, 1, 0)))
static void set_text(const char *format, va_list args)
{
	char line[TEXT_BYTES];

	vsnprintf(line, sizeof line, format, args);
	visible_copy(text, sizeof text, line);
}

enum status fail(enum status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_text(format, args);
	va_end(args);
	device_code = 0;
	return status;
}

enum status fail_device(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_text(format, args);
	va_end(args);
	device_code = code;
	return STATUS_DEVICE;
}

enum status fail_context(enum status status, const char *format, ...)
{
	char context[TEXT_BYTES], line[2 * TEXT_BYTES + 2];
	va_list args;

	va_start(args, format);
	vsnprintf(context, sizeof context, format, args);
	va_end(args);
	snprintf(line, sizeof line, "%s: %s", context, text);
	visible_copy(text, sizeof text, line);
	return status;
}

const char *error_text(void)
{
	return text;
}

int error_code(void)
{
	return device_code;
}

void error_clear(void)
{
	text[0] = '\0';
	device_code = 0;
}

void error_save(struct error_record *record)
{
	strcpy(record->text, text);
	record->code = device_code;
}

void error_restore(const struct error_record *record)
{
	strcpy(text, record->text);
	device_code = record->code;
}

enum status error_first(enum status status, const struct error_record *record, enum status then)
{
	if (status == STATUS_OK)
		return then;
	error_restore(record);
	return status;
}

/* --- what a status means --- */

int status_exit_code(enum status status)
{
	switch (status) {
#define X(name, exit_code, text) case STATUS_##name: return exit_code;
	STATUS_LIST(X)
#undef X
	}
	return 70;
}

const char *status_text(enum status status)
{
	switch (status) {
#define X(name, exit_code, text) case STATUS_##name: return text;
	STATUS_LIST(X)
#undef X
	}
	return "unknown status";
}

const char *status_name(enum status status)
{
	switch (status) {
#define X(name, exit_code, text) case STATUS_##name: return #name;
	STATUS_LIST(X)
#undef X
	}
	return "unknown";
}

enum status status_from_name(const char *name)
{
#define X(status_, exit_code, text) \
	if (strcmp(name, #status_) == 0) \
		return STATUS_##status_;
	STATUS_LIST(X)
#undef X
	return STATUS_OK;
}

/* Rank of a status by its exit code: 0, 1, (77, 2), 4, 5, 3, 6, 130, 70. The highest wins. */
static int rank(enum status status)
{
	static const int order[] = { 0, 1, 77, 2, 4, 5, 3, 6, 130, 70 };
	int code = status_exit_code(status);
	int at = 0;

	while (order[at] != code)
		at++;
	return at;
}

enum status status_worse(enum status a, enum status b)
{
	return rank(b) > rank(a) ? b : a;
}
