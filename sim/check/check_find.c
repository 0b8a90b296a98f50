/* check_find.c - the findings of a checked device: counted by class and sites, and formatted.
 *
 * While kernels run only addresses are kept; source lines are looked up when the findings are
 * requested. Storing and displaying findings is done elsewhere.
 */
#include "config.h"

#include "sim/check/check_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_async.h"
#include "sim/check/check_region.h"
#include "sim/check/check_state.h"
#include "sim/exec/shared.h"
#include "sim/exec/symbol.h"
#include "traces/row.h"

#define MAX_WORDS 4096                  /* memory words kept per finding */

static bool same_place(const struct check_side *a, const struct check_side *b)
{
	return a->pc == b->pc && a->site == b->site && strcmp(a->operation, b->operation) == 0;
}

bool check_same_report(const struct check_report *a, const struct check_report *b)
{
	return a->class == b->class
		&& ((same_place(&a->side, &b->side) && same_place(&a->other, &b->other))
		    || (same_place(&a->side, &b->other) && same_place(&a->other, &b->side)));
}

/* Gives the offset within the static variable, if any; dynamic shared memory has no variable
 * names. */
static void locate_shared(const struct check *check, struct check_finding *finding)
{
	const struct block *own = lane_current()->warp->block;
	const struct block *owner = cluster_owner(own->cluster,
						  (const void *)finding->report.address);
	const struct kernel_shared *variable;

	owner = owner ? owner : own;
	finding->offset = finding->report.address - (uintptr_t)owner->view.shared;
	variable = shared_at(check->launch.code, finding->offset);
	if (!variable)
		return;
	finding->offset -= *variable->offset;
	snprintf(finding->region, sizeof finding->region, "the shared %s", variable->name);
}

static void locate(const struct check *check, struct check_finding *finding)
{
	const struct check_report *report = &finding->report;
	const struct check_region *region;

	if (!report->address || report->address - check->hot.base >= check->hot.span)
		return;
	region = check_region_at(check, report->address);
	if (!region)
		return;
	finding->buffer = region->buffer;
	finding->offset = report->address - region->at;
	snprintf(finding->region, sizeof finding->region, "%s", region->name);
	if (region->kind == REGION_ARENA)
		locate_shared(check, finding);
}

/* A wide access is not kept word by word, so a race never explains it completely. */
static void keep_word(struct check_finding *f, const struct check_report *report)
{
	uintptr_t word = report->address & ~(uintptr_t)3;

	if (report->class != CLASS_UNINIT)
		return;
	for (size_t i = 0; i < f->word_count; i++)
		if (f->words[i] == word)
			return;
	if (report->bytes > 4 || f->word_count == MAX_WORDS) {
		f->more_words = true;
		return;
	}
	f->words = xreallocarray(f->words, f->word_count + 1, sizeof *f->words);
	f->words[f->word_count++] = word;
}

void check_excuse(struct check *check, uintptr_t pc, uintptr_t word)
{
	for (size_t i = 0; i < check->finding_count; i++) {
		struct check_finding *f = &check->findings[i];

		if (f->report.class != CLASS_UNINIT || f->report.side.pc != pc)
			continue;
		for (size_t k = 0; k < f->word_count; k++)
			if (f->words[k] == word) {
				f->words[k] = f->words[--f->word_count];
				break;
			}
	}
}

static void (*observer)(void);

void check_set_observer(void (*fn)(void))
{
	observer = fn;
}

void check_observe(enum finding_class class)
{
	if (observer && !check_is_lint(class))
		observer();
}

struct check_finding *check_add_finding(struct check *check)
{
	if (check->finding_count == MAX_FINDINGS)
		return NULL;
	check->findings = xreallocarray(check->findings, check->finding_count + 1,
					sizeof *check->findings);
	return &check->findings[check->finding_count++];
}

void check_report(struct check *check, const struct check_report *report)
{
	struct check_finding *finding;

	for (size_t i = 0; i < check->finding_count; i++)
		if (check_same_report(&check->findings[i].report, report)) {
			check->findings[i].count++;
			keep_word(&check->findings[i], report);
			return;
		}
	finding = check_add_finding(check);
	if (!finding)
		return;
	*finding = (struct check_finding){
		.report = *report, .count = 1,
		.launch = *report->side.operation ? report->side.launch : check->launch,
	};
	finding->kernel = finding->launch.code ? finding->launch.code->name : NULL;
	keep_word(finding, report);
	if (report->class == CLASS_LEAK)
		return;
	locate(check, finding);
	check_observe(report->class);
}

