/* expression.c - recursive descent over the text of an expression; see expression.h. */
#include "tui/lab/case/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
#define MAX_NAME 64

struct parser {
	const char *text, *at;
	const char *what;
	const struct names *names;
	int depth;
	enum status status;
};

enum status names_set(struct names *names, const char *name, double value)
{
	int i = 0;

	while (i < names->count && strcmp(names->name[i], name) != 0)
		i++;
	if (i == MAX_NAMES)
		return fail(STATUS_INTERNAL, "%s: the maximum is %d sizes", name, MAX_NAMES);
	names->name[i] = name;
	names->value[i] = value;
	names->count += i == names->count;
	return STATUS_OK;
}

bool names_get(const struct names *names, const char *name, double *out)
{
	for (int i = 0; i < names->count; i++)
		if (strcmp(names->name[i], name) == 0) {
			*out = names->value[i];
			return true;
		}
	return false;
}

static double sum(struct parser *p);

static double wrong(struct parser *p, const char *expected)
{
	if (p->status == STATUS_OK)
		p->status = fail(STATUS_INTERNAL, "%s: \"%s\": expected %s at \"%s\"", p->what,
				 p->text, expected, p->at);
	return 0;
}

static bool take(struct parser *p, char c)
{
	p->at += strspn(p->at, " ");
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static double call(struct parser *p, const char *name)
{
	static const char *const functions[] = { "min", "max", "ceil", "floor", "sqrt" };
	double a = sum(p), b = 0;
	size_t i = 0;

	while (i < 5 && strcmp(functions[i], name) != 0)
		i++;
	if (i == 5)
		return wrong(p, "a function: min, max, ceil, floor or sqrt");
	if (i < 2) {
		if (!take(p, ','))
			return wrong(p, "a comma");
		b = sum(p);
	}
	if (!take(p, ')'))
		return wrong(p, "a )");
	return i == 0 ? fmin(a, b) : i == 1 ? fmax(a, b) : i == 2 ? ceil(a) : i == 3 ? floor(a)
		: sqrt(a);
}

static double name_or_call(struct parser *p)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789";
	size_t length = strspn(p->at, letters);
	char name[MAX_NAME];
	double value = 0;

	if (length == 0 || length >= sizeof name)
		return wrong(p, "a number or a name");
	memcpy(name, p->at, length);
	name[length] = '\0';
	if (p->at[length] == '(') {
		p->at += length + 1;
		return call(p, name);
	}
	if (!names_get(p->names, name, &value))
		return wrong(p, "the name of a size");
	p->at += length;
	return value;
}

static double factor(struct parser *p)
{
	double value;
	char *end;

	if (take(p, '-'))
		return -factor(p);
	if (take(p, '(')) {
		value = ++p->depth > MAX_DEPTH ? wrong(p, "fewer parentheses") : sum(p);
		p->depth--;
		return take(p, ')') ? value : wrong(p, "a )");
	}
	if ((*p->at < '0' || *p->at > '9') && *p->at != '.')
		return name_or_call(p);
	value = strtod(p->at, &end);
	if (end == p->at)
		return wrong(p, "a number");
	p->at = end;
	return value;
}

static double product(struct parser *p)
{
	double value = factor(p);

	while (p->status == STATUS_OK)
		if (take(p, '*'))
			value *= factor(p);
		else if (take(p, '/'))
			value /= factor(p);
		else if (take(p, '%'))
			value = fmod(value, factor(p));
		else
			break;
	return value;
}

static double sum(struct parser *p)
{
	double value = product(p);

	while (p->status == STATUS_OK)
		if (take(p, '+'))
			value += product(p);
		else if (take(p, '-'))
			value -= product(p);
		else
			break;
	return value;
}

enum status expression_value(const json_t *value, const struct names *names, const char *what,
			     double *out)
{
	struct parser p = { .what = what, .names = names };

	*out = 0;
	if (json_is_number(value)) {
		*out = json_number_value(value);
		return STATUS_OK;
	}
	if (!json_is_string(value))
		return fail(STATUS_INTERNAL, "%s: expected a number or an expression", what);
	p.text = p.at = json_string_value(value);
	*out = sum(&p);
	p.at += strspn(p.at, " ");
	if (p.status == STATUS_OK && *p.at)
		wrong(&p, "an operator");
	if (p.status == STATUS_OK && !isfinite(*out))
		return fail(STATUS_INTERNAL, "%s: \"%s\" is not finite", what, p.text);
	return p.status;
}

enum status expression_integer(const json_t *value, const struct names *names, const char *what,
			       int64_t min, int64_t max, int64_t *out)
{
	double result;

	TRY(expression_value(value, names, what, &result));
	if (result != floor(result) || result < (double)min || result > (double)max)
		return fail(STATUS_INTERNAL, "%s: expected an integer from %lld to %lld, got %g",
			    what, (long long)min, (long long)max, result);
	*out = (int64_t)result;
	return STATUS_OK;
}
