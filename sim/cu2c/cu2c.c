/* cu2c.c - the token rewriter as a program: converts preprocessed CUDA C to C for the simulator.
 *
 *     gcc -E -x c -include sim/cuda/cuda_c.h k.cu | cu2c --variant plain -o k.i -
 *
 * Used only by the build; rewrite.c does the work. Errors are one line on stderr, in the form of
 * compiler errors (FILE:LINE: TEXT). Exits with 3 for errors in the source, 2 for options and
 * files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/status.h"
#include "base/xalloc.h"
#include "sim/cu2c/rewrite.h"

struct options {
	const char *variant, *input, *output;   /* output NULL: standard output */
};

static enum status read_options(int argc, char **argv, struct options *o)
{
	*o = (struct options){ 0 };
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--variant") == 0 && i + 1 < argc)
			o->variant = argv[++i];
		else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			o->output = argv[++i];
		else if (!o->input && (argv[i][0] != '-' || strcmp(argv[i], "-") == 0))
			o->input = argv[i];
		else
			return fail(STATUS_USAGE, "cu2c: unexpected argument '%s'", argv[i]);
	}
	if (!o->variant || !o->input)
		return fail(STATUS_USAGE, "usage: cu2c --variant NAME [-o OUT] IN");
	return STATUS_OK;
}

static enum status read_stream(const char *name, FILE *in, char **text, size_t *bytes)
{
	size_t capacity = 1 << 16, got;

	*text = xmalloc(capacity);
	*bytes = 0;
	while ((got = fread(*text + *bytes, 1, capacity - *bytes, in)) > 0) {
		*bytes += got;
		if (*bytes == capacity) {
			capacity *= 2;
			*text = xrealloc(*text, capacity);
		}
	}
	if (!ferror(in))
		return STATUS_OK;
	free(*text);
	return fail(STATUS_IO, "%s: cannot read: %s", name, strerror(errno));
}

static enum status read_input(const char *name, char **text, size_t *bytes)
{
	enum status status;
	FILE *in;

	if (strcmp(name, "-") == 0)
		return read_stream("standard input", stdin, text, bytes);
	in = fopen(name, "rb");
	if (!in)
		return fail(STATUS_IO, "%s: cannot read: %s", name, strerror(errno));
	status = read_stream(name, in, text, bytes);
	fclose(in);
	return status;
}

static enum status write_output(const char *name, const char *text)
{
	if (!name) {
		if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
			return fail(STATUS_IO, "standard output: cannot write: %s",
				    strerror(errno));
		return STATUS_OK;
	}
	return output_text(name, text);
}

static enum status convert(int argc, char **argv)
{
	struct options o;
	char *text, *result;
	size_t bytes;
	enum status status;

	TRY(read_options(argc, argv, &o));
	TRY(read_input(o.input, &text, &bytes));
	status = rewrite_kernels(o.input, text, bytes, o.variant, &result);
	free(text);
	if (status != STATUS_OK)
		return status;
	status = write_output(o.output, result);
	free(result);
	return status;
}

int main(int argc, char **argv)
{
	enum status status = convert(argc, argv);

	if (status != STATUS_OK)
		fprintf(stderr, "%s\n", error_text());
	return status_exit_code(status);
}
