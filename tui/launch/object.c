/* object.c - reads ELF64 files; see object.h. */
#include "config.h"

#include "tui/launch/object.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define OBJECT_LIMIT ((size_t)1 << 30)

const void *object_section_data(const struct object *o, const Elf64_Shdr *s)
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
	const char *names = s && s->sh_type == SHT_STRTAB ? object_section_data(o, s) : NULL;

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
		o->symbols = object_section_data(o, s);
		o->symbol_count = s->sh_size / sizeof *o->symbols;
		o->names = read_names(o, s->sh_link, &o->names_size);
		return o->symbols && o->names && s->sh_entsize == sizeof *o->symbols;
	}
	return false;
}

static bool read_object(struct object *o, int type)
{
	const Elf64_Ehdr *h = (const void *)o->bytes;

	if (o->count < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
	    || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != type
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

enum status object_open(const char *path, int type, struct object *out, bool *valid)
{
	*out = (struct object){ 0 };
	*valid = false;
	TRY(file_read(path, OBJECT_LIMIT, &out->bytes, &out->count));
	*valid = read_object(out, type);
	return STATUS_OK;
}

void object_close(struct object *o)
{
	free(o->bytes);
	*o = (struct object){ 0 };
}

const char *object_symbol_name(const struct object *o, const Elf64_Sym *s)
{
	return s->st_name < o->names_size ? o->names + s->st_name : "";
}

const char *object_section_name(const struct object *o, const Elf64_Shdr *s)
{
	return s->sh_name < o->section_names_size ? o->section_names + s->sh_name : "";
}

const Elf64_Rela *object_relocations(const struct object *o, const Elf64_Shdr *s, size_t *count)
{
	const Elf64_Rela *list = s->sh_type == SHT_RELA && s->sh_entsize == sizeof *list
		? object_section_data(o, s) : NULL;

	*count = list ? s->sh_size / sizeof *list : 0;
	return list;
}

const Elf64_Sym *object_symbol_of(const struct object *o, const Elf64_Rela *r)
{
	size_t index = ELF64_R_SYM(r->r_info);

	return index > 0 && index < o->symbol_count ? &o->symbols[index] : NULL;
}
