/* user_arrays.c - finds out whether a user's file makes pointers from arrays; see user_arrays.h.
 *
 * Compilers check indices of arrays by themselves. To check pointers into them, they keep the
 * arrays in memory, which makes a kernel with arrays in registers several times as slow: so they do
 * it only where it may find something. Knows tokens only, not types.
 */
#include "config.h"

#include "tui/launch/user_arrays.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "sim/cu2c/token.h"

#define TEXT_LIMIT ((size_t)64 << 20)

struct arrays {
	const struct tokens *tokens;
	int *at;                        /* the tokens with their names */
	int count;
};

/* Whether a declaration whose name is token i is of shared memory, or of no memory. */
static bool is_elsewhere(const struct tokens *tokens, int i)
{
	static const char *const words[] = { "__shared__", "extern", "typedef", NULL };
	static const char *const ends[] = { ";", "{", "}", NULL };

	for (i--; i >= 0 && !token_among(&tokens->at[i], ends); i--)
		if (token_among(&tokens->at[i], words))
			return true;
	return false;
}

/* Whether token i is the name of an array in its declaration: a word, the name, a bracket. */
static bool declares(const struct tokens *tokens, int i)
{
	static const char *const not_types[] = {
		"return", "else", "case", "do", "sizeof", "throw", "new", "delete", "goto",
		"operator", NULL
	};
	const struct token *name = &tokens->at[i];

	return i > 0 && name->kind == TOKEN_IDENTIFIER && !name->system && token_is(name + 1, "[")
		&& name[-1].kind == TOKEN_IDENTIFIER && !token_among(name - 1, not_types)
		&& !is_elsewhere(tokens, i);
}

static void add(struct arrays *arrays, int i)
{
	arrays->at = xreallocarray(arrays->at, (size_t)arrays->count + 1, sizeof *arrays->at);
	arrays->at[arrays->count++] = i;
}

/* The name that follows in the same declaration, as b in `float a[4], b[4]`; 0: none. */
static int next_of(const struct tokens *tokens, int i)
{
	int end = tokens->at[i + 1].match;

	while (end > 0 && token_is(&tokens->at[end + 1], "["))
		end = tokens->at[end + 1].match;
	if (end > 0 && token_is(&tokens->at[end + 1], "=") && token_is(&tokens->at[end + 2], "{"))
		end = tokens->at[end + 2].match;
	if (end <= 0 || !token_is(&tokens->at[end + 1], ",")
	    || tokens->at[end + 2].kind != TOKEN_IDENTIFIER || !token_is(&tokens->at[end + 3], "["))
		return 0;
	return end + 2;
}

static bool is_array(const struct arrays *arrays, const struct token *token)
{
	for (int i = 0; i < arrays->count; i++)
		if (token_same(&arrays->tokens->at[arrays->at[i]], token))
			return true;
	return false;
}

/* Whether token i is an array's name and neither indexed nor measured. */
static bool escapes(const struct arrays *arrays, int i)
{
	const struct token *token = &arrays->tokens->at[i];

	if (token->kind != TOKEN_IDENTIFIER || token->system || i < 2 || !is_array(arrays, token)
	    || token_is(token - 1, "sizeof")
	    || (token_is(token - 1, "(") && token_is(token - 2, "sizeof")))
		return false;
	return !token_is(token + 1, "[") || token_is(token - 1, "&");
}

enum status user_arrays_escape(const char *preprocessed, bool *out)
{
	struct tokens tokens;
	struct arrays arrays = { .tokens = &tokens };
	char *text;
	size_t bytes;
	enum status status;

	*out = false;
	TRY(file_read(preprocessed, TEXT_LIMIT, &text, &bytes));
	status = tokens_read(preprocessed, text, bytes, &tokens);
	if (status == STATUS_OK) {
		for (int i = 0; i < tokens.count - 1; i++)
			if (declares(&tokens, i))
				for (int at = i; at; at = next_of(&tokens, at))
					add(&arrays, at);
		for (int i = 0; i < tokens.count - 1 && !*out; i++)
			*out = escapes(&arrays, i);
		tokens_free(&tokens);
	}
	free(arrays.at);
	free(text);
	return status;
}
