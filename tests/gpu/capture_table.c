/* capture_table.c - prints what a device does with each operation during a capture.
 *
 *	capture_table [sim|cuda]
 *
 * Tries every operation of tests/gpu/capture_ops.c in each capture mode: on the captured stream, on
 * another one, from another thread, with the thread's mode relaxed, and in an invalidated capture;
 * then the sequences of capture_sequences.c in each mode. Each case has its own scene, each
 * operation its own child process. Prints one line per case. tests/h200/capture.txt is the output
 * of an H200; test_capture.sh compares the simulator with it. Exit code 77 without a GPU.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/gpu/capture_ops.h"
#include "tests/limits.h"

#define BYTES (SCENE_WORDS * sizeof(uint32_t))

enum { FIRST = 0x3f800000, SECOND = 0x40000000, SECONDS_PER_CASE = 30 };
enum how { HOW_PLAIN, HOW_THREAD, HOW_RELAXED, HOW_INVALIDATED, HOW_COUNT };

static const char *const how_names[] = { "", "/thread", "/relaxed", "/invalidated" };
static const char *const mode_names[] = { "global", "thread_local", "relaxed" };

/* The columns of a case: names or CUDA error codes. */
struct outcome {
	char code[16], state[16], end[16], replay[16];
	const char *effect;
};

/* --- formatting --- */

static void write_code(char *out, size_t size, enum status status)
{
	if (status == STATUS_DEVICE || status == STATUS_OK)
		snprintf(out, size, "%d", status ? error_code() : 0);
	else
		snprintf(out, size, "%s", status_name(status));
}

static void write_state(struct scene *s, char *out, size_t size)
{
	static const char *const names[] = {
		[CAPTURE_NONE] = "none", [CAPTURE_ACTIVE] = "active",
		[CAPTURE_INVALIDATED] = "invalidated",
	};
	enum capture_state state;
	enum status status;

	if (!s->origin) {
		snprintf(out, size, "-");
		return;
	}
	status = device_capture_state(s->device, s->origin, &state);
	if (status == STATUS_OK)
		snprintf(out, size, "%s", names[state]);
	else
		write_code(out, size, status);
}

/* --- the scene --- */

static void set_words(uint32_t *words, uint32_t value)
{
	for (int i = 0; i < SCENE_WORDS; i++)
		words[i] = value;
}

static enum status make_buffers(struct scene *s)
{
	struct buffer **const buffers[] = {
		&s->rows, &s->cache, &s->source, &s->target, &s->counts, &s->spare,
	};
	const struct buffer_spec spec = {
		.name = "scene", .dtype = DTYPE_F32, .rank = 1, .shape = { SCENE_WORDS },
	};

	for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
		TRY(device_alloc(s->device, &spec, buffers[i]));
		TRY(device_fill(s->device, NULL, *buffers[i], 0, 0, SCENE_WORDS));
	}
	set_words(s->host, FIRST);
	TRY(device_fill(s->device, NULL, s->rows, 0, FIRST, SCENE_WORDS));
	return device_fill(s->device, NULL, s->source, 0, FIRST, SCENE_WORDS);
}

static enum status make_objects(struct scene *s)
{
	struct copy_launch l;
	int node;

	TRY(device_stream_create(s->device, &s->origin));
	TRY(device_stream_create(s->device, &s->other));
	TRY(device_event_create(s->device, &s->fresh));
	TRY(device_event_create(s->device, &s->before[0]));
	TRY(device_event_create(s->device, &s->before[1]));
	TRY(device_event_record(s->device, s->before[0], s->origin));
	TRY(device_event_record(s->device, s->before[1], s->other));
	TRY(device_graph_create(s->device, &s->graph));
	TRY(device_graph_add_launch(s->device, s->graph,
				    scene_launch(&l, s->source, s->target, NULL), NULL, 0, &node));
	return device_graph_instantiate(s->device, s->graph, &s->exec);
}

