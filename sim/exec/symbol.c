/* symbol.c - source lines of code addresses, through elfutils' libdw.
 *
 * The debug information of the program and its shared objects is opened at the first lookup and
 * kept, with one retry for objects loaded since then. Used by fault and deadlock reports.
 */
#include "config.h"

#include "sim/exec/symbol.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dwfl *session;

/* libdwfl would map an object so that it could write to it, which counts as data against the limit
 * of that. On failure it opens the object itself. */
static int find_object(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		       char **file, Elf **object)
{
	int fd = dwfl_linux_proc_find_elf(module, data, name, base, file, object);

	if (fd >= 0 && !*object && elf_version(EV_CURRENT) != EV_NONE)
		*object = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	return fd;
}

/* Adds the objects that are mapped now to those already known. */
static bool list_objects(void)
{
	static char *debug_path;        /* NULL: libdw's default paths of separate debug files */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_object,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debug_path
	};

	if (session)
		dwfl_report_begin_add(session);
	else if (!(session = dwfl_begin(&callbacks)))
		return false;
	return dwfl_linux_proc_report(session, getpid()) == 0
		&& dwfl_report_end(session, NULL, NULL) == 0;
}

/* libdw would exit with a code that means something else here. */
static void __attribute__((noreturn)) out_of_memory(void)
{
	xcheck(NULL);
	abort();
}

static Dwfl_Module *find_module(Dwarf_Addr address)
{
	Dwfl_Module *module = session ? dwfl_addrmodule(session, address) : NULL;
	Dwarf_Addr bias;
	Dwarf *dwarf;

	if (!module && list_objects())
		module = dwfl_addrmodule(session, address);
	dwarf = module ? dwfl_module_getdwarf(module, &bias) : NULL;
	if (dwarf)
		dwarf_new_oom_handler(dwarf, out_of_memory);
	return module;
}

/* The innermost function at the address. An inlined function has no symbol of its own. */
static const char *scope_name(Dwfl_Module *module, Dwarf_Addr address)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	Dwarf_Die *scopes = NULL;
	int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
	const char *name = NULL;

	for (int i = 0; i < count && !name; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			name = dwarf_diename(&scopes[i]);
	}
	free(scopes);
	return name;
}

/* The file name, without the directory that the compiler ran in. */
static const char *file_within(const char *file, const char *directory)
{
	size_t length = directory ? strlen(directory) : 0;

	if (file && length > 0 && strncmp(file, directory, length) == 0 && file[length] == '/')
		return file + length + 1;
	return file;
}

static const char *line_file(Dwfl_Line *line, int *number)
{
	const char *file = dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL);

	return file_within(file, dwfl_line_comp_dir(line));
}

static bool find(Dwarf_Addr address, struct symbol *out)
{
	Dwfl_Module *module = find_module(address);
	Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : NULL;

	*out = (struct symbol){ 0 };
	if (!module)
		return false;
	out->function = scope_name(module, address);
	if (!out->function)
		out->function = dwfl_module_addrname(module, address);
	if (line)
		out->file = line_file(line, &out->line);
	return out->function != NULL;
}

/* --- built-ins of the simulator that were inlined --- */

static bool is_under(const char *file, const char *folder)
{
	const char *at = strstr(file, folder);

	return at && (at == file || at[-1] == '/');
}

static bool is_builtin(const char *file)
{
	return file && (is_under(file, "sim/cuda/") || is_under(file, "base/math/"));
}

/* Also includes dim3, the type of threadIdx and the like. */
static bool is_ours(const char *file)
{
	return is_builtin(file) || (file && (strstr(file, "kernels/kernel_table.h")
					     || strstr(file, "kernels/dim3.h")));
}

/* Sets the place that an inlined function was called from. */
static bool call_place(Dwarf_Die *inlined, Dwarf_Die *unit, struct symbol_place *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line, column = 0;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0
	    || dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0
	    || dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
		return false;
	out->file = file_within(dwarf_filesrc(files, file, NULL, NULL), dwarf_formstring(
		dwarf_attr(unit, DW_AT_comp_dir, &attribute)));
	dwarf_formudata(dwarf_attr(inlined, DW_AT_call_column, &attribute), &column);
	out->line = (int)line;
	out->column = (int)column;
	return out->file != NULL;
}

/* The scopes around an address, as they are nested in the code; the caller frees *nest. */
static int nest_of(Dwarf_Addr address, Dwarf_Die **unit, Dwarf_Die **nest)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = find_module(address);
	Dwarf_Die *scopes = NULL;
	int count;

	*nest = NULL;
	*unit = module ? dwfl_module_addrdie(module, address, &bias) : NULL;
	count = *unit ? dwarf_getscopes(*unit, address - bias, &scopes) : 0;
	count = count > 0 ? dwarf_getscopes_die(&scopes[0], nest) : 0;
	free(scopes);
	return count;
}

/* Moves from the innermost function outwards to the first one that is not the simulator's. */
static void leave_ours(Dwarf_Addr address, struct symbol *out)
{
	Dwarf_Die *unit, *nest;
	int count = nest_of(address, &unit, &nest);
	struct symbol_place place;

	for (int i = 0; i < count && is_ours(out->file); i++)
		if (dwarf_tag(&nest[i]) == DW_TAG_inlined_subroutine
		    && call_place(&nest[i], unit, &place)) {
			out->file = place.file;
			out->line = place.line;
		}
	free(nest);
}

/* --- calls --- */

static bool line_place(Dwarf_Addr address, struct symbol_place *out)
{
	Dwfl_Module *module = find_module(address);
	Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : NULL;
	const char *file = line ? dwfl_lineinfo(line, NULL, &out->line, &out->column, NULL, NULL)
		: NULL;

	out->file = file ? file_within(file, dwfl_line_comp_dir(line)) : NULL;
	return out->file != NULL;
}

