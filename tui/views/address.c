/* address.c - reads and writes linear addresses; see address.h. */
#include "tui/views/address.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct address address_none = {
	.run = -1, .op = -1, .step = -1, .launch = -1, .block = -1, .warp = -1, .lane = -1,
	.point = -1, .access = -1, .output = -1, .element = -1, .file = -1, .line = -1
};

/* Takes a number and the dot after it; without a number it takes nothing and returns false. */
static bool take_number(const char **at, int64_t *out)
{
	char *end;
	int64_t number;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	number = strtoll(*at, &end, 10);
	if (errno != 0 || (*end != '\0' && (*end != '.' || end[1] == '\0')))
		return false;
	*out = number;
	*at = *end == '.' ? end + 1 : end;
	return true;
}

/* The same with a letter before it. */
static bool take(const char **at, char letter, int64_t *out)
{
	const char *number = *at + 1;

	if (**at != letter || !take_number(&number, out))
		return false;
	*at = number;
	return true;
}

/* "op 17", as differences are printed, or "op17". */
static bool take_op(const char **at, int64_t *out)
{
	const char *number = *at + strlen("op");

	if (strncmp(*at, "op", strlen("op")) != 0)
		return false;
	number += *number == ' ';
	if (!take_number(&number, out))
		return false;
	*at = number;
	return true;
}

static bool take_end(const char **at, bool *out)
{
	if (strcmp(*at, "end") != 0)
		return false;
	*at += 3;
	return *out = true;
}

static void take_place_in_launch(const char **at, struct address *a)
{
	if (take(at, 'o', &a->output)) {
		take(at, 'e', &a->element);
		return;
	}
	if (take(at, 'b', &a->block) && take(at, 'w', &a->warp))
		take(at, 'l', &a->lane);
	if (!take(at, 'p', &a->point))
		take(at, 'a', &a->access);
	take(at, 'f', &a->file);
	take(at, 'n', &a->line);
}

enum status address_parse(const char *what, const char *text, struct address *out)
{
	const char *at = text;
	bool some;

	*out = address_none;
	some = take(&at, 'r', &out->run);
	if (take(&at, 's', &out->step)) {
		some = true;
		take_end(&at, &out->end);
	} else if (take_op(&at, &out->op)) {
		some = true;
	} else if (take(&at, 'L', &out->launch)) {
		some = true;
		if (!take_end(&at, &out->end))
			take_place_in_launch(&at, out);
	}
	if (some && *at == '\0')
		return STATUS_OK;
	return fail(STATUS_USAGE,
		    "%s %s: expected an address such as L12, L12.b3.w0.l7.p2, L12.end, s4 or op 7,"
		    " got '%s'",
		    what, text, at);
}

static void append(char text[ADDRESS_TEXT], const char *letter, int64_t number)
{
	size_t used = strlen(text);

	if (number >= 0)
		snprintf(text + used, ADDRESS_TEXT - used, "%s%s%" PRId64, used ? "." : "", letter,
			 number);
}

void address_format(const struct address *a, char text[ADDRESS_TEXT])
{
	text[0] = '\0';
	append(text, "r", a->run);
	append(text, "op ", a->op);
	append(text, "s", a->step);
	append(text, "L", a->launch);
	append(text, "b", a->block);
	append(text, "w", a->warp);
	append(text, "l", a->lane);
	append(text, "p", a->point);
	append(text, "a", a->access);
	append(text, "o", a->output);
	append(text, "e", a->element);
	append(text, "f", a->file);
	append(text, "n", a->line);
	if (a->end)
		strcat(text, ".end");
}

bool address_equal(const struct address *a, const struct address *b)
{
	return a->run == b->run && a->op == b->op && a->step == b->step && a->launch == b->launch
		&& a->block == b->block && a->warp == b->warp && a->lane == b->lane
		&& a->point == b->point && a->access == b->access && a->output == b->output
		&& a->element == b->element && a->file == b->file && a->line == b->line
		&& a->end == b->end;
}

static bool covers(int64_t number, int64_t place)
{
	return number < 0 || number == place;
}

bool address_covers(const struct address *a, const struct address *place)
{
	if (address_equal(a, &address_none))
		return false;
	return (place->run < 0 || covers(a->run, place->run)) && covers(a->op, place->op)
		&& covers(a->step, place->step) && covers(a->launch, place->launch)
		&& covers(a->block, place->block) && covers(a->warp, place->warp)
		&& covers(a->lane, place->lane) && covers(a->point, place->point)
		&& covers(a->access, place->access) && covers(a->output, place->output)
		&& covers(a->element, place->element) && covers(a->file, place->file)
		&& covers(a->line, place->line);
}
