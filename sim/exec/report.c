/* report.c - describes in one line where a launch got stuck or faulted. */
#include "config.h"

#include "sim/exec/report.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/exec/steps.h"
#include "sim/exec/symbol.h"
#include "sim/exec/worker.h"

struct line {
	char *text;
	size_t bytes, used;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	va_list arguments;
	int wrote;

	if (line->used >= line->bytes)
		return;
	va_start(arguments, format);
	wrote = vsnprintf(line->text + line->used, line->bytes - line->used, format, arguments);
	va_end(arguments);
	if (wrote > 0)
		line->used += (size_t)wrote;
}

/* "0-15,31" */
static void add_lanes(struct line *line, uint32_t lanes)
{
	const char *comma = "";

	for (unsigned first = 0; first < WARP_LANES; first++) {
		unsigned last = first;

		if (!(lanes >> first & 1))
			continue;
		while (last + 1 < WARP_LANES && lanes >> (last + 1) & 1)
			last++;
		add(line, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
		comma = ",";
		first = last;
	}
}

static void add_waiting(struct line *line, const struct warp *warp)
{
	uint32_t left = ~warp->exited;
	const char *separator = "";

	add(line, " warp %u:", warp->number);
	while (left) {
		const struct ft_site *site = warp->lanes[__builtin_ctz(left)].site;
		uint32_t here = 0;

		for (uint32_t rest = left; rest; rest &= rest - 1)
			if (warp->lanes[__builtin_ctz(rest)].site == site)
				here |= 1u << __builtin_ctz(rest);
		add(line, "%s lanes ", separator);
		add_lanes(line, here);
		if (site)
			add(line, " wait at %s, %s:%d", site->name, site->file, site->line);
		else
			add(line, " poll memory that does not change");
		separator = ";";
		left &= ~here;
	}
	if (warp->exited)
		add(line, "; exited: %u lanes", (unsigned)__builtin_popcount(warp->exited));
}

void report_deadlock(const struct worker *w, char *text, size_t bytes)
{
	struct line line = { text, bytes, 0 };
	const struct block *block = w->blocks[0];
	int shown = 0;

	add(&line, "deadlock in %s, block (%u,%u,%u): no thread can run;", w->grid->code->name,
	    block->view.index.x, block->view.index.y, block->view.index.z);
	for (unsigned i = 0; i < block->warp_count && shown < 3; i++)
		if (~block->warps[i].exited) {
			add_waiting(&line, &block->warps[i]);
			shown++;
		}
}

/* SIGILL comes from the alignment checks that users' kernels are compiled with. */
static const char *fault_kind(const struct worker *w)
{
	switch (w->fault.signal) {
	case SIGFPE:
		return "arithmetic fault";
	case SIGVTALRM:
		return steps_reason();
	case SIGILL:
		return "misaligned address";
	case 0:
		return w->fault.code == 716 ? "misaligned address" : "illegal address";
	default:
		if (w->fault.code == 719)
			return cluster_fault(lane_current()->warp->block, w->fault.address);
		return fiber_guard_hit(&w->pool, w->fault.address) ? "stack overflow"
			: "illegal address";
	}
}

/* Adds ", FILE:LINE", if known. */
static void add_line(struct line *line, const struct worker *w)
{
	const void *pc = w->fault.pc;
	struct symbol symbol;
	Dl_info kernel, here;
	bool found;

	/* A line of the C library, which has memcpy(), would tell nothing. */
	if (dladdr((void *)(uintptr_t)w->grid->code->run, &kernel) && dladdr(pc, &here)
	    && kernel.dli_fbase != here.dli_fbase) {
		add(line, ", in a library function");
		return;
	}
	/* The step may have begun in an inlined built-in: report the kernel's line. */
	found = w->fault.signal == SIGVTALRM || w->fault.signal == 0
		? symbol_find_caller(pc, &symbol) : symbol_find(pc, &symbol);
	if (found && symbol.file)
		add(line, ", %s:%d", symbol.file, symbol.line);
}

void report_fault(const struct worker *w, char *text, size_t bytes)
{
	struct line line = { text, bytes, 0 };
	const struct ft_thread_view *self = &lane_current()->view;

	add(&line, "%s in %s, block (%u,%u,%u) thread (%u,%u,%u)",
	    fault_kind(w), w->grid->code->name,
	    self->block->index.x, self->block->index.y, self->block->index.z,
	    self->index.x, self->index.y, self->index.z);
	add_line(&line, w);
	if (w->fault.signal == 0)
		add(&line, ": %s", w->fault.text);
	else if (w->fault.signal == SIGSEGV || w->fault.signal == SIGBUS)
		add(&line, ": access to %p", w->fault.address);
}
