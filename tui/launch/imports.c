/* imports.c - reads the symbols and sections of an ELF object; see imports.h.
 *
 * Both ELF64 and the lists are read here, without a library: it must work wherever `launch` does.
 */
#include "config.h"

#include "tui/launch/imports.h"

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/datadir.h"
#include "tui/launch/user_text.h"

#define OBJECT_LIMIT ((size_t)1 << 30)
#define TEXT_LIMIT ((size_t)64 << 20)
#define LIST_LIMIT ((size_t)1 << 20)

struct object {
	const char *file;               /* the user's, for messages */
	const char *preprocessed;
	char *lists;                    /* allowed names, in the format of a linker's list */
	char *bytes;
	size_t count;
	const Elf64_Shdr *sections;
	size_t section_count;
	const Elf64_Sym *symbols;
	size_t symbol_count;
	const char *names;              /* of symbols; ends with a NUL */
	size_t names_size;
	const char *section_names;
	size_t section_names_size;
};

static enum status malformed(const struct object *o)
{
	return fail(STATUS_COMPILE, "%s: the compiler made no object that this program can check: "
		    "expected ELF64", o->file);
}

/* --- the object --- */

/* The bytes of a section, or NULL if it is not inside the file or not aligned. */
static const void *section_data(const struct object *o, const Elf64_Shdr *s)
{
	if (s->sh_offset > o->count || s->sh_size > o->count - s->sh_offset
	    || s->sh_offset % sizeof(uint64_t) * (s->sh_type != SHT_STRTAB) != 0)
		return NULL;
	return o->bytes + s->sh_offset;
}

/* Names: a section that ends with a NUL. */
static const char *read_names(const struct object *o, size_t index, size_t *size)
{
	const Elf64_Shdr *s = index < o->section_count ? &o->sections[index] : NULL;
	const char *names = s && s->sh_type == SHT_STRTAB ? section_data(o, s) : NULL;

	if (!names || s->sh_size == 0 || names[s->sh_size - 1] != '\0')
		return NULL;
	*size = s->sh_size;
	return names;
}

static bool read_symbols(struct object *o)
{
	for (size_t i = 0; i < o->section_count; i++) {
		const Elf64_Shdr *s = &o->sections[i];

		if (s->sh_type != SHT_SYMTAB)
			continue;
		o->symbols = section_data(o, s);
		o->symbol_count = s->sh_size / sizeof *o->symbols;
		o->names = read_names(o, s->sh_link, &o->names_size);
		return o->symbols && o->names && s->sh_entsize == sizeof *o->symbols;
	}
	return false;
}

static bool read_object(struct object *o)
{
	const Elf64_Ehdr *h = (const void *)o->bytes;

	if (o->count < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
	    || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL
	    || h->e_shentsize != sizeof *o->sections || h->e_shoff > o->count
	    || h->e_shoff % sizeof(uint64_t) != 0 || o->count - h->e_shoff < sizeof *o->sections)
		return false;
	o->sections = (const void *)(o->bytes + h->e_shoff);
	/* With very many sections the numbers are in the first one. */
	o->section_count = h->e_shnum ? h->e_shnum : o->sections[0].sh_size;
	if (o->section_count > (o->count - h->e_shoff) / sizeof *o->sections)
		return false;
	o->section_names = read_names(o, h->e_shstrndx == SHN_XINDEX ? o->sections[0].sh_link
				      : h->e_shstrndx, &o->section_names_size);
	return o->section_names && read_symbols(o);
}

static const char *symbol_name(const struct object *o, const Elf64_Sym *s)
{
	return s->st_name < o->names_size ? o->names + s->st_name : "";
}

/* --- symbols --- */

/* A list has lines "\tname;" or "\tprefix*;"; other lines are comments. */
static bool is_listed(const char *lists, const char *name)
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

static enum status refuse_symbol(const struct object *o, const char *symbol)
{
	char *name = plain_name(symbol), *text = NULL, *where = NULL;
	enum status status;
	size_t bytes;

	if (file_read(o->preprocessed, TEXT_LIMIT, &text, &bytes) == STATUS_OK)
		where = user_text_find(text, name);
	status = fail(STATUS_COMPILE, "%s: %s%s%s cannot be used in a kernel: it is a function of "
		      "the host", where ? where : o->file, name,
		      strcmp(name, symbol) != 0 ? ", linked as " : "",
		      strcmp(name, symbol) != 0 ? symbol : "");
	free(where);
	free(text);
	free(name);
	return status;
}

static enum status check_symbols(const struct object *o)
{
	for (size_t i = 1; i < o->symbol_count; i++) {
		const Elf64_Sym *s = &o->symbols[i];
		const char *name = symbol_name(o, s);

		if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
			return fail(STATUS_COMPILE, "%s: %s is an ifunc: its resolver would run "
				    "when the kernel is loaded", o->file, name);
		if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx < o->section_count
		    && (o->sections[s->st_shndx].sh_flags & SHF_EXECINSTR))
			return fail(STATUS_COMPILE, "%s: %s is data in a section of code", o->file,
				    name);
		if (s->st_shndx == SHN_UNDEF && *name && !is_listed(o->lists, name))
			return refuse_symbol(o, name);
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

		if (strncmp(symbol_name(o, s), function, strlen(function)) == 0
		    && ELF64_ST_BIND(s->st_info) == STB_LOCAL
		    && ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			functions++;
	}
	return section->sh_type == SHT_INIT_ARRAY && section->sh_size == sizeof(uint64_t)
		&& functions == 1;
}

static enum status check_sections(const struct object *o)
{
	static const char *const old[] = { ".ctors", ".dtors", ".init", ".fini", NULL };

	for (size_t i = 1; i < o->section_count; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const char *name = s->sh_name < o->section_names_size
			? o->section_names + s->sh_name : "";
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
				    o->file);
		if ((s->sh_flags & SHF_EXECINSTR) && (s->sh_flags & SHF_WRITE))
			return fail(STATUS_COMPILE, "%s: section %s is writable code", o->file,
				    name);
	}
	return STATUS_OK;
}

/* --- reading --- */

/* Reads both lists from the folder of flashtwin's headers; the caller frees the text. */
static enum status read_lists(char **out)
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
	struct object o = { .file = file, .preprocessed = preprocessed };
	enum status status = read_lists(&o.lists);

	if (status == STATUS_OK)
		status = file_read(object, OBJECT_LIMIT, &o.bytes, &o.count);
	if (status == STATUS_OK && !read_object(&o))
		status = malformed(&o);
	if (status == STATUS_OK)
		status = check_sections(&o);
	if (status == STATUS_OK)
		status = check_symbols(&o);
	free(o.bytes);
	free(o.lists);
	return status;
}
