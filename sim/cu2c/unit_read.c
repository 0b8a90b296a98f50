/* unit_read.c - finds the declarations of a preprocessed CUDA C file.
 *
 * Makes one pass for type names, one for external declarations. Removes the qualifiers of kernels
 * and, in a user's file, host functions. unit.c reads the parts of a declaration. Used by
 * sim/cu2c/rewrite.c.
 */
#include "sim/cu2c/unit.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/cu2c/code_table.h"
#include "sim/cu2c/unit_edit.h"
#include "sim/cu2c/unit_program.h"
#include "sim/cu2c/variables.h"

/* Grows the list, if it is full, to hold one more entry: when the count reaches a power of two. */
static void *grow(void *list, int count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return list;
	return xreallocarray(list, 2 * (size_t)count + 1, size);
}

static void add_type_name(struct unit *u, int name)
{
	u->type_names = grow(u->type_names, u->type_name_count, sizeof *u->type_names);
	u->type_names[u->type_name_count++] = name;
}

static void add_host_function(struct unit *u, int body)
{
	u->host_functions = grow(u->host_functions, u->host_function_count,
				 sizeof *u->host_functions);
	u->host_functions[u->host_function_count++] = body;
}

static void add_function(struct unit *u, const struct function *f)
{
	u->functions = grow(u->functions, u->function_count, sizeof *u->functions);
	u->functions[u->function_count++] = *f;
}

static void read_typedef(struct unit *u, int at)
{
	at = unit_specifiers(u, at, true).end;
	for (;;) {
		int name = unit_declarator_name(u, at);

		if (name >= 0)
			add_type_name(u, name);
		at = unit_declarator_end(u, at);
		if (!token_is(token_at(u, at), ","))
			return;
		at++;
	}
}

/* Removes extern "C" before one declaration or around a block of them. C++ keeps it. */
static int drop_linkage(struct unit *u, int at)
{
	struct token *t = &u->tokens.at[at];

	if (!token_is(t, "extern") || t[1].kind != TOKEN_QUOTED)
		return at;
	if (u->mode.cplusplus)
		return token_is(&t[2], "{") ? at + 3 : at;
	t[0].instead = "";
	t[1].instead = "";
	if (!token_is(&t[2], "{"))
		return at + 2;
	t[2].instead = "";
	u->tokens.at[t[2].match].instead = "";
	return at + 3;
}

static const char *const bounds_keywords[] = { "__launch_bounds__", "__cluster_dims__", NULL };

/* Removes CUDA's qualifiers from a kernel's declaration. In C a kernel becomes a static function;
 * in C++ it does not, because its mangled name must be the one it has on a GPU. */
static void drop_kernel_qualifiers(struct unit *u, int from, int end)
{
	bool is_static = u->mode.cplusplus;

	for (int i = from; i < end; i++) {
		struct token *t = &u->tokens.at[i];

		if (token_is(t, "__global__") && u->mode.pass != PASS_KERNELS) {
			t->instead = u->mode.pass == PASS_HOST ? "__attribute__((noipa))"
				: "__attribute__((used))";
		} else if (token_is(t, "__global__")) {
			t->instead = is_static ? "" : "static";
			is_static = true;
		} else if (token_is(t, "static") && !u->mode.cplusplus) {
			if (is_static)
				t->instead = "";
			is_static = true;
		} else if (token_among(t, bounds_keywords)) {
			for (int last = unit_call_end(u, i); i < last; i++)
				u->tokens.at[i].instead = "";
			i--;
		}
	}
}

/* Removes a declaration and keeps line numbers. */
static void drop_declaration(struct unit *u, int from, int last, int name)
{
	for (int i = from; i <= last; i++)
		u->tokens.at[i].instead = "";
	u->dropped = grow(u->dropped, u->dropped_count, sizeof *u->dropped);
	u->dropped[u->dropped_count++] = (struct unit_range){ from, last, name };
}

/* The '(' of the parameters of the operator function at `at`; operator() has a pair before them. */
static int operator_open(const struct unit *u, int at)
{
	if (token_is(token_at(u, at + 1), "(") && token_is(token_at(u, at + 2), ")"))
		at += 2;
	do {
		at++;
	} while (token_at(u, at)->kind != TOKEN_END && !token_is(token_at(u, at), "("));
	return at;
}

