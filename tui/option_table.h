/* option_table.h - what options there are: the commands that take each, its value, its help.
 *
 * The rows are in tui/option_list.h. Holds no code that parses or prints, so that the program that
 * makes the completions needs nothing else. Used by tui/options.c, tui/option_help.c and
 * tui/completions.c.
 */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* X(ID, name): every command, in the order in which `flashtwin --help` lists them. */
#define COMMAND_LIST(X) \
	X(DECODE, decode) X(ATTEND, attend) X(LAUNCH, launch) X(RUN, run) X(CC, cc) \
	X(REPLAY, replay) \
	X(DIFF, diff) X(VERIFY, verify) X(VIEW, view) X(FIND, find) X(SQL, sql) X(EXPORT, export) \
	X(LAB, lab) X(BENCH, bench) X(INFO, info)

enum command_id {
#define X(id, name) COMMAND_##id,
	COMMAND_LIST(X)
#undef X
	COMMAND_COUNT
};

/* Bits for sets of commands. */
enum {
#define X(id, name) ON_##id = 1 << COMMAND_##id,
	COMMAND_LIST(X)
#undef X
};

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "tui/option_list.h"
#undef OPTION
	OPTION_COUNT
};

/* The headings in --help. */
enum option_group { GROUP_OWN, GROUP_RUN, GROUP_RECORD, GROUP_COUNT };

enum option_kind {
	KIND_NONE,                      /* a flag */
	KIND_TEXT,                      /* parsed by the command */
	KIND_FILE, KIND_DIRECTORY,
	KIND_INTEGER,                   /* from min to max */
	KIND_UNSIGNED,                  /* of 64 bits */
	KIND_FLOAT,                     /* finite */
	KIND_NAME,                      /* one of `names` */
	KIND_LIST                       /* of `names`, separated by commas; parsed by the command */
};

struct option_row {
	const char *name;               /* without dashes; NULL: only a letter */
	char letter;                    /* 0: none */
	unsigned commands;              /* ON_... */
	enum option_group group;
	enum option_kind kind;
	bool optional;                  /* the value, after '=' */
	const char *argument;           /* metavariable; NULL: the names, or none for a flag */
	int64_t min, max;
	const char *names;              /* separated by spaces */
	/* Wrapped by tui/option_help.c; \n begins a line. After it come the names, where `argument`
	 * stands for them. */
	const char *help;
};

/* In the order of --help. */
extern const struct option_row option_table[OPTION_COUNT];
/* By enum command_id. */
extern const char *const command_names[COMMAND_COUNT];

/* The next of a row's names and its length; NULL after the last. *at begins as row->names. */
const char *option_name_next(const char **at, int *length);

#endif
