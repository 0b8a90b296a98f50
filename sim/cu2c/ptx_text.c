/* ptx_text.c - translates the text of an asm statement; see ptx_text.h.
 *
 * An instruction `@p mul.lo.s32 %0, x, 3;` becomes
 * `if (ft_x_p.is()) { ft_0 = ft_ptx_mul_lo<int>(ft_x_x, ft_reg(3ULL)); }`. Blocks stay blocks, and
 * each `.reg` declares variables. Vectors become lists: of values, or of addresses of registers.
 * Labels and branches to them become C's, with names of their own for each statement.
 */
#include "config.h"

#include "sim/cu2c/ptx_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/ptx_count.h"
#include "sim/cu2c/ptx_table.h"

#define MAX_OPERANDS 8
#define MAX_ELEMENTS 16
#define MAX_DEPTH 16

/* A piece of the text. */
struct piece { const char *at; int length; };

struct operand {
	char shape;                     /* 'a', '{' or '[': see ptx_find() */
	struct piece parts[MAX_ELEMENTS];       /* elements; an address and its offset; d and p */
	int count;
	bool negated;                   /* !p */
};

struct translation {
	const char *p;                  /* the rest of the text */
	FILE *out;
	int count;                      /* operands of the asm statement */
	const struct ptx_place *place;
	int number;                     /* of the instruction */
	bool carries;                   /* the carry has a value */
	struct piece *declared;         /* registers of the open blocks */
	int declared_count, depth, opened[MAX_DEPTH];
	struct piece instruction;       /* the current one */
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_blank(struct translation *t)
{
	for (;;) {
		const char *end = NULL;

		t->p += strspn(t->p, " \t\r\n");
		if (t->p[0] == '/' && t->p[1] == '/')
			end = strchr(t->p, '\n');
		else if (t->p[0] == '/' && t->p[1] == '*')
			end = strstr(t->p + 2, "*/");
		else
			return;
		t->p = end ? end + (*end == '*' ? 2 : 1) : t->p + strlen(t->p);
	}
}

/* Whether the text goes on with this character, which is skipped. */
static bool take(struct translation *t, char c)
{
	skip_blank(t);
	if (*t->p != c)
		return false;
	t->p++;
	return true;
}

static struct piece take_name(struct translation *t)
{
	struct piece name;

