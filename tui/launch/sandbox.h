/* sandbox.h - where users' kernels are compiled and run: under bubblewrap, or with limits alone.
 *
 * A sandbox is a set of namespaces that `bwrap` makes: no network, own process ids, a read-only
 * view of the system and of what a run needs, and one writable folder, the scratch folder. Children
 * of this process join it (tui/launch/confine.h); tui/launch/supervise.h waits for them. Where
 * bwrap cannot make it, children get resource limits only. doc/security.md says what this protects.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* In the order of the choices of --sandbox. */
enum sandbox_mode { SANDBOX_AUTO, SANDBOX_YES, SANDBOX_NO };

struct sandbox_options {
	enum sandbox_mode mode;
	const char *command;            /* for the lines on stderr: "launch" */
	bool gpu;                       /* kernels run on a GPU too: only compiling is inside */
	int64_t timeout;                /* seconds from sandbox_create(); 0: no limit */
	uint64_t file_bytes;            /* the longest file; 0: 64 GiB */
	int jobs;                       /* sandboxes that share the memory; 0: this one only */
};

/* The fields are for tui/launch/ only. */
struct sandbox {
	struct sandbox_options options;
	char *scratch;                  /* a folder for temporary files, writable inside */
	char **shown, **hidden, **writable;     /* absolute paths */
	int shown_count, hidden_count, writable_count;
	bool started;
	pid_t bwrap;                    /* its process; 0: none */
	int holder;                     /* pidfd of the process whose namespaces are joined */
	int input;                      /* its standard input: it ends at the end of that */
	char *why;                      /* why bwrap is not used; NULL if it is */
	int64_t deadline_ms;            /* of the monotonic clock; 0: none */
	uint64_t memory;                /* maximum resident size of all processes, in bytes */
};

/* Makes the scratch folder. IO if that fails. */
enum status sandbox_create(const struct sandbox_options *, struct sandbox **out);
/* Before the start: a file or folder that is visible inside, or writable too. System folders are
 * visible anyway. */
void sandbox_show(struct sandbox *, const char *path);
void sandbox_show_folder_of(struct sandbox *, const char *file);
void sandbox_show_program(struct sandbox *, const char *program);
void sandbox_write(struct sandbox *, const char *path);
/* Before the start: makes a folder appear empty, if it exists, except for what is shown of it or in
 * it by its own name. Other names of it in what is shown are hidden too. */
void sandbox_hide(struct sandbox *, const char *folder);
/* Whether a program inside can read this file; everything if there is no bubblewrap. */
bool sandbox_sees(const struct sandbox *, const char *path);
/* Starts bubblewrap the first time. If it does not work: with mode auto prints one line, with mode
 * yes USAGE. */
enum status sandbox_start(struct sandbox *);
/* Kills everything that runs in the sandbox, or descends from this process if there is none. */
void sandbox_kill(struct sandbox *);
/* Ends the sandbox and removes the scratch folder. NULL is allowed. */
void sandbox_close(struct sandbox *);


/* One line for `info`: what --sandbox=auto gives here. `inside` says whether bubblewrap works. The
 * caller frees it. */
char *sandbox_describe(bool *inside);

#endif
