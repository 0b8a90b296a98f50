/* unit.h - what a preprocessed CUDA C file declares, as far as the rewriter has to know.
 *
 * Finds type names, function definitions and kernels, and reads the front part of declarations.
 * Parses no expressions and checks no types: whatever it lets pass, the C compiler judges
 * afterwards, on the same line. Functions that take a unit and an index look at the token there and
 * return token indices.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "sim/cu2c/token.h"

struct function {
	int name;                       /* token indices: its name, */
	int open;                       /* the '(' of its parameters, */
	int body;                       /* the '{' of its body, -1 for the prototype of a kernel, */
	int bounds;                     /* the '(' of __launch_bounds__, -1 if there is none */
	bool kernel;
};

/* Whose text it is. A user's file may hold host code too, which is taken out; CUDA's words for where
 * code runs and for inlining are still in it. */
struct unit_mode {
	bool user;
	bool cplusplus;
};

struct unit {
	struct tokens tokens;
	struct unit_mode mode;
	int *type_names;                /* tokens that some typedef declares */
	int type_name_count;
	struct function *functions;     /* in file order */
	int function_count;
};

/* Reads the file and turns the words of kernels (__global__, __launch_bounds__, extern "C") into
 * what C has for them; in a user's file takes out host functions. COMPILE as tokens_read(), and for
 * a launch (<<<) in device code. `text` must outlive the unit. Free with
 * unit_free(). */
enum status unit_read(const char *file, const char *text, size_t bytes, struct unit_mode,
		      struct unit *out);
void unit_free(struct unit *);

static inline const struct token *token_at(const struct unit *u, int at)
{
	return &u->tokens.at[at];
}

/* Words followed by brackets that are no parameters; of the second, the brackets say the type. */
extern const char *const unit_call_words[], *const unit_typeof_words[];
/* The first token after a word and the brackets that follow it. */
int unit_call_end(const struct unit *, int at);

/* The specifiers a declaration begins with: "static const struct x". */
struct specifiers {
	int end;                        /* first token after them */
	bool type;                      /* they name a type: this is a declaration */
	bool is_shared, is_extern;
};
/* certain: the caller knows that a declaration stands here, so an unknown word is a type. */
struct specifiers unit_specifiers(const struct unit *, int at, bool certain);

/* The name that the declarator at `at` declares: "f" in "(*const f)(int)". -1 if it has none. */
int unit_declarator_name(const struct unit *, int at);
/* The ',', ';', '=' or closing bracket that ends the declarator or initialiser at `at`. */
int unit_declarator_end(const struct unit *, int at);
/* The ',' or closing bracket that ends the parameter whose declarator is at `at`, its default
 * argument included. */
int unit_parameter_end(const struct unit *, int at);

/* Template arguments at `at`: the first token after their '>'. `at` itself when none are there. */
int unit_angle_end(const struct unit *, int at);
/* First token after the struct, union or enum specifier at `at`, its members included. */
int unit_tag_end(const struct unit *, int at);
/* First token after the statement at `at`. */
int unit_statement_end(const struct unit *, int at);

/* The function that the token names and this file defines, else NULL. */
const struct function *unit_function(const struct unit *, const struct token *name);

#endif