void check_leaks(struct check *check)
{
	for (size_t i = 0; i < check->region_count; i++) {
		const struct check_region *region = &check->regions[i];
		struct check_report report = {
			.class = CLASS_LEAK, .side = NO_SIDE, .other = NO_SIDE,
			.address = region->at, .bytes = region->bytes,
		};

		if (region->kind != REGION_BUFFER || region->freed)
			continue;
		report.side.pc = region->at;    /* not code: makes leaks of buffers distinct */
		snprintf(report.detail, sizeof report.detail, "%s, %zu bytes", region->name,
			 region->bytes);
		check_report(check, &report);
	}
}

/* --- formatting --- */

static const struct {
	const char *name, *why, *fix;
	bool lint;
} classes[CLASS_COUNT] = {
#define X(id, text, is_lint, because, cure) \
	[CLASS_##id] = { .name = text, .lint = is_lint, .why = because, .fix = cure },
	CLASS_LIST(X)
#undef X
};

bool check_is_lint(enum finding_class class)
{
	return classes[class].lint;
}

void check_leaks_are_lints(struct check *check)
{
	check->leaks_are_lints = true;
}

static bool is_lint(const struct check *check, enum finding_class class)
{
	return classes[class].lint || (class == CLASS_LEAK && check->leaks_are_lints);
}

static char *keep_text(struct check *check, char *text)
{
	check->texts = xreallocarray(check->texts, check->text_count + 1, sizeof *check->texts);
	check->texts[check->text_count++] = text;
	return text;
}

static void resolve_side(const struct check_side *side, struct symbol *out)
{
	*out = (struct symbol){ 0 };
	if (side->site) {
		out->file = side->site->file;
		out->line = side->site->line;
	} else if (side->pc && side->block >= 0) {
		symbol_find_caller((const void *)(side->pc - 1), out);
	}
}

static bool same_line(const struct symbol *a, const struct symbol *b)
{
	return a->line == b->line && (a->file == b->file
				      || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

/* Compares by source line, because the compiler may duplicate the code of a line. */
static bool same_lines(const struct check_finding *a, const struct check_finding *b)
{
	return a->report.class == b->report.class && a->lines[0].line > 0
		&& !*a->report.side.operation && !*b->report.side.operation
		&& ((same_line(&a->lines[0], &b->lines[0]) && same_line(&a->lines[1], &b->lines[1]))
		    || (same_line(&a->lines[0], &b->lines[1])
			&& same_line(&a->lines[1], &b->lines[0])));
}

/* Every unwritten word it read races with the write: the finding of that race is enough. */
bool check_explained(const struct check_finding *f)
{
	return f->report.class == CLASS_UNINIT && f->word_count == 0 && !f->more_words;
}

static void drop(struct check_finding *f)
{
	free(f->words);
	f->words = NULL;
}

static void merge(struct check *check)
{
	size_t kept = 0;

	for (size_t i = 0; i < check->finding_count; i++) {
		size_t k = 0;

		if (check_explained(&check->findings[i])) {
			drop(&check->findings[i]);
			continue;
		}
		while (k < kept && !same_lines(&check->findings[k], &check->findings[i]))
			k++;
		if (k < kept) {
			/* A further order repeats what is known. */
			if (check->findings[i].seed == check->findings[k].seed)
				check->findings[k].count += check->findings[i].count;
			drop(&check->findings[i]);
		} else {
			check->findings[kept++] = check->findings[i];
		}
	}
	check->finding_count = kept;
}

static void resolve(struct check *check)
{
	for (size_t i = 0; i < check->finding_count; i++) {
		struct check_finding *f = &check->findings[i];

		if (f->resolved)
			continue;
		resolve_side(&f->report.side, &f->lines[0]);
		resolve_side(&f->report.other, &f->lines[1]);
		f->resolved = true;
	}
	merge(check);
}

static bool is_copy(const struct check *check, const struct check_side *side)
{
	return side->pc && !side->site && side->block >= 0 && check_is_copy(check, side->pc);
}

static bool is_atomic(const struct check_side *side)
{
	return side->what && strcmp(side->what, "atomic") == 0;
}

/* What usually fixes it, if its two sides call for something else than its class does. */
static const char *fix_of(const struct check *check, const struct check_report *r)
{
	bool race = r->class == CLASS_RACE_SHARED || r->class == CLASS_RACE_BLOCK
		|| r->class == CLASS_RACE_GRID;

	if (race && (is_copy(check, &r->side) || is_copy(check, &r->other)))
		return "wait for the copy in the thread that made it, and put __syncthreads() "
			"after the wait if another thread uses these bytes";
	if (race && is_atomic(&r->side) && is_atomic(&r->other))
		return "use atomics of one size at one address, with a scope that includes both "
			"threads";
	return classes[r->class].fix;
}

static void fill_side(const struct check *check, const struct check_finding *f,
		      const struct check_side *side, const struct symbol *line,
		      struct row_side *out)
{
	bool operation = *side->operation;
	struct dim3 grid = operation ? side->launch.grid : f->launch.grid;
	struct dim3 block = operation ? side->launch.block : f->launch.block;

	out->launch = -1;
	if (side->block < 0 && !operation)
		return;
	out->what = is_copy(check, side) ? "asynchronous copy" : side->what;
	out->operation = operation ? side->operation : NULL;
	if (side->block < 0)
		return;
	out->launch = operation ? side->launch.number : f->launch.number;
	out->file = line->file;
	out->line = line->line;
	out->epoch = side->epoch;
	out->place = (uint64_t)side->block * block.x * block.y * block.z + side->thread;
	out->block[0] = (uint32_t)(side->block % grid.x);
	out->block[1] = (uint32_t)(side->block / grid.x % grid.y);
	out->block[2] = (uint32_t)(side->block / grid.x / grid.y);
	out->thread[0] = side->thread % block.x;
	out->thread[1] = side->thread / block.x % block.y;
	out->thread[2] = side->thread / block.x / block.y;
}

static char *describe_variable(const struct check_report *r)
{
	size_t offset;
	const char *name = symbol_of_variable((const void *)r->address, &offset);

	const char *kind = r->class == CLASS_CONSTANT_WRITE ? "__constant__" : "__device__";

	return name ? xasprintf("%zu bytes at byte %zu of the %s variable %s", r->bytes, offset,
				kind, name)
		: xasprintf("%zu bytes of a %s variable", r->bytes, kind);
}

static char *describe(const struct check_finding *f)
{
	const struct check_report *r = &f->report;

	if (r->variable && !*r->detail)
		return describe_variable(r);
	if (!*f->region || *r->detail)
		return xstrdup(r->detail);
	return xasprintf("%zu bytes at byte %llu of %s", r->bytes, (unsigned long long)f->offset,
			 f->region);
}

static void fill(struct check *check, const struct check_finding *f, struct row_finding *out)
{
	*out = (struct row_finding){
		.class = classes[f->report.class].name, .lint = is_lint(check, f->report.class),
		.why = classes[f->report.class].why, .fix = fix_of(check, &f->report),
		.count = f->count, .buffer = f->buffer, .offset = f->offset,
		.bytes = f->report.bytes, .launch = f->report.side.block < 0 ? -1
			: f->launch.number,
		.kernel = f->kernel, .seed = f->seed, .detail = keep_text(check, describe(f)),
	};
	fill_side(check, f, &f->report.side, &f->lines[0], &out->sides[0]);
	fill_side(check, f, &f->report.other, &f->lines[1], &out->sides[1]);
}

static void free_texts(struct check *check)
{
	for (size_t i = 0; i < check->text_count; i++)
		free(check->texts[i]);
	check->text_count = 0;
}

/* Appends bugs or lints, in the order they were found. */
static size_t fill_all(struct check *check, bool lints, size_t at)
{
	for (size_t i = 0; i < check->finding_count; i++)
		if (is_lint(check, check->findings[i].report.class) == lints)
			fill(check, &check->findings[i], &check->events[at++]);
	return at;
}

/* Bugs come first, because a lint may be the result of a bug. */
size_t check_findings(struct check *check, const struct row_finding **out)
{
	resolve(check);
	free_texts(check);
	check->events = xreallocarray(check->events, check->finding_count + 1,
				      sizeof *check->events);
	fill_all(check, true, fill_all(check, false, 0));
	*out = check->events;
	return check->finding_count;
}

void check_find_free(struct check *check)
{
	free_texts(check);
	free(check->texts);
	free(check->events);
	free(check->copy_calls);
	free(check->waits);
	free(check->against);
	for (size_t i = 0; i < check->finding_count; i++)
		drop(&check->findings[i]);
	free(check->findings);
}
