/* user_kernel.c - compiles a user's .cu file and loads one kernel of it; see user_kernel.h.
 *
 * For the simulator: preprocess with sim/user.h in front, rewrite (sim/rewrite.h), compile into
 * a shared object, dlopen. For a GPU: nvcc makes a fatbin of the same file. All lies in a
 * temporary directory. $CXX, $CC and $NVCC choose the compilers; an empty $CXX stands for none.
 */
#include "config.h"

#include "tui/user_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/file.h"
#include "sim/rewrite.h"
#include "traces/output.h"
#include "traces/xalloc.h"
#include "tui/datadir.h"
#include "tui/user_headers.h"

#define SOURCE_LIMIT ((size_t)64 << 20)
#define FATBIN_LIMIT ((size_t)1 << 30)
#define MAX_WORDS 128

struct user_kernel {
	struct kernel kernel;
	struct kernel_code code;
	struct kernel_source *sources;          /* the file, the user's headers, and the end */
	int source_count;
	char *file;
	bool cplusplus;
	char *directory;                /* temporary; NULL before it is made */
	char *source, *fatbin;
	size_t source_bytes;
	unsigned long fatbin_bytes;
	void *object;                   /* of dlopen() */
};

extern char **environ;

/* --- programs --- */

struct words {
	const char *at[MAX_WORDS + 1];  /* NULL-terminated */
	int count;
};

static void add_word(struct words *words, const char *word)
{
	if (words->count < MAX_WORDS)
		words->at[words->count++] = word;
}

static void add_words(struct words *words, const char *const *list)
{
	while (*list)
		add_word(words, *list++);
}

/* Splits `text`, which is changed and must stay, at its blanks. */
static void add_text(struct words *words, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add_word(words, word);
}

/* Whether the program can be run: a path, or a name on $PATH. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(name, '/') || !path)
		return access(name, X_OK) == 0;
	for (size_t length; *path && !found; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)length, path, name);

		found = access(file, X_OK) == 0;
		free(file);
	}
	return found;
}

/* The first of $VARIABLE and the names that can be run, else NULL. The variable, when set,
 * decides. */
static const char *find_program(const char *variable, const char *const *names)
{
	const char *chosen = getenv(variable);

	if (chosen)
		return *chosen && is_program(chosen) ? chosen : NULL;
	for (; *names; names++)
		if (is_program(*names))
			return *names;
	return NULL;
}

static enum status run_program(const struct words *words, const char *file)
{
	int error, ended;
	pid_t child;

	error = posix_spawnp(&child, words->at[0], NULL, NULL, (char *const *)words->at, environ);
	if (error != 0)
		return fail(STATUS_USAGE, "%s: %s", words->at[0], strerror(error));
	while (waitpid(child, &ended, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_INTERNAL, "%s: %s", words->at[0], strerror(errno));
	if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT)
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
		return fail(STATUS_COMPILE, "%s did not compile (%s)", file, words->at[0]);
	return STATUS_OK;
}

/* --- for the simulator --- */

static enum status find_compiler(struct user_kernel *k, const char **compiler)
{
	static const char *const cpp[] = { "c++", "g++", NULL }, *const c[] = { "cc", "gcc", NULL };

	*compiler = find_program("CXX", cpp);
	k->cplusplus = *compiler != NULL;
	if (!*compiler)
		*compiler = find_program("CC", c);
	if (!*compiler)
		return fail(STATUS_USAGE, "no C++ or C compiler: c++, g++, cc and gcc are not on "
			    "PATH, and CXX and CC name none");
	return STATUS_OK;
}

static const char *language(const struct user_kernel *k)
{
	return k->cplusplus ? "c++" : "c";
}

static const char *standard(const struct user_kernel *k)
{
	return k->cplusplus ? "-std=gnu++17" : "-std=gnu11";
}

/* What the processor here has; fmaf() is a library call without FMA. */
static void add_processor(struct words *words)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		add_word(words, "-mavx2");
		add_word(words, "-mfma");
	}
#else
	(void)words;
#endif
}

/* The folder that has sim/user.h; the caller frees it. */
static enum status find_include(char **out)
{
	char *header;
	bool there;

	*out = datadir_include();
	header = xasprintf("%s/sim/user.h", *out);
	there = access(header, R_OK) == 0;
	free(header);
	if (there)
		return STATUS_OK;
	fail(STATUS_USAGE, "%s has no sim/user.h: the folder with flashtwin's headers is missing%s",
	     *out, getenv("FLASHTWIN_DATADIR") ? " (FLASHTWIN_DATADIR names it)" : "");
	free(*out);
	return STATUS_USAGE;
}

