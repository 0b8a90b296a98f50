/* datadir.c - finds the files of an installed or a freshly built flashtwin; see datadir.h.
 *
 * PKGDATADIR, SOURCE_DATADIR and BUILDDIR come from the makefile. A program that runs from its
 * build tree ignores installed files, which may belong to an older version.
 */
#include "tui/datadir.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

static bool in_build_tree(void)
{
	char program[PATH_MAX], builddir[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	size_t prefix;

	if (length < 0 || !realpath(BUILDDIR, builddir))
		return false;
	program[length] = '\0';
	prefix = strlen(builddir);
	return strncmp(program, builddir, prefix) == 0 && program[prefix] == '/';
}

/* The first that applies: "$FLASHTWIN_DATADIR/NAME" if the variable is set, "PKGDATADIR/NAME" if
 * "PKGDATADIR/NAME" followed by WITNESS can be read, or "SOURCE_DATADIR/SOURCE". */
static char *locate(const char *name, const char *witness, const char *source)
{
	const char *chosen = getenv("FLASHTWIN_DATADIR");
	char *installed, *probe;
	bool found;

	if (chosen && *chosen != '\0')
		return xasprintf("%s/%s", chosen, name);
	installed = xasprintf("%s/%s", PKGDATADIR, name);
	probe = xasprintf("%s%s", installed, witness);
	found = !in_build_tree() && access(probe, R_OK) == 0;
	free(probe);
	if (found)
		return installed;
	free(installed);
	return xasprintf("%s/%s", SOURCE_DATADIR, source);
}

char *datadir_model(void)
{
	return locate(DATADIR_MODEL, "/config.json", DATADIR_MODEL);
}

char *datadir_include(void)
{
	return locate("include", "/sim/cuda/user.h", "..");  /* the source tree */
}

char *datadir_labs(void)
{
	return locate("labs", "/README.md", "../labs");
}

char *datadir_matmul(void)
{
	return locate("samples/matmul.cu", "", "samples/matmul.cu");
}

char *datadir_barriers(void)
{
	return locate("samples/barriers.cu", "", "samples/barriers.cu");
}

enum status datadir_sample(const char *name, char **out)
{
	if (strcmp(name, "shakespeare") == 0)
		*out = datadir_model();
	else if (strcmp(name, "demo.twin") == 0)        /* a test's file in the source tree */
		*out = locate("samples/demo.twin", "", "../tests/h200/demo.twin");
	else if (strcmp(name, "merge.cu") == 0)
		*out = locate("samples/merge.cu", "", "samples/merge.cu");
	else if (strcmp(name, "vectorAdd.cu") == 0)
		*out = locate("samples/vectorAdd.cu", "", "samples/vectorAdd.cu");
	else
		return fail(STATUS_USAGE, "--sample: expected demo.twin, merge.cu, vectorAdd.cu or "
			    "shakespeare, got %s", name);
	return STATUS_OK;
}
