/* object.h - reads the sections, symbols and relocations of an ELF64 file.
 *
 * Without a library: it must work wherever `launch` does. Nothing in the file is trusted: all
 * offsets and indices are checked here. Names are valid until object_close(). */
#ifndef OBJECT_H
#define OBJECT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct object {
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

/* IO if the file cannot be read. *valid is false if it is not an ELF64 file of this type, ET_REL or
 * ET_DYN, that has symbols. Call object_close() in any case. */
enum status object_open(const char *path, int type, struct object *out, bool *valid);
void object_close(struct object *);

const char *object_symbol_name(const struct object *, const Elf64_Sym *);
const char *object_section_name(const struct object *, const Elf64_Shdr *);
/* The bytes of a section, or NULL if it is not inside the file or not aligned. */
const void *object_section_data(const struct object *, const Elf64_Shdr *);
/* The relocations in a section; NULL if it has another type or wrong contents. */
const Elf64_Rela *object_relocations(const struct object *, const Elf64_Shdr *, size_t *count);
/* The symbol of a relocation; NULL if there is none. */
const Elf64_Sym *object_symbol_of(const struct object *, const Elf64_Rela *);

#endif
