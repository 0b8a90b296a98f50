/* unit.h - the declarations of a preprocessed CUDA C file that the rewriter needs.
 *
 * Finds type names, function definitions and kernels, and reads specifiers and declarators. Does
 * not parse expressions or check types: the C compiler reports errors later, on the same line.
 * Functions that take a unit and an index read from that token on, and return token indices. Used
 * by the rewriter.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "sim/cu2c/token.h"

struct function {
	int name;                       /* these are token indices: of its name, */
	int open;                       /* of the '(' of its parameters, */
	int body;                       /* of the '{' of its body, -1 for a kernel's prototype, */
	int bounds;                     /* of the '(' of __launch_bounds__, -1 if it has none, */
	int cluster;                    /* of the '(' of __cluster_dims__, -1 if it has none */
	bool kernel;
	bool droppable;                 /* its body can be left out if nothing names it */
};

/* A __device__ or __constant__ variable outside functions: tokens of its declaration's first, its
 * name, and the ',' or ';' after it. */
struct unit_variable {
	int start, name, end;
};

/* A function uses a static shared variable that is declared outside functions. */
struct shared_use {
	const struct function *function;
	const struct token *name;       /* where it is declared */
};

/* The tokens of a declaration, with the last one, and its function's name; -1: it has none. */
struct unit_range {
	int first, last, name;
};

/* The kind of file. A user's file may contain host code, which is removed, and CUDA's
 * execution-space and inlining qualifiers. */
struct unit_mode {
	bool user;
	bool cplusplus;
	bool whole;                     /* see struct rewrite_user */
	bool launched;                  /* REWRITE_LAUNCHED */
	/* PASS_KERNELS: not of a whole program. */
	enum { PASS_KERNELS, PASS_HOST, PASS_DEVICE } pass;
};

struct unit {
	struct tokens tokens;
	struct unit_mode mode;
	int *type_names;                /* tokens that a typedef declares */
	int type_name_count;
	struct function *functions;     /* in file order */
	int function_count;
	struct shared_use *shared_uses; /* written by the rewriter */
	int shared_use_count;
	struct unit_variable *variables;        /* of a user's file; see variables.h */
	int variable_count;
	char **kept;                    /* texts that tokens refer to */
	int kept_count;
	bool orders_some, orders_seen;  /* of a program's file; see struct sim_code */
	bool nests;                     /* launches in device code may be of its kernels */
	struct unit_range *dropped;     /* declarations that were removed, in file order */
	int dropped_count;
	int *host_functions;            /* a program's functions for the host only: their '{' */
	int host_function_count;
};

/* Reads the file. Replaces the qualifiers of kernels (__global__, __launch_bounds__,
 * __cluster_dims__, extern "C") by C; in a user's file, removes host functions. COMPILE as for
 * tokens_read(), and for device code that the simulator does not support, such as a launch (<<<).
 * `text` must outlive the unit. Free with unit_free(). */
enum status unit_read(const char *file, const char *text, size_t bytes, struct unit_mode,
		      struct unit *out);
void unit_free(struct unit *);

static inline const struct token *token_at(const struct unit *u, int at)
{
	return &u->tokens.at[at];
}

/* Keywords followed by parentheses that hold no parameters; typeof keywords hold a type in them. */
extern const char *const unit_call_keywords[], *const unit_typeof_keywords[];
/* The first token after a keyword and the parentheses that follow it. */
int unit_call_end(const struct unit *, int at);

/* The specifiers at the beginning of a declaration: "static const struct x". */
struct specifiers {
	int end;                        /* first token after them */
	bool type;                      /* they name a type, so this is a declaration */
	bool is_shared, is_extern;
};
/* certain: the caller knows that this is a declaration, so an unknown identifier is a type. */
struct specifiers unit_specifiers(const struct unit *, int at, bool certain);

/* The name that the declarator at `at` declares: "f" in "(*const f)(int)". -1 if it has none. */
int unit_declarator_name(const struct unit *, int at);
/* The ',', ';', '=' or closing bracket that ends the declarator or initialiser at `at`. */
int unit_declarator_end(const struct unit *, int at);
/* The ',' or closing bracket that ends the parameter whose declarator is at `at`, its default
 * argument included. */
int unit_parameter_end(const struct unit *, int at);

/* The first token after the template arguments at `at`; `at` itself if there are none. */
int unit_angle_end(const struct unit *, int at);
/* The first token after the struct, union or enum specifier at `at`, including its members. */
int unit_tag_end(const struct unit *, int at);
/* The first token after the statement at `at`. */
int unit_statement_end(const struct unit *, int at);

#endif
