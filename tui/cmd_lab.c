/* cmd_lab.c - `flashtwin lab`: coursework: list, start, hint, grade, check.
 *
 * tui/lab/ has the parts; labs/README.md describes labs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/lab/class.h"
#include "tui/lab/kinds.h"
#include "tui/lab/lab_check.h"
#include "tui/lab/lab_start.h"
#include "tui/lab/result/formats.h"
#include "tui/options.h"

#define MAX_NUMBER 99

struct lab_command {
	const char *labs;               /* --labs; NULL: the installed ones */
	const char *secret_file, *student, *out, *traces;
	int format;                     /* in lab_formats */
	bool staff;
	enum sandbox_mode sandbox;
	const char *submissions, *share;        /* NULL: one file; all of them */
	int jobs;                       /* 0: not given */
	bool gpu;
	char **words;                   /* after the subcommand */
	int count;
};

static enum status take_option(void *context, const struct option_value *v)
{
	struct lab_command *c = context;

	switch (v->id) {
	case OPTION_LABS: c->labs = v->text; break;
	case OPTION_LAB_SECRET: c->secret_file = v->text; break;
	case OPTION_LAB_STUDENT: c->student = v->text; break;
	case OPTION_LAB_FORMAT: c->format = v->choice; break;
	case OPTION_LAB_OUT: c->out = v->text; break;
	case OPTION_LAB_TRACES: c->traces = v->text; break;
	case OPTION_LAB_STAFF: c->staff = true; break;
	case OPTION_LAB_SUBMISSIONS: c->submissions = v->text; break;
	case OPTION_LAB_SHARE: c->share = v->text; break;
	case OPTION_LAB_DEVICE: c->gpu = v->choice == 1; break;
	case OPTION_LAB_JOBS: c->jobs = (int)v->integer; break;
	case OPTION_SANDBOX: c->sandbox = (enum sandbox_mode)v->choice; break;
	default: break;
	}
	return STATUS_OK;
}

/* Only looks whether there is a secret: see tui/lab/grade/grade.h. */
static enum status find_secret(struct lab_command *c)
{
	const char *variable = getenv("FLASHTWIN_LAB_SECRET");

	if (!c->secret_file && variable && *variable)
		c->secret_file = variable;
	if (c->secret_file && access(c->secret_file, R_OK) != 0)
		return fail(STATUS_IO, "--secret %s: %s", c->secret_file, strerror(errno));
	return STATUS_OK;
}

/* The lab that the first word names. */
static enum status find_lab(const struct lab_command *c, struct lab **out)
{
	int64_t number;

	*out = NULL;
	if (c->count < 1)
		return fail(STATUS_USAGE, "expected the number of a lab: see flashtwin lab list");
	TRY(option_integer("the lab", c->words[0], 0, MAX_NUMBER, &number));
	return lab_find(c->labs, (int)number, out);
}

static enum status expect_words(const struct lab_command *c, int max)
{
	return c->count <= max ? STATUS_OK
		: fail(STATUS_USAGE, "unexpected argument '%s'", c->words[max]);
}

/* --- list, start, hint --- */

static enum status run_list(struct lab_command *c)
{
	struct lab **labs;
	int count;

	TRY(expect_words(c, 0));
	TRY(lab_read_all(c->labs, &labs, &count));
	for (int i = 0; i < count; i++) {
		printf("%3d  %-28s %2d h  %s%s\n", labs[i]->number, labs[i]->title,
		       labs[i]->hours, labs[i]->summary,
		       lab_has_student(labs[i]) ? " (start it with --student ID)" : "");
		lab_free(labs[i]);
	}
	free(labs);
	return STATUS_OK;
}

static enum status run_start(struct lab_command *c)
{
	const struct lab_kind *kind;
	struct lab *lab;
	char *folder;
	enum status status;

	TRY(expect_words(c, 2));
	TRY(find_lab(c, &lab));
	folder = c->count > 1 ? xstrdup(c->words[1]) : lab_folder_name(lab);
	status = lab_kind_find(lab, &kind);
	if (status == STATUS_OK)
		status = lab_start(lab, folder);
	if (status == STATUS_OK && kind->start)
		status = kind->start(lab, c->student, folder);
	if (status == STATUS_OK && lab_has_student(lab) && !c->student)
		fprintf(stderr, "warning: %s/%s belongs to nobody, and counts for nobody: remove "
			"%s, and start with --student and the ID that your instructor names\n",
			folder, lab->file, folder);
	if (status == STATUS_OK)
		printf("read %s/README.md, edit %s/%s, then: flashtwin lab grade %d %s\n", folder,
		       folder, lab->file, lab->number, folder);
	free(folder);
	lab_free(lab);
	return status;
}

static enum status print_hint(const struct lab *lab, int64_t which)
{
	int64_t count = (int64_t)json_array_size(lab->hints);
	char *label;

