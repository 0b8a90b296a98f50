/* reference_program.c - a program of the lab's folder as the reference; see references.h.
 *
 * It is the instructor's, and runs outside of the sandbox.
 */
#include "config.h"

#include "tui/lab/reference/references.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npy.h"
#include "base/xalloc.h"
#include "tui/launch/sandbox.h"

static enum status add_scalars(const struct reference_job *job, json_t *to)
{
	const char *name;
	json_t *scalar;

	json_object_foreach((json_t *)(uintptr_t)job->c->lab->scalars, name, scalar) {
		double value;

		TRY(expression_value(json_object_get(scalar, "value"), &job->c->names, name,
				     &value));
		json_object_set_new(to, name, json_real(value));
	}
	return STATUS_OK;
}

static enum status write_case(const struct reference_job *job, const char *folder)
{
	json_t *sizes = json_object(), *scalars = json_object(), *all = json_object();
	char *path = xasprintf("%s/case.json", folder);
	enum status status = add_scalars(job, scalars);

	for (int i = 0; i < job->c->names.count; i++)
		json_object_set_new(sizes, job->c->names.name[i],
				    json_real(job->c->names.value[i]));
	json_object_set_new(all, "family", json_string(job->c->family->name));
	json_object_set_new(all, "sizes", sizes);
	json_object_set_new(all, "scalars", scalars);
	if (status == STATUS_OK && json_dump_file(all, path, 0) != 0)
		status = fail(STATUS_INTERNAL, "%s: cannot write case.json", folder);
	json_decref(all);
	free(path);
	return status;
}

static enum status write_inputs(const struct reference_job *job, const char *folder)
{
	for (int i = 0; i < job->c->array_count; i++) {
		const struct case_array *a = &job->c->arrays[i];
		char *path = xasprintf("%s/%s.npy", folder, a->lab->name);
		enum status status = a->data ? npy_write(path, a->lab->dtype, a->rank, a->shape,
							 a->data) : STATUS_OK;

		free(path);
		TRY(status);
	}
	return STATUS_OK;
}

static enum status start(const char *program, const char *folder)
{
	pid_t child = fork();
	int ended = -1;

	if (child == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);     /* the result goes to standard output */
		execl(program, program, folder, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? STATUS_OK
		: fail(STATUS_INTERNAL, "%s: cannot be run, or failed", program);
}

static enum status read_one(const struct case_array *a, const char *path, double *out)
{
	struct npy array;
	enum dtype wanted = a->lab->dtype == DTYPE_I32 ? DTYPE_I64 : DTYPE_F64;
	enum status status;

	TRY(npy_read(path, &array));
	status = npy_expect(&array, path, wanted, a->rank, a->shape);
	for (size_t i = 0; i < a->count && status == STATUS_OK; i++)
		out[i] = wanted == DTYPE_F64 ? ((const double *)array.data)[i]
			: (double)((const int64_t *)array.data)[i];
	npy_free(&array);
	return status;
}

static enum status read_outputs(struct reference_job *job, const char *folder)
{
	for (int i = 0; i < job->c->array_count; i++) {
		const struct case_array *a = &job->c->arrays[i];
		char *path = xasprintf("%s/%s.expected.npy", folder, a->lab->name);
		enum status status = job->expected[i] ? read_one(a, path, job->expected[i])
			: STATUS_OK;

		free(path);
		TRY(status);
	}
	return STATUS_OK;
}

enum status reference_program(struct reference_job *job, const char *program)
{
	char *folder;
	char *path = xasprintf("%s/%s", job->c->lab->folder, program);
	enum status status = file_make_folder(NULL, "flashtwin-lab", &folder);

	if (status == STATUS_OK) {
		status = write_case(job, folder);
		if (status == STATUS_OK)
			status = write_inputs(job, folder);
		if (status == STATUS_OK)
			status = start(path, folder);
		if (status == STATUS_OK)
			status = read_outputs(job, folder);
		file_remove_tree(folder);
		free(folder);
	}
	free(path);
	return status == STATUS_OK ? status : fail_context(STATUS_INTERNAL, "the reference");
}