static enum status begin(struct scene *s, enum how how)
{
	struct copy_launch l;

	TRY(device_open(s->device_name, NULL, &s->device));
	TRY(make_buffers(s));
	TRY(make_objects(s));
	TRY(device_sync(s->device, NULL));
	TRY(device_capture_begin(s->device, s->origin, s->mode));
	TRY(device_launch(s->device, scene_launch(&l, s->rows, s->cache, s->origin)));
	/* Synchronizing fails and invalidates the capture. */
	if (how == HOW_INVALIDATED && device_sync(s->device, s->origin) == STATUS_OK)
		return fail(STATUS_DIFFERS, "waiting for a captured stream was allowed");
	return STATUS_OK;
}

/* --- the operation --- */

struct try {
	const struct operation *operation;
	struct scene *scene;
	char *code;
	size_t size;
};

/* Formats the code in the thread that made the call, because the error record is per thread. */
static void *try_here(void *context)
{
	struct try *t = context;

	write_code(t->code, t->size, t->operation->call(t->scene));
	return NULL;
}

static void try_operation(const struct operation *operation, struct scene *s, enum how how,
			  char *code, size_t size)
{
	struct try t = { operation, s, code, size };
	pthread_t thread;

	if (how == HOW_THREAD) {
		if (pthread_create(&thread, NULL, try_here, &t) || pthread_join(thread, NULL))
			snprintf(code, size, "no-thread");
		return;
	}
	if (how == HOW_RELAXED)
		device_capture_relax(s->device, true);
	try_here(&t);
	if (how == HOW_RELAXED)
		device_capture_relax(s->device, false);
}

/* --- effects --- */

/* Reads the value that an operation copied to the target or the host, or 0. */
static enum status read_mark(struct scene *s, uint32_t *mark)
{
	uint32_t words[SCENE_WORDS];

	TRY(device_download(s->device, NULL, s->target, 0, words, BYTES));
	*mark = words[1] ? words[1] : s->host_out[1];
	return STATUS_OK;
}

static enum status replay(struct scene *s)
{
	uint32_t words[SCENE_WORDS];
	struct graph_exec *exec;

	TRY(device_graph_instantiate(s->device, s->captured, &exec));
	TRY(device_graph_launch(s->device, exec, NULL));
	TRY(device_sync(s->device, NULL));
	TRY(device_download(s->device, NULL, s->cache, 0, words, BYTES));
	if (words[0] != FIRST)
		return fail(STATUS_DIFFERS, "the first launch did not run");
	return STATUS_OK;
}

static void end_capture(struct scene *s, char *code, size_t size)
{
	struct graph *graph = NULL;
	enum capture_state state;
	enum status status;

	snprintf(code, size, "-");
	if (s->origin) {
		status = device_capture_end(s->device, s->origin, &graph);
		write_code(code, size, status);
		if (status == STATUS_OK)
			s->captured = graph;
	}
	if (s->other && device_capture_state(s->device, s->other, &state) == STATUS_OK
	    && state != CAPTURE_NONE)
		device_capture_end(s->device, s->other, &graph);
}

/* Determines the effect: "now": copied at the call; "live": copied when the graph is launched, from
 * the source's contents then; "fixed": copied when the graph is launched, from the contents at the
 * call; "none". */
static enum status find_effect(struct scene *s, struct outcome *o)
{
	uint32_t mark;

	TRY(device_sync(s->device, NULL));
	TRY(read_mark(s, &mark));
	o->effect = mark ? "now" : "none";
	set_words(s->host, SECOND);
	TRY(device_fill(s->device, NULL, s->source, 0, SECOND, SCENE_WORDS));
	if (!s->captured)
		return STATUS_OK;
	write_code(o->replay, sizeof o->replay, replay(s));
	if (mark)
		return STATUS_OK;
	TRY(read_mark(s, &mark));
	o->effect = !mark ? "none" : mark == SECOND ? "live" : "fixed";
	return STATUS_OK;
}