static enum status preprocess(const struct user_kernel *k, const struct user_source *s,
			      const char *compiler, const char *out)
{
	struct words words = { 0 };
	char *include, *stubs;
	enum status status;

	TRY(find_include(&include));
	stubs = xasprintf("%s/sim/include", include);
	add_words(&words, (const char *const[]){ compiler, "-E", "-x", language(k), standard(k),
		  "-DFLASHTWIN_SIM", "-isystem", stubs, "-isystem", include, "-include",
		  "sim/user.h", "-fdiagnostics-color=never", NULL });
	add_processor(&words);
	if (s->check)
		add_word(&words, "-DFLASHTWIN_CHECK");
	add_words(&words, s->flags);
	add_words(&words, (const char *const[]){ "-o", out, s->file, NULL });
	status = run_program(&words, s->file);
	free(stubs);
	free(include);
	return status;
}

static enum status rewrite_file(struct user_kernel *k, const struct user_source *s,
				const char *in, const char *out)
{
	char *text, *result;
	struct output output;
	size_t bytes;
	enum status status;

	TRY(file_read(in, SOURCE_LIMIT, &text, &bytes));
	status = user_headers_find(text, s->file, &k->sources, &k->source_count);
	if (status == STATUS_OK)
		status = rewrite_user(s->file, text, bytes, k->cplusplus, s->kernel, &result);
	free(text);
	if (status != STATUS_OK)
		return status;
	status = output_open(out, &output);
	if (status == STATUS_OK) {
		fputs(result, output.file);
		status = output_commit(&output);
	}
	free(result);
	return status;
}

/* Error 716 where a GPU has it; a checked kernel's hooks see such accesses themselves. */
static const char *const align_flags[] = {
	"-fsanitize=alignment", "-fsanitize-undefined-trap-on-error", NULL
};

/* The hooks of sim/check_hooks.c; float4 stays whole without SRA. */
static const char *const check_flags[] = {
	"-fno-tree-sra", "-fno-tree-vectorize", "-fsanitize=thread", "-fsanitize=bounds",
	"-fsanitize-coverage=trace-pc", "--param", "tsan-instrument-func-entry-exit=0", "--param",
	"tsan-distinguish-volatile=1", NULL
};

/* A step budget alone needs no more than each basic block. */
static const char *const step_flags[] = { "-fsanitize-coverage=trace-pc", NULL };

/* Flags as for the project's kernels, and a loop that never ends stays one; the text's columns are not the user's, hence no carets. Two
 * steps, because a sanitizer's flags at the second would link its run-time library. */
static enum status compile(const struct user_kernel *k, const struct user_source *s,
			   const char *compiler, const char *in, const char *object,
			   const char *out)
{
	struct words words = { 0 }, link = { 0 };

	add_words(&words, (const char *const[]){ compiler, "-x", language(k), standard(k),
		  "-fpreprocessed", "-O2", "-g", "-fPIC", "-c", "-fno-semantic-interposition",
		  "-ftls-model=initial-exec", "-ffp-contract=off", "-fno-math-errno",
		  "-fno-strict-aliasing", "-fno-optimize-sibling-calls", "-fwrapv",
		  "-fno-finite-loops",
		  "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", NULL });
	add_processor(&words);
	add_words(&words, s->check ? check_flags : align_flags);
	if (s->steps && !s->check)
		add_words(&words, step_flags);
	add_words(&words, (const char *const[]){ "-o", object, in, NULL });
	TRY(run_program(&words, s->file));
	add_words(&link, (const char *const[]){ compiler, "-shared", "-Wl,-Bsymbolic", "-o", out,
		  object, NULL });
	return run_program(&link, s->file);
}

static char *temporary(const struct user_kernel *k, const char *name)
{
	return xasprintf("%s/%s", k->directory, name);
}

static enum status build_sim(struct user_kernel *k, const struct user_source *s)
{
	char *preprocessed = temporary(k, "kernel.i"), *rewritten = temporary(k, "kernel.c");
	char *object = temporary(k, "kernel.o"), *shared = temporary(k, "kernel.so");
	const char *compiler;
	enum status status = find_compiler(k, &compiler);

	if (status == STATUS_OK)
		status = preprocess(k, s, compiler, preprocessed);
	if (status == STATUS_OK)
		status = rewrite_file(k, s, preprocessed, rewritten);
	if (status == STATUS_OK)
		status = compile(k, s, compiler, rewritten, object, shared);
	free(preprocessed);
	free(rewritten);
	free(object);
	free(shared);
	return status;
}

/* --- for a GPU --- */

/* The user's text under its own name, and a use of the kernel: templates are made only when
 * used. */
static enum status write_cuda_source(const struct user_kernel *k, const struct user_source *s,
				     const char *path)
{
	struct output output;
	char *address;

	TRY(output_open(path, &output));
	fprintf(output.file, "#line 1 \"%s\"\n", s->file);
	fwrite(k->source, 1, k->source_bytes, output.file);
	address = rewrite_kernel_address(s->kernel);
	fprintf(output.file, "\n#line 1 \"<kernel table>\"\nvoid *ft_user_entry = (void *)%s;\n",
		address);
	free(address);
	return output_commit(&output);
}