unsigned symbol_calls(uintptr_t address, bool itself, struct symbol_place *out, unsigned most)
{
	Dwarf_Die *unit, *nest;
	unsigned found = 0;
	int count;

	pthread_mutex_lock(&lock);
	found += itself && most > 0 && line_place(address, out);
	count = nest_of(address, &unit, &nest);
	for (int i = 0; i < count && found < most; i++)
		if (dwarf_tag(&nest[i]) == DW_TAG_inlined_subroutine)
			found += call_place(&nest[i], unit, &out[found]);
	free(nest);
	pthread_mutex_unlock(&lock);
	return found;
}

bool symbol_has_lines(uintptr_t address)
{
	struct symbol_place place;
	bool found;

	pthread_mutex_lock(&lock);
	found = line_place(address, &place);
	pthread_mutex_unlock(&lock);
	return found;
}

/* --- lines of a range of code --- */

/* Index of the first row that does not begin before the address; rows are in order of address. */
static size_t row_from(Dwarf_Lines *rows, size_t count, Dwarf_Addr address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr at;

		if (dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) == 0 && at < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* False for rows that do not begin a statement. */
static bool row_symbol(Dwarf_Line *row, Dwarf_Addr bias, const char *directory, struct symbol *out)
{
	bool statement = false, end = false;
	Dwarf_Addr at;

	*out = (struct symbol){ 0 };
	if (dwarf_linebeginstatement(row, &statement) != 0 || !statement
	    || dwarf_lineendsequence(row, &end) != 0 || end
	    || dwarf_lineno(row, &out->line) != 0 || out->line <= 0
	    || dwarf_lineaddr(row, &at) != 0)
		return false;
	out->file = file_within(dwarf_linesrc(row, NULL, NULL), directory);
	leave_ours(at + bias, out);
	return out->file != NULL && !is_ours(out->file);
}

/* libdw keeps 100 KB and more of a line table on the stack, and dies where a limit on addresses
 * (ulimit -v) does not let the stack grow. Exits with one line before that. */
static void need_addresses(void)
{
	enum { BYTES = 4 << 20 };
	void *probe = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	xcheck(probe == MAP_FAILED ? NULL : probe);
	munmap(probe, BYTES);
}

static void tell_lines(Dwarf_Addr before, Dwarf_Addr begin, Dwarf_Addr end,
		       void (*tell)(void *context, const char *file, int line), void *context)
{
	Dwfl_Module *module = find_module(begin);
	Dwarf_Addr bias, within, at;
	Dwarf_Die *unit = module ? dwfl_module_addrdie(module, begin, &bias) : NULL;
	Dwarf_Lines *rows;
	Dwarf_Attribute attribute;
	const char *directory;
	size_t count;
	GElf_Sym function;

	need_addresses();
	if (!unit || dwarf_getsrclines(unit, &rows, &count) != 0 || count == 0
	    || !dwfl_module_addrinfo(module, begin, &within, &function, NULL, NULL, NULL))
		return;
	if (end > begin - within + function.st_size)
		end = begin - within + function.st_size;
	if (before < begin - within)
		begin -= within;
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	for (size_t i = row_from(rows, count, begin - bias); i < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		struct symbol symbol;

		if (dwarf_lineaddr(row, &at) != 0 || at + bias >= end)
			return;
		if (row_symbol(row, bias, directory, &symbol))
			tell(context, symbol.file, symbol.line);
	}
}

void symbol_lines(uintptr_t before, uintptr_t begin, uintptr_t end,
		  void (*tell)(void *context, const char *file, int line), void *context)
{
	pthread_mutex_lock(&lock);
	tell_lines(before, begin, end, tell, context);
	pthread_mutex_unlock(&lock);
}

bool symbol_find_caller(const void *address, struct symbol *out)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = find((uintptr_t)address, out);
	if (found)
		leave_ours((uintptr_t)address, out);
	pthread_mutex_unlock(&lock);
	return found;
}

bool symbol_find(const void *address, struct symbol *out)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = find((uintptr_t)address, out);
	pthread_mutex_unlock(&lock);
	return found;
}

const char *symbol_of_variable(const void *address, size_t *offset)
{
	Dwfl_Module *module;
	const char *name = NULL;
	GElf_Off at = 0;
	GElf_Sym symbol;

	pthread_mutex_lock(&lock);
	module = find_module((uintptr_t)address);
	if (module)
		name = dwfl_module_addrinfo(module, (uintptr_t)address, &at, &symbol, NULL, NULL,
					    NULL);
	pthread_mutex_unlock(&lock);
	*offset = at;
	return name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT ? name : NULL;
}

__attribute__((destructor)) static void close_session(void)
{
	if (session)
		dwfl_end(session);
	session = NULL;
}

#else

bool symbol_find(const void *address, struct symbol *out)
{
	(void)address;
	*out = (struct symbol){ 0 };
	return false;
}

bool symbol_find_caller(const void *address, struct symbol *out)
{
	return symbol_find(address, out);
}

unsigned symbol_calls(uintptr_t address, bool itself, struct symbol_place *out, unsigned most)
{
	(void)address, (void)itself, (void)out, (void)most;
	return 0;
}

bool symbol_has_lines(uintptr_t address)
{
	(void)address;
	return false;
}

const char *symbol_of_variable(const void *address, size_t *offset)
{
	(void)address;
	*offset = 0;
	return NULL;
}

void symbol_lines(uintptr_t before, uintptr_t begin, uintptr_t end,
		  void (*tell)(void *context, const char *file, int line), void *context)
{
	(void)before, (void)begin, (void)end, (void)tell, (void)context;
}

#endif