/* --- cases --- */

static void run_case(const char *device, const struct operation *operation, enum capture_mode mode,
		     bool same, enum how how)
{
	struct scene s = { .device_name = device, .mode = mode };
	struct outcome o = { "-", "-", "-", "-", "-" };
	const char *where = !operation->streamed ? "none" : same ? "same" : "other";
	enum status status = begin(&s, how);

	if (status == STATUS_OK) {
		s.stream = same ? s.origin : s.other;
		try_operation(operation, &s, how, o.code, sizeof o.code);
		write_state(&s, o.state, sizeof o.state);
		end_capture(&s, o.end, sizeof o.end);
		if (find_effect(&s, &o) != STATUS_OK)
			o.effect = "lost";
	} else {
		fprintf(stderr, "%s: %s\n", operation->name, error_text());
		snprintf(o.code, sizeof o.code, "no-scene");
	}
	printf("%-24s %-12s %s%-*s %-9s %-11s %-6s %-6s %s\n", operation->name, mode_names[mode],
	       where, 17 - (int)strlen(where), how_names[how], o.code, o.state, o.end, o.replay,
	       o.effect);
	fflush(stdout);
	device_close(s.second);
	device_close(s.device);
}

/* `keep` keeps the GPU's context alive, so that devices open fast; a dead context is replaced. */
static enum status keep_context(const char *name, struct device **keep)
{
	if (*keep && device_sync(*keep, NULL) == STATUS_OK)
		return STATUS_OK;
	device_close(*keep);
	*keep = NULL;
	return device_open(name, NULL, keep);
}

static enum status run_operation(const char *device, const struct operation *operation,
				 int hows)
{
	struct device *keep = NULL;

	for (int mode = CAPTURE_GLOBAL; mode <= CAPTURE_RELAXED; mode++)
		for (int same = operation->streamed; same >= 0; same--)
			for (int how = 0; how < hows; how++) {
				alarm(limit_seconds(SECONDS_PER_CASE));
				TRY(keep_context(device, &keep));
				run_case(device, operation, mode, same, how);
			}
	device_close(keep);
	return STATUS_OK;
}

static int header(const char *name)
{
	struct device *device;
	struct device_info info;
	time_t now = time(NULL);
	char date[32];
	enum status status = device_open(name, NULL, &device);

	if (status == STATUS_OK)
		status = device_info(device, &info);
	if (status != STATUS_OK) {
		fprintf(stderr, "capture_table: %s\n", error_text());
		return status_exit_code(status);
	}
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	printf("# %s%s%s, %s\n", info.name, *info.driver ? ", " : "", info.driver, date);
	printf("# operation, capture mode, stream[/how]: CUDA error code, state of the capture "
	       "after it,\n# code of capture_end, code of launching the graph, effect\n");
	device_close(device);
	return EXIT_SUCCESS;
}

/* In a child, because a process that has used CUDA cannot fork children that use it. The result is
 * the child's exit code. */
static int in_child(const char *name, const struct operation *operation, int hows)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		int code = operation ? status_exit_code(run_operation(name, operation, hows))
				     : header(name);

		fflush(stdout);
		_exit(code);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("capture_table");
		return EXIT_FAILURE;
	}
	if (WIFSIGNALED(status))
		printf("%s: signal %d in the case after the line above\n",
		       operation ? operation->name : "info", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "cuda";
	int code = in_child(name, NULL, 0), worst = EXIT_SUCCESS;

	if (code)
		return code;
	for (const struct operation *o = operations; o->name; o++)
		if (in_child(name, o, HOW_COUNT))
			worst = EXIT_FAILURE;
	for (const struct operation *o = sequences; o->name; o++)
		if (in_child(name, o, HOW_PLAIN + 1))
			worst = EXIT_FAILURE;
	return worst;
}