static enum status run_nvcc(const struct user_source *s, const char *nvcc, const char *in,
			    const char *out)
{
	const char *slash = strrchr(s->file, '/');
	char *include = datadir_include(), *flags = xstrdup(NVCC_FLAGS);
	char *own = slash ? xasprintf("-I%.*s", (int)(slash - s->file + 1), s->file)
		: xstrdup("-I.");
	struct words words = { 0 };
	enum status status;

	add_words(&words, (const char *const[]){ nvcc, "-fatbin", "-std=c++17", "-w", NULL });
	add_text(&words, flags);
	add_words(&words, s->flags);
	add_words(&words, (const char *const[]){ own, "-I", include, "-o", out, in, NULL });
	status = run_program(&words, s->file);
	free(own);
	free(flags);
	free(include);
	return status;
}

static enum status build_cuda(struct user_kernel *k, const struct user_source *s)
{
	static const char *const names[] = { "nvcc", "/usr/local/cuda/bin/nvcc", NULL };
	const char *nvcc = find_program("NVCC", names);
	char *in, *out;
	enum status status;

	if (!nvcc)
		return fail(STATUS_USAGE, "no nvcc on PATH or in /usr/local/cuda/bin: a GPU needs "
			    "one to compile %s (NVCC may name it)", s->file);
	if (!k->cplusplus)
		return fail(STATUS_USAGE, "a GPU needs a C++ compiler to compile %s", s->file);
	in = temporary(k, "kernel.cu");
	out = temporary(k, "kernel.fatbin");
	status = write_cuda_source(k, s, in);
	if (status == STATUS_OK)
		status = run_nvcc(s, nvcc, in, out);
	if (status == STATUS_OK) {
		size_t bytes = 0;

		status = file_read(out, FATBIN_LIMIT, &k->fatbin, &bytes);
		k->fatbin_bytes = bytes;
	}
	free(in);
	free(out);
	return status;
}

/* --- the whole --- */

enum status user_kernel_build(const struct user_source *s, struct user_kernel **out)
{
	const char *parent = getenv("TMPDIR");
	struct user_kernel *k = xcalloc(1, sizeof *k);
	char *directory;

	*out = k;
	k->file = xstrdup(s->file);
	TRY(file_read(s->file, SOURCE_LIMIT, &k->source, &k->source_bytes));
	k->sources = xcalloc(2, sizeof *k->sources);
	k->sources[k->source_count++] = (struct kernel_source){ k->file, k->source };
	directory = xasprintf("%s/flashtwin.XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(directory)) {
		enum status status = fail(STATUS_IO, "%s: %s", directory, strerror(errno));

		free(directory);
		return status;
	}
	k->directory = directory;
	TRY(build_sim(k, s));
	return s->cuda ? build_cuda(k, s) : STATUS_OK;
}

static enum status load_object(struct user_kernel *k)
{
	char *path = temporary(k, "kernel.so");

	k->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	if (!k->object)
		return fail(STATUS_COMPILE, "%s cannot be loaded: %s", k->file, dlerror());
	return STATUS_OK;
}

/* Of C++ the name as the linker has it, which is also that of the fatbin. */
static void find_symbol(struct user_kernel *k)
{
	void *const *entry = dlsym(k->object, "ft_user_entry");
	Dl_info info;

	if (entry && dladdr(*entry, &info) && info.dli_saddr == *entry)
		k->kernel.symbol = info.dli_sname;
}

enum status user_kernel_load(struct user_kernel *k, const struct kernel **out)
{
	const struct sim_code *const *code;

	TRY(load_object(k));
	code = dlsym(k->object, "ft_user_code");
	if (!code)
		return fail(STATUS_INTERNAL, "%s: the loaded object has no ft_user_code", k->file);
	k->code = (struct kernel_code){
		.sim = { { *code, NULL }, { *code, NULL } }, .checked = *code,
		.fatbin = { k->fatbin, k->fatbin },
		.fatbin_bytes = { &k->fatbin_bytes, &k->fatbin_bytes },
		.sources = k->sources,
	};
	k->kernel = (struct kernel){
		.name = (*code)->name, .summary = "",
		.origin = "cuda_c", .code = &k->code,
	};
	find_symbol(k);
	*out = &k->kernel;
	return STATUS_OK;
}

static void remove_directory(const struct user_kernel *k)
{
	static const char *const names[] = {
		"kernel.i", "kernel.c", "kernel.o", "kernel.so", "kernel.cu", "kernel.fatbin", NULL
	};

	for (int i = 0; names[i]; i++) {
		char *path = temporary(k, names[i]);

		unlink(path);           /* not all were made */
		free(path);
	}
	rmdir(k->directory);
}

void user_kernel_free(struct user_kernel *k)
{
	if (!k)
		return;
	if (k->object)
		dlclose(k->object);
	if (k->directory)
		remove_directory(k);
	for (int i = 1; i < k->source_count; i++) {     /* the first is file and source */
		free((char *)(uintptr_t)k->sources[i].file);
		free((char *)(uintptr_t)k->sources[i].text);
	}
	free(k->sources);
	free(k->directory);
	free(k->file);
	free(k->source);
	free(k->fatbin);
	free(k);
}
