/* imports.c - compares the symbols and sections of an ELF object with lists; see imports.h. */
#include "config.h"

#include "tui/launch/imports.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "sim/cu2c/token.h"
#include "tui/datadir.h"
#include "tui/launch/object.h"
#include "tui/launch/user_text.h"

#define TEXT_LIMIT ((size_t)64 << 20)
#define LIST_LIMIT ((size_t)1 << 20)
#define PTX_PREFIX "ft_ptx_absent."

struct import_check {
	struct object object;
	const char *file;               /* the user's, for messages */
	const char *preprocessed;
	char *lists;                    /* allowed names, in the format of a linker's list */
};

static enum status malformed(const struct import_check *c)
{
	return fail(STATUS_COMPILE, "%s: the compiler made no object that this program can check: "
		    "expected ELF64", c->file);
}

/* --- symbols --- */

/* A list has lines "\tname;" or "\tprefix*;"; other lines are comments. */
bool imports_listed(const char *lists, const char *name)
{
	for (const char *p = lists; p; p = strchr(p, '\n')) {
		size_t length;

		p += strspn(p, " \t\n");
		length = strcspn(p, ";\n");
		if (p[length] != ';' || *p == '#')
			continue;
		if (length > 0 && p[length - 1] == '*'
		    ? strncmp(p, name, length - 1) == 0
		    : strlen(name) == length && strncmp(p, name, length) == 0)
			return true;
	}
	return false;
}

/* The last identifier of a mangled C++ name, which is what the source is likely to contain; the
 * caller frees it. */
static char *plain_name(const char *symbol)
{
	const char *found = symbol, *p = symbol;
	size_t length = strlen(symbol), left = length;

	if (strncmp(symbol, "_Z", 2) != 0)
		return xstrdup(symbol);
	for (p += 2; *p; ) {
		char *end;
		unsigned long size;

		if (!isdigit((unsigned char)*p)) {
			if (*p == 'I' || *p == 'E')     /* arguments follow */
				break;
			p++;
			continue;
		}
		size = strtoul(p, &end, 10);
		left = strlen(end);
		if (size == 0 || size > left)
			break;
		found = end;
		length = size;
		p = end + size;
	}
	return xasprintf("%.*s", (int)length, found);
}

/* A function without a model, as sim/cuda/cuda_c.h and cuda_cpp.h name it; else NULL. */
static const char *absent_name(const char *name)
{
	static const char *const prefixes[] = { "ft_absent_", "ft_over_" };

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return name + strlen(prefixes[i]);
	return NULL;
}

/* What the source has where the object has this name. */
static const char *source_name(const char *name)
{
	const char *absent = absent_name(name);

	return absent ? absent : name;
}

/* "FILE:LINE" of the first use of a name, or NULL. A float function may lack its f there. */
static char *find_name(const char *text, const char *name)
{
	char *where = user_text_find(text, name), *plain;
	size_t length = strlen(name);

	if (where || length < 2 || name[length - 1] != 'f')
		return where;
	plain = xasprintf("%.*s", (int)length - 1, name);
	where = user_text_find(text, plain);
	free(plain);
	return where;
}

/* An asm statement that cannot be translated, as sim/cu2c/unit_ptx.c names it: its line and the
 * instruction, in which a $ stands for a colon. */
static enum status refuse_ptx(const char *file, const char *text, const char *symbol)
{
	char *end, *instruction, *where;
	int line = (int)strtol(symbol + strlen(PTX_PREFIX), &end, 10);

	instruction = xstrdup(*end == '.' ? end + 1 : end);
	for (char *p = instruction; *p; p++)
		if (*p == '$')
			*p = ':';
	where = user_text_find_at(text, "asm", line);
	if (!where)
		where = user_text_find_at(text, "__asm__", line);
	fail(STATUS_COMPILE, "%s: inline PTX: %s is not supported in the simulator",
	     where ? where : file, instruction);
	free(where);
	free(instruction);
	return STATUS_COMPILE;
}

/* Whether what follows a qualifier declares the function, up to its parameters. */
static bool declares(const struct tokens *tokens, int from, const char *name)
{
	for (int i = from; i + 1 < tokens->count; i++) {
		const struct token *t = &tokens->at[i], *next = t + 1;

		if (token_is(t, ";") || token_is(t, "{"))
			return false;
		if (token_is(t, name))
			return token_is(next, "(") || token_is(next, "<");
		if (token_opens(t) && t->match > i)
			i = t->match;
	}
	return false;
}

/* Why an object lacks a function, from the user's declarations of it. */
static const char *why_missing(const char *file, const char *text, const char *name)
{
	const char *why = "it is a function of the host";
	struct tokens tokens;

	if (tokens_read(file, text, strlen(text), &tokens) != STATUS_OK)
		return why;
	for (int i = 0; i < tokens.count; i++) {
		const struct token *t = &tokens.at[i];

		if (t->system || t->kind != TOKEN_IDENTIFIER)
			continue;
		if (token_is(t, "__global__") && declares(&tokens, i + 1, name))
			why = "no file of the program defines it";
		else if (token_is(t, "__device__") && declares(&tokens, i + 1, name))
			why = "its file does not define it";
	}
	tokens_free(&tokens);
	return why;
}

enum status imports_refuse(const char *file, const char *preprocessed, const char *symbol)
{
	char *name = plain_name(symbol), *text = NULL, *where = NULL;
	const char *absent = absent_name(name);
	enum status status;
	size_t bytes;

