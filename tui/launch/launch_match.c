/* launch_match.c - matches arguments with a kernel's parameters and device variables; see
 * launch_args.h.
 *
 * The compiler says which type a parameter has (struct kernel_param): a typedef does not hide it.
 */
#include "config.h"

#include "tui/launch/launch_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* What one value of the type is, or one that a pointer points to. False: a struct, or unknown. */
static bool element_of(const char *element, enum dtype *out)
{
	return element && dtype_from_name(element, out);
}

/* The same for a parameter by value: a vector of several values takes bytes. */
static bool value_of(const struct kernel_param *p, enum dtype *out)
{
	return element_of(p->element, out) && dtype_bytes(*out) == p->bytes;
}

static enum status expect_array(const struct kernel_param *p, const struct launch_arg *a)
{
	enum dtype wanted;

	if (!a->is_array && a->value.kind == PARAM_POINTER)
		return STATUS_OK;
	if (!a->is_array)
		return fail(STATUS_USAGE, "--arg %s=%s: parameter %s is '%s', which takes an array "
			    "(@IN.npy, >OUT.npy:DTYPE[N] or <>INOUT.npy) or null", a->name, a->spec,
			    p->name, p->type);
	if (element_of(p->element, &wanted) && wanted != a->array.dtype)
		return fail(STATUS_USAGE, "--arg %s=%s: parameter %s is '%s', which takes %s, not "
			    "%s", a->name, a->spec, p->name, p->type, dtype_name(wanted),
			    dtype_name(a->array.dtype));
	return STATUS_OK;
}

/* An enum of C++ has no kind of its own: it takes an integer of its size. */
static bool integer_as_bytes(const struct kernel_param *p, struct launch_arg *a)
{
	bool four = a->value.kind == PARAM_I32 || a->value.kind == PARAM_U32;

	if (a->is_array || p->bytes != (four ? 4 : 8)
	    || !(four || a->value.kind == PARAM_I64 || a->value.kind == PARAM_U64))
		return false;
	memcpy(a->bytes, &a->value.value, p->bytes);    /* little endian, as the devices are */
	a->value = (struct arg){ .kind = PARAM_BLOB, .value.blob = a->bytes, .bytes = p->bytes,
				 .alignment = p->alignment };
	return true;
}

/* A value that is not a plain number is passed as bytes: of a small scalar, or of an array. */
static enum status expect_bytes(const struct kernel_param *p, struct launch_arg *a)
{
	size_t bytes = a->array.count * dtype_bytes(a->array.dtype);
	enum dtype known;

	if (a->small && p->bytes == a->value.bytes
	    && (!value_of(p, &known) || strcmp(dtype_name(known), a->small) == 0)) {
		a->value.value.blob = a->bytes;         /* the argument may have moved here */
		a->value.alignment = p->alignment;
		return STATUS_OK;
	}
	if (integer_as_bytes(p, a))
		return STATUS_OK;
	if (value_of(p, &known))
		return fail(STATUS_USAGE, "--arg %s=%s: parameter %s is '%s', which takes %s:VALUE",
			    a->name, a->spec, p->name, p->type, dtype_name(known));
	if (!a->is_array || a->writes || bytes != p->bytes)
		return fail(STATUS_USAGE, "--arg %s=%s: parameter %s is '%s' by value, which takes "
			    "@IN.npy of exactly %zu bytes", a->name, a->spec, p->name, p->type,
			    p->bytes);
	a->is_array = false;
	a->value = (struct arg){ .kind = PARAM_BLOB, .value.blob = a->array.data, .bytes = bytes,
				 .alignment = p->alignment };
	return STATUS_OK;
}

static enum status expect_param(const struct kernel_param *p, struct launch_arg *a)
{
	if (p->kind == PARAM_POINTER)
		return expect_array(p, a);
	if (p->kind == PARAM_BLOB)
		return expect_bytes(p, a);
	if (a->is_array || a->value.kind != p->kind)
		return fail(STATUS_USAGE, "--arg %s=%s: parameter %s is '%s', which takes %s:VALUE",
			    a->name, a->spec, p->name, p->type, param_kind_name(p->kind));
	return STATUS_OK;
}

/* --- device variables --- */

