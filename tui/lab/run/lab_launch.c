/* lab_launch.c - the launches of one case, in its process; see lab_launch.h. */
#include "tui/lab/run/lab_launch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/xalloc.h"
#include "tui/launch/isolate.h"
#include "tui/run.h"

#define MAX_GRID 65535
#define MAX_THREADS 1024
#define MAX_SHARED (227 << 10)
#define PLAIN_SHARED (48 << 10)
#define MAX_REPEAT 4096
#define PRINTED ((rlim_t)1 << 20)       /* bytes of any file that an unrecorded case can write */

struct run {
	struct lab_launch *l;
	struct device *device;
	struct buffer *buffers[MAX_LAB_ARRAYS];
	bool kept;
};

/* --- arguments --- */

/* Whether a parameter points to elements of this type. */
static bool points_to(const struct kernel_param *p, enum dtype dtype)
{
	return p->kind == PARAM_POINTER && strchr(p->type, '*')
		&& strstr(p->type, dtype == DTYPE_F32 ? "float" : "int");
}

static enum status bind_scalar(const struct lab_case *c, const struct kernel_param *p,
			       struct arg *out)
{
	const json_t *scalar = json_object_get(c->lab->scalars, p->name);
	double value;

	if (scalar) {
		TRY(expression_value(json_object_get(scalar, "value"), &c->names, p->name, &value));
	} else if (!names_get(&c->names, p->name, &value)) {
		return fail(STATUS_COMPILE, "the kernel has a parameter %s ('%s'), which the lab "
			    "does not pass: keep the parameters of the starter", p->name, p->type);
	}
	switch (p->kind) {
	case PARAM_I32: *out = ARG_I32((int32_t)value); break;
	case PARAM_I64: *out = ARG_I64((int64_t)value); break;
	case PARAM_F32: *out = ARG_F32((float)value); break;
	default:
		return fail(STATUS_COMPILE, "the kernel's parameter %s is '%s': expected %s",
			    p->name, p->type, scalar ? "float" : "int");
	}
	return STATUS_OK;
}

static enum status bind(const struct run *r, const struct kernel_param *p, struct arg *out)
{
	const struct lab_case *c = r->l->c;

	for (int i = 0; i < c->array_count; i++) {
		const struct case_array *a = &c->arrays[i];

		if (strcmp(a->lab->name, p->name) != 0)
			continue;
		if (!points_to(p, a->lab->dtype))
			return fail(STATUS_COMPILE, "the kernel's parameter %s is '%s': expected a "
				    "pointer to %s", p->name, p->type,
				    a->lab->dtype == DTYPE_F32 ? "float" : "int");
		*out = ARG_BUFFER(r->buffers[i]);
		out->name = p->name;
		return STATUS_OK;
	}
	TRY(bind_scalar(c, p, out));
	out->name = p->name;
	return STATUS_OK;
}

/* --- launches --- */

static const struct kernel *kernel_of(const struct run *r, const json_t *launch)
{
	const char *name = json_string_value(json_object_get(launch, "kernel"));
	const struct lab_kernels *k = r->l->kernels;
	int i = 0;

	while (i < k->count - 1 && strcmp(k->name[i], name) != 0)
		i++;
	return k->loaded[i];
}

static enum status read_dim(const struct run *r, const json_t *launch, const char *key, int64_t max,
			    struct dim3 *out)
{
	const json_t *list = json_object_get(launch, key);
	unsigned *const axes[] = { &out->x, &out->y, &out->z };

	*out = (struct dim3){ 1, 1, 1 };
	if (json_array_size(list) < 1 || json_array_size(list) > 3)
		return fail(STATUS_INTERNAL, "lab %d: %s: expected 1 to 3 expressions",
			    r->l->c->lab->number, key);
	for (size_t i = 0; i < json_array_size(list); i++) {
		int64_t value;

		TRY(expression_integer(json_array_get(list, i), &r->l->c->names, key, 1, max,
				       &value));
		*axes[i] = (unsigned)value;
	}
	return STATUS_OK;
}

static enum status launch_one(struct run *r, const json_t *json)
{
	const struct kernel *kernel = kernel_of(r, json);
	const json_t *shared = json_object_get(json, "shared");
	struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 0 };
	struct arg args[MAX_ARGS];
	const struct kernel_param *params;
	struct launch launch = {
		.kernel = kernel, .layer = -1, .attributes = &attribute, .args = args,
	};

	params = kernel_params(kernel, &launch.arg_count);
	TRY(read_dim(r, json, "grid", MAX_GRID, &launch.grid));
	TRY(read_dim(r, json, "block", MAX_THREADS, &launch.block));
	if (shared)
		TRY(expression_integer(shared, &r->l->c->names, "shared", 0, MAX_SHARED,
				       &attribute.value));
	launch.shared_bytes = (unsigned)attribute.value;
	launch.attribute_count = attribute.value > PLAIN_SHARED;
	if (launch.arg_count > MAX_ARGS)
		return fail(STATUS_COMPILE, "the kernel has more than %d parameters", MAX_ARGS);
	for (int i = 0; i < launch.arg_count; i++)
		TRY(bind(r, &params[i], &args[i]));
	kernel_register(kernel);
	TRY(device_launch(r->device, &launch));
	return device_sync(r->device, NULL);
}