	skip_blank(t);
	name.at = t->p;
	if (*t->p == '%')
		t->p++;
	while (is_name(*t->p))
		t->p++;
	name.length = (int)(t->p - name.at);
	return name;
}

/* Writes a name that may contain % and $ as part of a C++ name. */
static void write_name(struct translation *t, struct piece name)
{
	for (int i = 0; i < name.length; i++) {
		char c = name.at[i];

		if (c == '%' || c == '$')
			fputs(c == '%' ? "_p" : "_d", t->out);
		else
			fputc(c, t->out);
	}
}

/* --- registers --- */

static bool same(struct piece a, struct piece b)
{
	return a.length == b.length && memcmp(a.at, b.at, (size_t)a.length) == 0;
}

static bool is_declared(const struct translation *t, struct piece name)
{
	for (int i = 0; i < t->declared_count; i++)
		if (same(t->declared[i], name))
			return true;
	return false;
}

static void write_register(struct translation *t, struct piece name)
{
	fputs("ft_x_", t->out);
	write_name(t, name);
}

static void declare(struct translation *t, struct piece name)
{
	t->declared = xreallocarray(t->declared, (size_t)t->declared_count + 1,
				    sizeof *t->declared);
	t->declared[t->declared_count++] = name;
	fputs("ft_reg ", t->out);
	write_register(t, name);
	fputs("; ", t->out);
}

/* `.reg .b32 a, b;` */
static bool translate_declaration(struct translation *t)
{
	skip_blank(t);
	if (*t->p != '.' || t->p[1] == 'v')     /* vectors as variables are not supported */
		return false;
	t->p++;
	take_name(t);
	do {
		struct piece name = take_name(t);

		if (name.length == 0)
			return false;
		declare(t, name);
	} while (take(t, ','));
	return take(t, ';');
}

/* --- operands --- */

/* A register, a constant, or a name with a part, "%tid.x". */
static bool read_value(struct translation *t, struct piece *out)
{
	skip_blank(t);
	out->at = t->p;
	if (*t->p == '-')
		t->p++;
	else if (*t->p == '%')
		t->p++;
	bool number = isdigit((unsigned char)*t->p);
	while (is_name(*t->p) || (*t->p == '.' && (number || is_name(t->p[1])))
	       || ((*t->p == '-' || *t->p == '+') && (t->p[-1] == 'e' || t->p[-1] == 'E')
		   && isdigit((unsigned char)*out->at)))
		t->p++;
	out->length = (int)(t->p - out->at);
	return out->length > 0;
}

static bool read_list(struct translation *t, struct operand *o)
{
	o->shape = '{';
	do {
		if (o->count == MAX_ELEMENTS || !read_value(t, &o->parts[o->count++]))
			return false;
	} while (take(t, ','));
	return take(t, '}');
}

static bool read_address(struct translation *t, struct operand *o)
{
	o->shape = '[';
	o->count = 1;
	if (!read_value(t, &o->parts[0]))
		return false;
	if (take(t, '+')) {
		o->count = 2;
		if (!read_value(t, &o->parts[1]))
			return false;
	}
	return take(t, ']');
}

static bool read_operand(struct translation *t, struct operand *o)
{
	*o = (struct operand){ .shape = 'a' };
	if (take(t, '{'))
		return read_list(t, o);
	if (take(t, '['))
		return read_address(t, o);
	o->negated = take(t, '!');
	o->count = 1;
	if (!read_value(t, &o->parts[0]))
		return false;
	if (!take(t, '|'))
		return true;
	o->count = 2;
	return read_value(t, &o->parts[1]);
}

/* --- writing operands --- */

/* Whether it is operand N of the asm statement or a register that the text declares. */
static bool is_register(const struct translation *t, struct piece v)
{
	if (v.at[0] == '%' && isdigit((unsigned char)v.at[1]))
		return atoi(v.at + 1) < t->count;
	return is_declared(t, v);
}

static bool write_place(struct translation *t, struct piece v)
{
	if (v.length == 1 && *v.at == '_')
		fputs("ft_unused", t->out);
	else if (!is_register(t, v))
		return false;
	else if (isdigit((unsigned char)v.at[1]) && v.at[0] == '%')
		fprintf(t->out, "ft_%d", atoi(v.at + 1));
	else
		write_register(t, v);
	return true;
}

/* A constant as in PTX: 0f3f800000, 0d..., 1.5, 12U, 0x1f. */
static void write_constant(struct translation *t, struct piece v, const char *type)
{
	bool negative = *v.at == '-';
	const char *p = v.at + negative;
	int length = v.length - negative;
	bool hex = length > 1 && p[0] == '0' && strchr("xX", p[1]);

	if (length > 2 && p[0] == '0' && strchr("fFdD", p[1]))
		fprintf(t->out, "ft_reg(0x%.*sULL)", length - 2, p + 2);
	else if (!hex && (memchr(p, '.', (size_t)length) || memchr(p, 'e', (size_t)length)))
		fprintf(t->out, "ft_reg((%s)%.*s)", strcmp(type, "f64") == 0 ? "double" : "float",
			v.length, v.at);
	else
		fprintf(t->out, "ft_reg(%s%.*sLL)", negative ? "-" : "",
			length - (p[length - 1] == 'U'), p);
}

static bool write_value(struct translation *t, struct piece v, const char *type)
{
	const char *special = ptx_special(v.at, v.length);

	if (special)
		fprintf(t->out, "ft_reg(%s)", special);
	else if (isdigit((unsigned char)*v.at)
		 || (*v.at == '-' && isdigit((unsigned char)v.at[1])))
		write_constant(t, v, type);
	else if (v.length == 7 && memcmp(v.at, "WARP_SZ", 7) == 0)
		fputs("ft_reg(32)", t->out);
	else
		return is_register(t, v) && write_place(t, v);
	return true;
}

static bool write_source(struct translation *t, const struct operand *o, const char *type)
{
	bool ok = true;

	if (o->shape == '{') {
		fprintf(t->out, "ft_values<%d>{ { ", o->count);
		for (int i = 0; i < o->count && ok; i++) {
			ok = write_value(t, o->parts[i], type);
			fputs(i + 1 < o->count ? ", " : " } }", t->out);
		}
		return ok;
	}
	fputs(o->negated ? "ft_reg(!" : "", t->out);
	ok = write_value(t, o->parts[0], type);
	fputs(o->negated ? ".is())" : "", t->out);
	return ok && o->count == 1;
}

static bool write_places(struct translation *t, const struct operand *o)
{
	bool ok = true;

	fprintf(t->out, "ft_places<%d>{ { ", o->count);
	for (int i = 0; i < o->count && ok; i++) {
		fputs("&", t->out);
		ok = write_place(t, o->parts[i]);
		fputs(i + 1 < o->count ? ", " : " } }", t->out);
	}
	return ok;
}

static bool write_address(struct translation *t, const struct operand *o, bool shared)
{
	fputs(shared ? "ft_ptx_shared(" : "ft_ptx_address(", t->out);
	if (!write_value(t, o->parts[0], "b64"))
		return false;
	fputs(", ", t->out);
	if (o->count == 1)
		fputs("0", t->out);
	else if (!write_value(t, o->parts[1], "b64"))
		return false;
	fputs(")", t->out);
	return true;
}

/* --- instructions --- */

static void write_site(struct translation *t)
{
	const struct ptx_place *p = t->place;

	fprintf(t->out, "({ static const struct ft_site ft_site_ = { \"%.*s\", \"%.*s\", %d, %d };"
		" &ft_site_; })", t->instruction.length, t->instruction.at, p->file_length, p->file,
		p->line, (1 << 24) + (p->number % (1 << 22)) * 64 + t->number % 64);
}

/* Writes one operand as the function takes it. */
static bool write_argument(struct translation *t, char kind, const struct operand *o,
			   const char *type)
{
	switch (kind) {
	case '|':
		fputs("&", t->out);
		if (o->count == 2)
			return write_place(t, o->parts[1]);
		fputs("ft_unused", t->out);
		return true;
	case '}': return write_places(t, o);
	case 'm':
	case 's': return write_address(t, o, kind == 's');
	default:  return write_source(t, o, type);
	}
}

static bool is_zero(const struct operand *o)
{
	return o->parts[0].length == 1 && *o->parts[0].at == '0';
}

/* `d = function<types>(site, carry, operands);` */
static bool write_call(struct translation *t, const struct ptx_form *form,
		       const struct operand *list, int count)
{
	const char *separator = "";
	int at = 0;

	if (strpbrk(form->operands, "=|")) {
		if (!write_place(t, list[0].parts[0]))
			return false;
		fputs(" = ", t->out);
	}
	fputs(form->name, t->out);
	if (*form->types && !strchr(form->name, '<'))
		fprintf(t->out, "<%s>", form->types);
	fputs("(", t->out);
	for (const char *k = form->operands; *k && (at < count || strchr("$c", *k)); k++) {
		if (strchr("=zh", *k)) {
			at++;
			continue;
		}
		if (*k == '.')
			continue;
		fputs(separator, t->out);
		separator = ", ";
		if (*k == '$')
			write_site(t);
		else if (*k == 'c')
			fputs("ft_carry", t->out);
		else if (!write_argument(t, *k, &list[at++], form->last_type))
			return false;
	}
	fputs("); ", t->out);
	return true;
}

/* Whether each vector has as many registers as the instruction takes. */
static bool has_registers(struct piece i, const struct operand *list, int count)
{
	for (int k = 0; k < count; k++) {
		int expected = ptx_count(i.at, i.length, k);

		if (list[k].shape == '{' && expected >= 0 && list[k].count != expected)
			return false;
	}
	return true;
}

/* addc, subc or madc */
static bool takes_carry(struct piece i)
{
	return i.length > 4 && i.at[3] == 'c' && i.at[4] == '.';
}

static bool translate_instruction(struct translation *t)
{
	struct operand list[MAX_OPERANDS];
	char shapes[MAX_OPERANDS + 1] = "";
	struct ptx_form form;
	int count = 0;

	t->number++;
	while (!take(t, ';')) {
		if (!*t->p)             /* the last ; may be missing */
			break;
		if (count == MAX_OPERANDS || (count > 0 && !take(t, ','))
		    || !read_operand(t, &list[count]))
			return false;
		shapes[count] = list[count].shape == 'a' && is_zero(&list[count])
			? '0' : list[count].shape;
		shapes[++count] = '\0';
	}
	if (!ptx_find(t->instruction.at, t->instruction.length, shapes, &form)
	    || !has_registers(t->instruction, list, count))
		return false;
	if (*form.operands == 'c') {
		/* What an earlier asm statement left in the carry is not defined. */
		if (takes_carry(t->instruction) && !t->carries)
			return false;
		t->carries = true;
	}
	return write_call(t, &form, list, count);
}

/* `@p` or `@!p` before an instruction. */
static bool translate_guard(struct translation *t)
{
	bool negated = take(t, '!');

	fprintf(t->out, "if (%s", negated ? "!" : "");
	if (!write_place(t, take_name(t)))
		return false;
	fputs(".is()) ", t->out);
	return true;
}

static bool take_instruction(struct translation *t)
{
	skip_blank(t);
	t->instruction.at = t->p;
	while (is_name(*t->p) || *t->p == '.' || *t->p == ':')
		t->p++;
	t->instruction.length = (int)(t->p - t->instruction.at);
	return t->instruction.length > 0 && t->p[-1] != ':';
}

/* --- labels --- */

static void write_label(struct translation *t, struct piece name)
{
	fprintf(t->out, "ft_l_%d_", t->place->number);
	write_name(t, name);
}

/* `NAME:` */
static bool take_label(struct translation *t)
{
	const char *before = t->p;
	struct piece name = take_name(t);

	if (name.length == 0 || *name.at == '%' || *t->p != ':' || t->p[1] == ':') {
		t->p = before;
		return false;
	}
	t->p++;
	write_label(t, name);
	fputs(": ; ", t->out);
	return true;
}

static bool is_branch(struct piece i)
{
	return (i.length == 3 && memcmp(i.at, "bra", 3) == 0)
		|| (i.length == 7 && memcmp(i.at, "bra.uni", 7) == 0);
}

static bool translate_branch(struct translation *t)
{
	struct piece name = take_name(t);

	fputs("goto ", t->out);
	write_label(t, name);
	fputs("; ", t->out);
	return name.length > 0 && take(t, ';');
}

static bool translate_step(struct translation *t)
{
	return is_branch(t->instruction) ? translate_branch(t) : translate_instruction(t);
}

static bool translate_statement(struct translation *t)
{
	if (take(t, '{')) {
		if (t->depth == MAX_DEPTH)
			return false;
		t->opened[t->depth++] = t->declared_count;
		fputs("{ ", t->out);
		return true;
	}
	if (take(t, '}')) {
		if (t->depth == 0)
			return false;
		t->declared_count = t->opened[--t->depth];
		fputs("} ", t->out);
		return true;
	}
	if (take(t, ';'))
		return true;
	if (take(t, '@')) {
		t->instruction = (struct piece){ t->p, (int)strcspn(t->p, " \t\n") };
		return translate_guard(t) && take_instruction(t) && translate_step(t);
	}
	if (take_label(t))
		return true;
	if (!take_instruction(t)) {
		if (t->instruction.length == 0)
			t->instruction.length = (int)strcspn(t->p, " \t\n;");
		return false;
	}
	if (t->instruction.length == 4 && memcmp(t->instruction.at, ".reg", 4) == 0)
		return translate_declaration(t);
	return translate_step(t);
}

char *ptx_translate(const char *text, int count, const struct ptx_place *place, char **absent)
{
	char *result = NULL;
	size_t size;
	struct translation t = { .p = text, .count = count, .place = place };
	bool ok = true;

	t.out = xcheck(open_memstream(&result, &size));
	fputs("ft_reg ft_unused, ft_carry; (void)ft_unused; (void)ft_carry; ", t.out);
	for (skip_blank(&t); ok && *t.p; skip_blank(&t))
		ok = translate_statement(&t);
	ok = ok && t.depth == 0;
	fclose(t.out);
	free(t.declared);
	if (ok)
		return xcheck(result);
	*absent = xasprintf("%.*s", t.instruction.length, t.instruction.at);
	free(result);
	return NULL;
}
