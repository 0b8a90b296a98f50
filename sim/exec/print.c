/* print.c - printf of a kernel, as CUDA formats it.
 *
 * A GPU leaves the formatting to the host's C library, but parses the format itself: it accepts
 * %[flags][width][.precision][size]type with the flags "# 0-+", a width that may be '*', the sizes
 * h, l and ll and the types diouxXpeEfgGaAcs. Anything else, such as %zu, is printed literally and
 * takes no argument; so is every specification after the 32nd argument. The result is the number of
 * arguments taken. Used by sim/cuda/cuda_c.h.
 */
#include "config.h"

#include "sim/cuda/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PRINTED 32          /* arguments after the format */
#define MAX_SPEC 64             /* a longer specification is printed literally */

struct spec {
	char text[MAX_SPEC];            /* as passed to the C library */
	int stars;                      /* 1: the width is an argument */
	int longs;                      /* number of 'l's */
	char type;
};

static const char *pass_digits(const char *p)
{
	return p + strspn(p, "0123456789");
}

/* Reads the specification that begins at the '%'. Returns the text after it, or NULL if invalid. */
static const char *read_spec(const char *format, struct spec *spec)
{
	const char *p = format + 1, *size;
	size_t length;

	*spec = (struct spec){ 0 };
	p += strspn(p, "# 0-+");
	spec->stars = *p == '*';
	p = spec->stars ? p + 1 : pass_digits(p);
	if (*p == '.')
		p = pass_digits(p + 1);
	size = p;
	if (*p == 'h') {
		p++;
	} else {
		spec->longs = (int)strspn(p, "l");
		p += spec->longs;
	}
	if (!*p || !strchr("diouxXpeEfgGaAcs", *p) || spec->longs > 2 || p - format >= MAX_SPEC - 1)
		return NULL;
	spec->type = *p++;
	/* A size has a meaning for integers only. */
	length = (size_t)((strchr("diouxX", spec->type) ? p - 1 : size) - format);
	memcpy(spec->text, format, length);
	spec->text[length] = spec->type;
	return p;
}

#define PRINT(value) \
	(spec->stars ? printf(spec->text, width, (value)) : printf(spec->text, (value)))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_one(const struct spec *spec, va_list *arguments)
{
	int width = spec->stars ? va_arg(*arguments, int) : 0;

	switch (spec->type) {
	case 'e': case 'E': case 'f': case 'g': case 'G': case 'a': case 'A':
		PRINT(va_arg(*arguments, double));
		break;
	case 'p':
		PRINT(va_arg(*arguments, void *));
		break;
	case 's':
		PRINT(va_arg(*arguments, const char *));
		break;
	case 'c':
		PRINT(va_arg(*arguments, int));
		break;
	default:
		if (spec->longs)
			PRINT(va_arg(*arguments, long long));
		else
			PRINT(va_arg(*arguments, int));
	}
}
#pragma GCC diagnostic pop

int ft_printf(const char *format, ...)
{
	va_list arguments;
	int taken = 0;

	if (!format)
		return -1;
	va_start(arguments, format);
	for (const char *p = format; *p; ) {
		size_t plain = strcspn(p, "%");
		struct spec spec;
		const char *after;

		fwrite(p, 1, plain, stdout);
		p += plain;
		if (!*p)
			break;
		after = p[1] == '%' ? NULL : read_spec(p, &spec);
		if (after && taken + spec.stars < MAX_PRINTED) {
			print_one(&spec, &arguments);
			taken += spec.stars + 1;
			p = after;
		} else {
			putchar('%');
			p += 1 + (p[1] == '%');
		}
	}
	va_end(arguments);
	return taken;
}