/* "repeat": [NAME, COUNT] */
static enum status launch_repeated(struct run *r, const json_t *json)
{
	const json_t *repeat = json_object_get(json, "repeat");
	const char *name = json_string_value(json_array_get(repeat, 0));
	int64_t count;

	if (!repeat)
		return launch_one(r, json);
	if (!name)
		return fail(STATUS_INTERNAL, "lab %d: repeat: expected [NAME, COUNT]",
			    r->l->c->lab->number);
	TRY(expression_integer(json_array_get(repeat, 1), &r->l->c->names, "repeat", 0, MAX_REPEAT,
			       &count));
	for (int64_t i = 0; i < count; i++) {
		TRY(names_set(&r->l->c->names, name, (double)i));
		TRY(launch_one(r, json));
	}
	return STATUS_OK;
}

/* --- the run --- */

/* Uploads runs of elements without NaN: a NaN in an input stands for memory that was never written,
 * so that the checker finds what reads it. */
static enum status upload(const struct run *r, int at)
{
	const struct case_array *a = &r->l->c->arrays[at];
	size_t size = dtype_bytes(a->lab->dtype);

	for (size_t end, first = 0; first < a->count; first = end + 1) {
		for (end = first; end < a->count; end++)
			if (isnan(case_value(a, a->data, end)))
				break;
		if (end > first)
			TRY(device_upload(r->device, NULL, r->buffers[at], first * size,
					  (char *)a->data + first * size, (end - first) * size));
	}
	return STATUS_OK;
}

static enum status make_buffers(struct run *r)
{
	const struct lab_case *c = r->l->c;

	for (int i = 0; i < c->array_count; i++) {
		const struct case_array *a = &c->arrays[i];
		struct buffer_spec spec = {
			.name = a->lab->name, .dtype = a->lab->dtype, .rank = a->rank,
		};

		memcpy(spec.shape, a->shape, sizeof spec.shape);
		TRY(device_alloc(r->device, &spec, &r->buffers[i]));
		if (a->data)
			TRY(upload(r, i));
	}
	return STATUS_OK;
}

static enum status download(struct run *r)
{
	const struct lab_case *c = r->l->c;

	for (int i = 0; i < c->array_count; i++)
		if (case_array_writes(&c->arrays[i]))
			TRY(device_download(r->device, NULL, r->buffers[i], 0, c->arrays[i].result,
					    c->arrays[i].bytes));
	return STATUS_OK;
}

static enum status run_all(struct run *r)
{
	const json_t *launches = r->l->c->lab->launches;

	TRY(make_buffers(r));
	for (size_t i = 0; i < json_array_size(launches); i++)
		TRY(launch_repeated(r, json_array_get(launches, i)));
	return download(r);
}

static enum status run_on_target(const struct run_target *target, void *context)
{
	struct run r = { .l = context, .device = target->device };
	enum status status = run_all(&r);
	struct error_record error;

	error_save(&error);
	for (int i = 0; i < MAX_LAB_ARRAYS; i++)
		device_free(target->device, r.buffers[i]);
	error_restore(&error);
	return status;
}

/* As `launch` describes itself, so that `replay` can compile the kernel again. */
static json_t *describe(const struct lab_launch *l)
{
	json_t *asked = json_object(), *sizes = json_object();

	for (int i = 0; i < l->c->names.count; i++)
		json_object_set_new(sizes, l->c->names.name[i],
				    json_real(l->c->names.value[i]));
	json_object_set_new(asked, "file", json_string(l->file));
	json_object_set_new(asked, "kernel", json_string(l->kernels->name[0]));
	json_object_set_new(asked, "flags", json_array());
	json_object_set_new(asked, "lab", json_integer(l->c->lab->number));
	json_object_set_new(asked, "family", json_string(l->c->family->name));
	json_object_set_new(asked, "sizes", sizes);
	return asked;
}

enum status lab_launch_run(void *context)
{
	struct lab_launch *l = context;
	struct run_options options = run_options_default();
	json_t *report = json_object(), *asked;
	enum status status = STATUS_OK;

	options.path = NULL;
	options.device = l->gpu ? "both" : "sim";
	options.seed = l->c->order;
	options.check = true;
	options.count = !l->c->derived; /* finding lines costs a third of the time */
	options.steps = l->c->lab->steps;
	options.level = l->points ? LEVEL_POINTS : LEVEL_PARTIALS;
	options.trace = l->trace;
	options.no_record = !l->trace;
	options.force = l->trace != NULL;
	if (!l->trace)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ PRINTED, PRINTED });
	for (int i = 0; i < l->kernels->count && status == STATUS_OK; i++)
		status = user_kernel_load(l->kernels->built[i], &l->kernels->loaded[i]);
	asked = describe(l);
	if (status == STATUS_OK)
		status = run_on_devices(&options, "launch", asked, run_on_target, l, report);
	json_decref(asked);
	l->job->has_results = run_has_results(status);
	l->job->answer = report;
	return status;
}