	if (file_read(preprocessed, TEXT_LIMIT, &text, &bytes) == STATUS_OK)
		where = find_name(text, source_name(name));
	if (strncmp(name, PTX_PREFIX, strlen(PTX_PREFIX)) == 0)
		status = refuse_ptx(file, text ? text : "", name);
	else if (absent)
		status = fail(STATUS_COMPILE, "%s: %s has no bit-exact model in the simulator",
			      where ? where : file, absent);
	else
		status = fail(STATUS_COMPILE, "%s: %s%s%s cannot be used in a kernel: %s",
			      where ? where : file, name,
			      strcmp(name, symbol) != 0 ? ", linked as " : "",
			      strcmp(name, symbol) != 0 ? symbol : "",
			      why_missing(file, text ? text : "", name));
	free(where);
	free(text);
	free(name);
	return status;
}

static enum status check_symbols(const struct import_check *c)
{
	const struct object *o = &c->object;

	for (size_t i = 1; i < o->symbol_count; i++) {
		const Elf64_Sym *s = &o->symbols[i];
		const char *name = object_symbol_name(o, s);

		if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
			return fail(STATUS_COMPILE, "%s: %s is an ifunc: its resolver would run "
				    "when the kernel is loaded", c->file, name);
		if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx < o->section_count
		    && (o->sections[s->st_shndx].sh_flags & SHF_EXECINSTR))
			return fail(STATUS_COMPILE, "%s: %s is data in a section of code", c->file,
				    name);
		if (s->st_shndx == SHN_UNDEF && *name && !imports_listed(c->lists, name))
			return imports_refuse(c->file, c->preprocessed, name);
	}
	return STATUS_OK;
}

/* --- code that runs at load time --- */

/* gcc's names for a file's initialisation, and for that of ThreadSanitizer, with their sections.
 * user_text_refuse() keeps users from defining functions of these names. */
static const struct { const char *section, *function; } initialisers[] = {
	{ ".init_array", "_GLOBAL__sub_I_" },
	{ ".init_array.00099", "_sub_I_00099" },
};

/* Whether gcc's own initialisation is all that a section of initialisers holds: one entry, for the
 * only function of that name, which is local. */
static bool is_own_initialiser(const struct object *o, const Elf64_Shdr *section, const char *name)
{
	const char *function = "";
	size_t functions = 0;

	for (size_t i = 0; i < sizeof initialisers / sizeof initialisers[0]; i++)
		if (strcmp(name, initialisers[i].section) == 0)
			function = initialisers[i].function;
	for (size_t i = 1; i < o->symbol_count && *function; i++) {
		const Elf64_Sym *s = &o->symbols[i];

		if (strncmp(object_symbol_name(o, s), function, strlen(function)) == 0
		    && ELF64_ST_BIND(s->st_info) == STB_LOCAL
		    && ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			functions++;
	}
	return section->sh_type == SHT_INIT_ARRAY && section->sh_size == sizeof(uint64_t)
		&& functions == 1;
}

static enum status check_sections(const struct import_check *c)
{
	const struct object *o = &c->object;
	static const char *const old[] = { ".ctors", ".dtors", ".init", ".fini", NULL };

	for (size_t i = 1; i < o->section_count; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const char *name = object_section_name(o, s);
		bool runs = s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY
			|| s->sh_type == SHT_PREINIT_ARRAY;

		for (int k = 0; old[k]; k++)
			runs |= strcmp(name, old[k]) == 0
				|| (strncmp(name, old[k], strlen(old[k])) == 0
				    && name[strlen(old[k])] == '.');
		if (strncmp(name, ".init_array", 11) == 0 || strncmp(name, ".fini_array", 11) == 0)
			runs = true;
		if (runs && s->sh_size > 0 && !is_own_initialiser(o, s, name))
			return fail(STATUS_COMPILE, "%s: a constructor or destructor function: "
				    "code of a kernel may not run when it is loaded or unloaded",
				    c->file);
		if ((s->sh_flags & SHF_EXECINSTR) && (s->sh_flags & SHF_WRITE))
			return fail(STATUS_COMPILE, "%s: section %s is writable code", c->file,
				    name);
	}
	return STATUS_OK;
}

/* --- reading --- */

enum status imports_read_lists(char **out)
{
	static const char *const names[] = { "exports", "imports", NULL };
	char *include = datadir_include();
	enum status status = STATUS_OK;

	*out = xstrdup("");
	for (int i = 0; names[i] && status == STATUS_OK; i++) {
		char *path = xasprintf("%s/sim/cuda/runtime.%s", include, names[i]);
		char *text = NULL, *both;
		size_t bytes;

		status = file_read(path, LIST_LIMIT, &text, &bytes);
		if (status == STATUS_OK) {
			both = xasprintf("%s\n%s", *out, text);
			free(*out);
			*out = both;
		}
		free(text);
		free(path);
	}
	free(include);
	return status;
}

enum status imports_check(const char *object, const char *file, const char *preprocessed)
{
	struct import_check c = { .file = file, .preprocessed = preprocessed };
	enum status status = imports_read_lists(&c.lists);
	bool valid = true;

	if (status == STATUS_OK)
		status = object_open(object, ET_REL, &c.object, &valid);
	if (status == STATUS_OK && !valid)
		status = malformed(&c);
	if (status == STATUS_OK)
		status = check_sections(&c);
	if (status == STATUS_OK)
		status = check_symbols(&c);
	object_close(&c.object);
	free(c.lists);
	return status;
}