static const struct kernel_variable *find_variable(const struct kernel *kernel, const char *name)
{
	for (const struct kernel_variable *v = kernel->variables; v && v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static enum status wrong_value(const struct launch_arg *a, const struct kernel_variable *v)
{
	return fail(STATUS_USAGE, "--arg %s=%s: variable %s is '%s', which takes %s%s%zu bytes",
		    a->name, a->spec, v->name, v->type,
		    v->element ? v->element : "an array",
		    v->element ? " in " : " of ", v->bytes);
}

/* The type that the argument has, by its spec. */
static const char *type_of(const struct launch_arg *a)
{
	return a->is_array ? dtype_name(a->array.dtype) : a->small ? a->small
		: param_kind_name(a->value.kind);
}

enum dtype launch_arg_dtype(const struct launch_arg *a)
{
	enum dtype dtype = DTYPE_U8;

	dtype_from_name(type_of(a), &dtype);
	return dtype;
}

static size_t bytes_of(const struct launch_arg *a)
{
	size_t bytes = dtype_bytes(a->array.dtype);
	enum dtype dtype;

	if (!a->is_array)
		return dtype_from_name(type_of(a), &dtype) ? dtype_bytes(dtype) : 0;
	for (int i = 0; i < a->array.rank; i++)
		if (__builtin_mul_overflow(bytes, (size_t)a->array.shape[i], &bytes))
			return 0;
	return bytes;
}

static enum status expect_variable(const struct kernel_variable *v, struct launch_arg *a)
{
	enum dtype wanted;

	if (bytes_of(a) != v->bytes)
		return wrong_value(a, v);
	if (element_of(v->element, &wanted) && strcmp(dtype_name(wanted), type_of(a)) != 0)
		return wrong_value(a, v);
	a->variable = v;
	return STATUS_OK;
}

/* --- all of them --- */

/* Moves the argument for parameter p to position `at`. False: there is none. */
static bool place(struct launch_args *args, const struct kernel_param *p, int at)
{
	for (int i = at; i < args->count; i++)
		if (strcmp(args->items[i].name, p->name) == 0) {
			struct launch_arg here = args->items[at];

			args->items[at] = args->items[i];
			args->items[i] = here;
			return true;
		}
	return false;
}

static bool is_given(const struct launch_args *args, const char *name)
{
	for (int i = 0; i < args->count; i++)
		if (strcmp(args->items[i].name, name) == 0)
			return true;
	return false;
}

/* One line that names every parameter without an argument. */
static enum status check_missing(const struct launch_args *args, const struct kernel_param *params,
				 int count, const char *kernel)
{
	char *text = NULL;
	const char *separator = "";
	enum status status = STATUS_OK;
	int missing = 0;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = 0; i < count; i++) {
		if (is_given(args, params[i].name))
			continue;
		fprintf(out, "%s%s ('%s')", separator, params[i].name, params[i].type);
		separator = ", ";
		missing++;
	}
	fclose(out);
	xcheck(text);
	if (missing)
		status = fail(STATUS_USAGE, "parameter%s %s of %s %s no --arg",
			      missing == 1 ? "" : "s", text, kernel,
			      missing == 1 ? "has" : "have");
	free(text);
	return status;
}

static enum status match_variable(struct launch_arg *a, const struct kernel *kernel)
{
	const struct kernel_variable *v = find_variable(kernel, a->name);

	if (!v)
		return fail(STATUS_USAGE, "--arg %s=%s: %s has no parameter %s, and its file no "
			    "device variable of that name", a->name, a->spec, kernel->name,
			    a->name);
	return expect_variable(v, a);
}

enum status launch_args_match(struct launch_args *args, const struct kernel *kernel)
{
	int count;
	const struct kernel_param *params = kernel_params(kernel, &count);

	for (int i = 0; i < args->count; i++)
		if (kernel_param_index(kernel, args->items[i].name) < 0)
			TRY(match_variable(&args->items[i], kernel));
	TRY(check_missing(args, params, count, kernel->name));
	for (int i = 0; i < count; i++)
		if (place(args, &params[i], i))
			TRY(expect_param(&params[i], &args->items[i]));
	args->param_count = count;
	return STATUS_OK;
}
