/* status.h - the error convention of flashtwin.
 *
 * Every function that can fail returns an enum status (0 is success) and writes one line of text,
 * with the offending values, to a per-thread error record. Results are returned through pointers.
 * Only the commands in tui/ turn a status into an exit code; nothing below them exits or prints.
 * Any file may include this header.
 */
#ifndef STATUS_H
#define STATUS_H

/* X(name, exit code, what it means). The exit codes are documented in flashtwin(1). */
#define STATUS_LIST(X) \
	X(OK,          0,   "done") \
	X(DIFFERS,     1,   "the runs differ") \
	X(DEVICE,      1,   "the device reported an error") \
	X(USAGE,       2,   "bad option, shape or value") \
	X(IO,          2,   "a file could not be read or written") \
	X(COMPILE,     3,   "the kernel did not compile") \
	X(FINDING,     4,   "the checker found something") \
	X(STEPS,       5,   "the step budget ran out") \
	X(LIMIT,       5,   "the time or the memory ran out") \
	X(DAMAGED,     6,   "the trace is damaged, foreign or newer") \
	X(INTERNAL,    70,  "flashtwin itself failed") \
	X(NO_GPU,      77,  "there is no GPU to run on") \
	X(INTERRUPTED, 130, "interrupted")

enum status {
#define X(name, exit_code, text) STATUS_##name,
	STATUS_LIST(X)
#undef X
};

/* Writes this thread's error record (printf style, one line, no newline) and returns `status`. */
enum status fail(enum status status, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* fail() for a CUDA error: also keeps the driver's numeric code (700, 1, ...) for error_code(). */
enum status fail_device(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* Puts "CONTEXT: " in front of the current message, and returns `status`. */
enum status fail_context(enum status status, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* A copy of the thread's error record, preserved across cleanup that may fail too. */
struct error_record {
	char text[1024];
	int code;
};
void error_save(struct error_record *);
void error_restore(const struct error_record *);
/* The first of two errors: `status`, whose record was saved, unless that is OK; else `then`, the
 * status of the cleanup that followed. */
enum status error_first(enum status status, const struct error_record *, enum status then);

const char *error_text(void);        /* the last message of this thread, or "" */
int error_code(void);                /* the CUDA error code of the last fail_device(), else 0 */
void error_clear(void);

int status_exit_code(enum status status);
const char *status_text(enum status status);
const char *status_name(enum status status);            /* "DAMAGED", as stored in traces */
enum status status_from_name(const char *name);         /* OK for an unknown name */

/* The one of two statuses that decides the exit code. The first of 70, 130, 6, 3, 5, 4, 1 wins;
 * 2 and 77 end a command at once, so they only outrank 1. */
enum status status_worse(enum status a, enum status b);

/* if ((status = f()) != 0) return status; */
#define TRY(expression) \
	do { \
		enum status try_status_ = (expression); \
		if (try_status_ != STATUS_OK) \
			return try_status_; \
	} while (0)

#endif
