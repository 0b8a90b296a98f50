/* isolate.h - runs a kernel in a child process, which reports to this one.
 *
 * The child may crash, end early, write anywhere and leave processes behind. The verdict is this
 * process's: a run succeeded only if the child ended normally and sent one complete report, sealed
 * with a number that it got at its start, and nothing else. What the checker finds is reported at
 * once, and cannot be taken back.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"

struct sandbox;

struct isolated {
	enum status (*fn)(void *context);
	void *context;
	struct sandbox *sandbox;
	bool gpu;                       /* runs outside of the sandbox */
	bool checker;                   /* fn may use the checker, */
	bool check;                     /* whose findings rule out success */
	/* Set by fn in the child, and then by isolate_run() in the parent. */
	json_t *answer;                 /* an object; the caller frees it. NULL: none */
	bool has_results;
	/* Set by isolate_run(): the child got as far as fn. If not, INTERNAL is not fn's fault. */
	bool started;
};

/* Runs fn in a child process and returns its status, with its message in the error record (but not
 * the CUDA error code). INTERNAL if the child ended without a valid report; LIMIT or INTERRUPTED
 * from supervise(). Other changes of fn to memory are lost, except to shared mappings; standard
 * output is flushed on both sides. Ends everything in the sandbox. */
enum status isolate_run(struct isolated *);

#endif