	if (which > count)
		return fail(STATUS_USAGE, "lab %d has %lld hints", lab->number, (long long)count);
	label = xasprintf("hint %lld of %lld: ", (long long)which, (long long)count);
	format_wrapped(stdout, 0, label, json_string_value(json_array_get(lab->hints,
									  (size_t)which - 1)));
	free(label);
	if (which < count)
		printf("next: flashtwin lab hint %d %lld\n", lab->number, (long long)which + 1);
	return STATUS_OK;
}

static enum status run_hint(struct lab_command *c)
{
	int64_t which = 1;
	struct lab *lab;
	enum status status;

	TRY(expect_words(c, 2));
	if (c->count > 1)
		TRY(option_integer("the hint", c->words[1], 1, MAX_NUMBER, &which));
	TRY(find_lab(c, &lab));
	status = print_hint(lab, which);
	lab_free(lab);
	return status;
}

/* --- grade --- */

/* The file that is graded: a file, the lab's file in a folder, or without an argument here or in
 * the folder of `lab start`. The caller frees it. */
static enum status find_file(const struct lab_command *c, const struct lab *lab, char **out)
{
	const char *given = c->count > 1 ? c->words[1] : ".";
	char *started = lab_folder_name(lab);
	char *const tries[] = {
		c->count > 1 ? xstrdup(given) : xstrdup(lab->file),
		xasprintf("%s/%s", c->count > 1 ? given : started, lab->file),
	};
	enum status status = STATUS_OK;
	FILE *file = NULL;

	*out = NULL;
	for (int i = 1; i >= 0 && !*out; i--)
		if (access(tries[i], F_OK) == 0)
			*out = xstrdup(tries[i]);
	if (!*out)
		status = fail(STATUS_USAGE, "there is no %s%s%s", tries[0],
			      c->count > 1 ? "" : ", and no ", c->count > 1 ? "" : tries[1]);
	else
		status = file_open(*out, &file);
	if (file)
		fclose(file);
	for (int i = 0; i < 2; i++)
		free(tries[i]);
	free(started);
	return status;
}

/* Next to the file, unless --traces says otherwise. Files of other names than the lab's have
 * folders of their own: "traces-try2" for try2.cu. The caller frees it. */
static char *traces_folder(const struct lab_command *c, const struct lab *lab, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	if (c->traces)
		return xstrdup(c->traces);
	if (strcmp(name, lab->file) == 0)
		return xasprintf("%.*straces", (int)(name - file), file);
	return xasprintf("%.*straces-%.*s", (int)(name - file), file, (int)strcspn(name, "."),
			 name);
}

static enum status write_result(const struct lab_command *c, const struct lab_result *r)
{
	struct output output;

	if (!c->out) {
		lab_formats[c->format].write(stdout, r);
		return fflush(stdout) == 0 ? STATUS_OK : command_stdout_failed();
	}
	TRY(output_open(c->out, &output));
	lab_formats[c->format].write(output.file, r);
	return output_commit(&output);
}

static enum status grade_file(const struct lab_command *c, const struct lab *lab, const char *file)
{
	char *traces = traces_folder(c, lab, file);
	const struct grade_options options = {
		.file = file, .student = c->student, .secret_file = c->secret_file,
		.sandbox = c->sandbox, .traces = traces, .staff = c->staff,
		.gpu = c->gpu, .progress = true,
	};
	const struct lab_kind *kind;
	struct lab_result result = { 0 };
	enum status status = lab_kind_find(lab, &kind);

	if (status == STATUS_OK)
		status = kind->grade(lab, &options, &result);
	if (status == STATUS_OK) {
		if (!c->staff)
			lab_result_redact(&result);
		status = write_result(c, &result);
		if (status == STATUS_OK && !lab_result_passed(&result)
		    && !lab_formats[c->format].exit_zero)
			status = command_differs();
	}
	lab_result_free(&result);
	free(traces);
	return status;
}

/* "K/N" */
static enum status read_share(const char *text, struct class_options *out)
{
	char end;

	if (sscanf(text, "%d/%d%c", &out->share, &out->shares, &end) == 2 && out->share >= 1
	    && out->share <= out->shares && out->shares <= MAX_SHARES)
		return STATUS_OK;
	return fail(STATUS_USAGE, "--share: expected K/N, such as 1/8, got %s", text);
}

static enum status run_class(struct lab_command *c)
{
	struct class_options options = {
		.submissions = c->submissions, .out = c->out, .secret_file = c->secret_file,
		.traces = c->traces, .sandbox = c->sandbox, .jobs = c->jobs ? c->jobs : 1,
		.gpu = c->gpu,
	};
	struct lab *lab;
	enum status status;