/* The '(' after the name at `at`, and in C++ after its template arguments; -1 if there is none. */
static int parameters_open(const struct unit *u, int at)
{
	int open = unit_angle_end(u, at + 1);

	return token_at(u, at)->kind == TOKEN_IDENTIFIER && token_is(token_at(u, open), "(")
		? open : -1;
}

/* In a whole program: whether there is a ':' of a constructor's initialisers between the parameters
 * and `at`. */
static bool has_initialisers(const struct unit *u, int open, int at)
{
	for (int i = token_at(u, open)->match + 1; i < at; i++) {
		const struct token *t = token_at(u, i);

		if (token_is(t, ":") && !token_is(t + 1, ":") && !token_is(t - 1, ":"))
			return true;
		if (token_opens(t))
			i = t->match;
	}
	return false;
}

/* Whether the '{' at `at`, after a function's parameters from `open` on, begins its body. */
static bool begins_body(const struct unit *u, int open, int at)
{
	static const char *const after[] = { ")", "const", "noexcept", NULL };

	if (u->mode.pass != PASS_KERNELS)
		return !has_initialisers(u, open, at) || token_is(token_at(u, at - 1), ")")
			|| token_is(token_at(u, at - 1), "}");
	return u->mode.cplusplus ? token_among(token_at(u, at - 1), after)
		: token_is(token_at(u, at - 1), ")");
}

static enum status read_declaration(struct unit *u, int start, bool member, int *next);

/* Finds the functions that the class with its '{' at `open` defines in its body. */
static enum status read_members(struct unit *u, int open)
{
	int close = token_at(u, open)->match;

	for (int at = open + 1; at < close; )
		TRY(read_declaration(u, at, true, &at));
	return STATUS_OK;
}

/* Whether a declaration names a type of a framework, whose headers kernels' code lacks. */
static bool names_framework(const struct unit *u, int from, int last)
{
	static const char *const namespaces[] = { "torch", "at", "c10", "pybind11", "py", NULL };

	for (int i = from; i < last; i++)
		if (token_among(token_at(u, i), namespaces) && token_is(token_at(u, i + 1), ":")
		    && token_is(token_at(u, i + 2), ":"))
			return true;
	return false;
}

/* Whether a function of this name was removed. */
static bool is_dropped(const struct unit *u, int name)
{
	const struct token *t = token_at(u, name);

	for (int i = 0; i < u->dropped_count; i++) {
		const struct unit_range *r = &u->dropped[i];

		if (r->name >= 0 && token_at(u, r->name)->length == t->length
		    && memcmp(token_at(u, r->name)->text, t->text, (size_t)t->length) == 0)
			return true;
	}
	return false;
}

/* `template void f<int>(int);`, or with extern, of a function that was removed. */
static bool instantiates_dropped(const struct unit *u, int start, const struct function *f)
{
	const int at = token_is(token_at(u, start), "extern") ? start + 1 : start;

	return u->mode.user && u->mode.pass == PASS_KERNELS && f->name >= 0 && !f->kernel
		&& f->body < 0 && token_is(token_at(u, at), "template")
		&& !token_is(token_at(u, at + 1), "<") && is_dropped(u, f->name);
}

/* Whether the body of a header's function can be left out, but not its declaration: it is inline,
 * of this file alone or a template, and has a return type that does not follow from the body. */
static bool is_droppable(const struct unit *u, int start, const struct function *f,
			 const struct function_kind *kind)
{
	static const char *const local[] = {
		"inline", "__inline", "__inline__", "static", "template", NULL
	};
	static const char *const kept[] = {
		"auto", "decltype", "constexpr", "consteval", "used", "__used__", "constructor",
		"__constructor__", "destructor", "__destructor__", "alias", "operator", NULL
	};
	bool found = false;

	if (!u->mode.user || !u->mode.cplusplus || u->mode.pass != PASS_KERNELS || !kind->system
	    || kind->member || f->body < 0 || f->name < 1
	    || token_is(token_at(u, f->name - 1), ":"))
		return false;
	for (int i = start; i < f->body; i++) {
		if (token_among(token_at(u, i), kept))
			return false;
		found |= i < f->name && token_among(token_at(u, i), local);
	}
	return found;
}

