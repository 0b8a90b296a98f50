/* export_png.c - the picture of export_svg.c in pixels, by rsvg-convert, if it is installed.
 *
 * Twice the size of the SVG, which is sharp on a projector.
 */
#include "config.h"

#include "tui/export/export.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONVERTER "rsvg-convert"

extern char **environ;

/* Runs the converter with its standard input and output from and to these files. */
static enum status convert(FILE *from, FILE *to)
{
	char *const arguments[] = { (char []){ CONVERTER }, (char []){ "--zoom=2" }, NULL };
	posix_spawn_file_actions_t actions;
	int error, state = 0;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(from), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(to), STDOUT_FILENO);
	error = posix_spawnp(&child, CONVERTER, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error == ENOENT)
		return fail(STATUS_USAGE, "--as png needs " CONVERTER ", which is not in PATH: it"
			    " is in the package librsvg2-bin (Debian, Ubuntu), librsvg2-tools"
			    " (Fedora) or librsvg");
	if (error != 0)
		return fail(STATUS_IO, CONVERTER ": %s", strerror(error));
	while (waitpid(child, &state, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_IO, CONVERTER ": %s", strerror(errno));
	if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
		return fail(STATUS_USAGE, "--as png needs " CONVERTER ", of the package"
			    " librsvg2-bin, and cannot run it");
	return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? STATUS_OK
		: fail(STATUS_IO, CONVERTER " failed");
}

static void copy(FILE *from, FILE *to)
{
	char bytes[65536];
	size_t count;

	rewind(from);
	while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
		fwrite(bytes, 1, count, to);
}

static enum status through(const struct export_job *job, FILE *svg, FILE *png)
{
	struct export_job picture = *job;

	picture.out = svg;
	TRY(export_svg.write(&picture));
	if (fflush(svg) != 0 || fseek(svg, 0, SEEK_SET) != 0)
		return fail(STATUS_IO, "temporary file: %s", strerror(errno));
	TRY(convert(svg, png));
	copy(png, job->out);
	return ferror(png) ? fail(STATUS_IO, "temporary file: %s", strerror(errno)) : STATUS_OK;
}

static enum status write_png(const struct export_job *job)
{
	FILE *svg = tmpfile(), *png = tmpfile();
	enum status status = svg && png ? through(job, svg, png)
		: fail(STATUS_IO, "temporary file: %s", strerror(errno));

	if (svg)
		fclose(svg);
	if (png)
		fclose(png);
	return status;
}

const struct export_format export_png = {
	.name = "png", .binary = true, .screens = true, .pairs = true, .write = write_png
};