	TRY(expect_words(c, 1));
	if (!c->out)
		return fail(STATUS_USAGE, "--submissions needs -o: a folder for the results");
	if (c->student || c->format)
		return fail(STATUS_USAGE, "--%s cannot be used with --submissions",
			    c->student ? "student" : "format");
	if (c->share)
		TRY(read_share(c->share, &options));
	TRY(find_lab(c, &lab));
	status = class_grade(lab, &options);
	lab_free(lab);
	return status;
}

static enum status run_grade(struct lab_command *c)
{
	struct lab *lab;
	char *file = NULL;
	enum status status;

	if (c->submissions)
		return run_class(c);
	if (c->jobs || c->share)
		return fail(STATUS_USAGE, "--%s needs --submissions", c->jobs ? "jobs" : "share");
	TRY(expect_words(c, 2));
	if (c->out)
		TRY(output_check(c->out));
	TRY(find_lab(c, &lab));
	status = find_file(c, lab, &file);
	if (status == STATUS_OK)
		status = grade_file(c, lab, file);
	free(file);
	lab_free(lab);
	return status;
}

/* --- check --- */

static bool chosen(const struct lab_command *c, int number)
{
	for (int i = 0; i < c->count; i++)
		if (atoi(c->words[i]) == number)
			return true;
	return c->count == 0;
}

static enum status check_numbers(const struct lab_command *c)
{
	int64_t number;

	for (int i = 0; i < c->count; i++) {
		struct lab *lab;

		TRY(option_integer("the lab", c->words[i], 0, MAX_NUMBER, &number));
		TRY(lab_find(c->labs, (int)number, &lab));
		lab_free(lab);
	}
	return STATUS_OK;
}

static enum status run_check(struct lab_command *c)
{
	const struct check_options options = { .sandbox = c->sandbox };
	enum status status = STATUS_OK, worst = STATUS_OK;
	struct check_totals totals = { 0 };
	struct lab **labs;
	int count;

	TRY(check_numbers(c));
	TRY(lab_read_all(c->labs, &labs, &count));
	for (int i = 0; i < count; i++) {
		if ((status == STATUS_OK || status == STATUS_DIFFERS)
		    && chosen(c, labs[i]->number)) {
			status = lab_check(labs[i], &options, &totals);
			worst = status_worse(worst, status);
		}
		lab_free(labs[i]);
	}
	free(labs);
	if (worst == STATUS_OK || worst == STATUS_DIFFERS)
		check_totals_print(&totals);
	return worst;
}

/* --- the command --- */

static const struct {
	const char *name;
	enum status (*run)(struct lab_command *);
} subcommands[] = {
	{ "list", run_list }, { "start", run_start }, { "hint", run_hint },
	{ "grade", run_grade }, { "check", run_check },
};

static enum status run_subcommand(struct lab_command *c, const char *name)
{
	for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++)
		if (name && strcmp(subcommands[i].name, name) == 0)
			return subcommands[i].run(c);
	return fail(STATUS_USAGE, "expected list, start, hint, grade or check, got %s",
		    name ? name : "nothing");
}

static enum status run(int argc, char **argv)
{
	struct lab_command c = { 0 };
	struct error_record error;
	enum status status;
	int rest = argc;

	status = options_parse(COMMAND_LAB, argc, argv, take_option, &c, &rest);
	if (status == STATUS_OK)
		status = find_secret(&c);
	if (status == STATUS_OK) {
		c.words = argv + rest + 1;
		c.count = argc - rest - 1;
		command_defer_signals();        /* so that processes are ended and files removed */
		status = run_subcommand(&c, rest < argc ? argv[rest] : NULL);
	}
	error_save(&error);
	command_end();
	error_restore(&error);
	return status;
}

const struct command cmd_lab = {
	.summary = "coursework: labs that are graded on the simulator",
	.usage =
	"usage: flashtwin lab list\n"
	"       flashtwin lab start N [DIR] [--student ID]\n"
	"       flashtwin lab hint N [K]\n"
	"       flashtwin lab grade N [FILE|DIR] [OPTION...]\n"
	"       flashtwin lab grade N --submissions DIR -o DIR [--jobs N] [OPTION...]\n"
	"       flashtwin lab check [N...]\n\n"
	"Labs on the parts of flash decoding, without a GPU. `start` copies the handout and the\n"
	"starter of lab N to DIR. `grade` compiles the student's file, runs it in a sandbox on\n"
	"generated cases, and judges outputs, invariants, findings of the checker and counters,\n"
	"never time: exit 0 if everything passed, 1 if not. Cases that fail are recorded in\n"
	"traces/ next to the file. Lab 0 is about a trace, which `start` makes for a student; in\n"
	"lab 11 students write test vectors. `check` tests the labs themselves.\n\n",
	.examples =
	"  flashtwin lab start 3 && cd 03-online-softmax && flashtwin lab grade 3\n"
	"  flashtwin lab grade 3 submissions/ada --secret secret.txt --student ada \\\n"
	"      --format json -o ada.json\n",
	.run = run,
};