/* A function that the unit keeps: what follows from its kind. */
static enum status finish_function(struct unit *u, int start, int end, const struct function *f,
				   const struct function_kind *kind)
{
	bool host = u->mode.user && f->body >= 0 && !kind->device && !kind->is_constexpr
		&& !kind->system && !f->kernel;

	if (instantiates_dropped(u, start, f)) {
		drop_declaration(u, start, end, f->name);
		return STATUS_OK;
	}
	if (u->mode.pass != PASS_KERNELS) {
		if (f->name >= 0)
			TRY(unit_program_function(u, start, f, kind));
		if (host)
			add_host_function(u, f->body);
	} else if (host && kind->member) {
		unit_drop_body(u, f);   /* the class keeps its layout */
		return STATUS_OK;
	} else if (host || (u->mode.user && f->body < 0 && f->name >= 0 && !f->kernel
			    && !kind->device && names_framework(u, start, end))) {
		drop_declaration(u, start, end, f->name);
		return STATUS_OK;
	}
	if (u->mode.user && u->mode.cplusplus && u->mode.pass != PASS_HOST && f->body >= 0
	    && !kind->system)
		unit_name_templates(u, f->body, token_at(u, f->body)->match);
	if (f->name >= 0 && (f->kernel || f->body >= 0)) {
		add_function(u, f);
		u->functions[u->function_count - 1].droppable = is_droppable(u, start, f, kind);
	}
	return STATUS_OK;
}

/* Reads one external declaration, or one of a class. *next: the first token after it. */
static enum status read_declaration(struct unit *u, int start, bool member, int *next)
{
	static const char *const class_keywords[] = { "struct", "class", "union", NULL };
	struct function f = { .name = -1, .body = -1, .bounds = -1, .cluster = -1 };
	struct function_kind kind = { .member = member, .system = token_at(u, start)->system };
	bool placed = false, class = false;
	int at = start, assigned = -1, open;

	for (;; at++) {
		const struct token *t = token_at(u, at);

		if (t->kind == TOKEN_END || token_is(t, ";") || token_is(t, "}"))
			break;
		if (token_is(t, "template") && unit_angle_end(u, at + 1) > at + 1) {
			at = unit_angle_end(u, at + 1) - 1;
			continue;
		}
		if (token_is(t, "operator") && u->mode.cplusplus && f.name < 0) {
			f.name = at;
			at = operator_open(u, at);
			f.open = at;
			t = token_at(u, at);
		}
		kind.device |= token_is(t, "__device__");
		placed |= token_is(t, "__device__") || token_is(t, "__constant__");
		kind.host |= token_is(t, "__host__");
		kind.is_constexpr |= token_is(t, "constexpr");
		class |= u->mode.cplusplus && token_among(t, class_keywords)
			&& (at == start || !token_is(t - 1, "enum"));
		if (token_is(t, "__global__"))
			f.kernel = true;
		else if (token_is(t, "__launch_bounds__") && token_is(t + 1, "("))
			f.bounds = at + 1;
		else if (token_is(t, "__cluster_dims__") && token_is(t + 1, "("))
			f.cluster = at + 1;
		else if (token_is(t, "="))
			assigned = assigned < 0 ? at : assigned;
		open = parameters_open(u, at);
		if (open >= 0) {
			if (f.name < 0 && !token_among(t, unit_call_keywords)
			    && !token_among(t, unit_typeof_keywords)) {
				f.name = at;
				f.open = open;
			}
		} else if (token_is(t, "{") && f.name >= 0 && assigned < 0
			   && begins_body(u, f.open, at)) {
			f.body = at;
			break;
		} else if (token_is(t, "{") && class && f.name < 0 && assigned < 0) {
			TRY(read_members(u, at));
		}
		if (token_opens(t))
			at = t->match;
	}
	if (f.body >= 0)
		at = token_at(u, f.body)->match;
	if (placed && !member && !f.kernel && f.body < 0 && token_is(token_at(u, at), ";")
	    && (f.name < 0 || (assigned >= 0 && assigned < f.name)))
		variables_note(u, start, at);
	if (f.kernel)
		drop_kernel_qualifiers(u, start, f.name >= 0 ? f.name : at);
	/* The host has no definition of what this would instantiate. */
	if (u->mode.pass == PASS_HOST && token_is(token_at(u, start), "template")
	    && !token_is(token_at(u, start + 1), "<") && f.name >= 0 && kind.device && !kind.host)
		drop_declaration(u, start, at, f.name);
	TRY(finish_function(u, start, at, &f, &kind));
	*next = token_at(u, at)->kind == TOKEN_END ? at : at + 1;
	return STATUS_OK;
}

/* Where the next external declaration begins: at `at`, or after the '{' of a namespace there. */
static int enter_namespace(const struct unit *u, int at)
{
	int i = at;

	if (token_is(token_at(u, i), "inline"))
		i++;
	if (!u->mode.cplusplus || !token_is(token_at(u, i), "namespace"))
		return at;
	for (i++; token_at(u, i)->kind == TOKEN_IDENTIFIER || token_is(token_at(u, i), ":"); )
		i = unit_call_end(u, i);
	return token_is(token_at(u, i), "{") ? i + 1 : at;
}

/* Reports features of a GPU that the simulator lacks, where the compiler's message would not
 * help. */
static enum status refuse_unsupported(const struct token *t)
{
	static const char *const asm_keywords[] = { "asm", "__asm", "__asm__", NULL };
	static const char *const texture_names[] = {
		"cudaTextureObject_t", "cudaSurfaceObject_t", "texture", "tex1D", "tex1Dfetch",
		"tex2D", "tex2DLod", "tex3D", "surf2Dread", "surf2Dwrite", NULL
	};

	if (t->system || t->kind != TOKEN_IDENTIFIER)
		return STATUS_OK;
	if (token_among(t, asm_keywords))
		return token_fail(t, "inline PTX needs a C++ compiler");
	if (token_among(t, texture_names) && (token_is(t + 1, "<") || token_is(t + 1, "(")
					      || t->text[0] == 'c'))
		return token_fail(t, "textures and surfaces cannot be used in the simulator: read "
				  "through a pointer");
	return STATUS_OK;
}

/* Removes execution-space qualifiers, and reports launches in device code. */
static enum status finish_user_text(struct unit *u)
{
	for (int i = 0; i < u->tokens.count; i++) {
		struct token *t = &u->tokens.at[i];

		if (t->instead)
			continue;
		if (u->mode.pass == PASS_KERNELS)
			TRY(refuse_unsupported(t));
		unit_replace_qualifier(u, i);
		if (u->mode.pass == PASS_KERNELS && !t->instead && unit_begins_launch(t))
			return token_fail(t, "<<< is not supported in device code: flashtwin "
					  "launches the kernel that --kernel names");
	}
	return STATUS_OK;
}

static enum status read_declarations(struct unit *u)
{
	for (int i = 0; token_at(u, i)->kind != TOKEN_END; ) {
		int next = enter_namespace(u, drop_linkage(u, i));

		if (next > i && u->mode.cplusplus)
			i = next;
		else
			TRY(read_declaration(u, next, false, &i));
	}
	return STATUS_OK;
}

static enum status read_tokens(struct unit *u)
{
	for (int i = 0; i < u->tokens.count; i++)
		if (token_is(token_at(u, i), "typedef"))
			read_typedef(u, i);
	if (u->mode.pass != PASS_KERNELS) {
		/* Texts are made from what these leave. */
		TRY(finish_user_text(u));
		u->orders_some = code_table_orders_some(u);
		u->orders_seen = code_table_orders_seen(u);
		TRY(unit_replace_launches(u));
	}
	TRY(read_declarations(u));
	if (u->mode.user && u->mode.pass != PASS_HOST)
		unit_replace_builtins(u);
	return u->mode.user && u->mode.pass == PASS_KERNELS ? finish_user_text(u) : STATUS_OK;
}

enum status unit_read(const char *file, const char *text, size_t bytes, struct unit_mode mode,
		      struct unit *out)
{
	enum status status;

	*out = (struct unit){ .mode = mode };
	TRY(tokens_read(file, text, bytes, &out->tokens));
	status = read_tokens(out);
	if (status != STATUS_OK)
		unit_free(out);
	return status;
}

void unit_free(struct unit *u)
{
	tokens_free(&u->tokens);
	free(u->type_names);
	free(u->functions);
	free(u->shared_uses);
	free(u->host_functions);
	free(u->dropped);
	free(u->variables);
	for (int i = 0; i < u->kept_count; i++)
		free(u->kept[i]);
	free(u->kept);
	*u = (struct unit){ 0 };
}
