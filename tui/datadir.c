/* datadir.c - finds the files of an installed or a freshly built flashtwin; see datadir.h.
 *
 * PKGDATADIR, SOURCE_DATADIR and BUILDDIR come from the makefile. A program in its build tree is
 * not content with what an older version has installed.
 */
#include "tui/datadir.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/xalloc.h"

static bool in_build_tree(void)
{
	char program[PATH_MAX], builddir[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	size_t prefix;

	if (length < 0 || realpath(BUILDDIR, builddir) == NULL)
		return false;
	program[length] = '\0';
	prefix = strlen(builddir);
	return strncmp(program, builddir, prefix) == 0 && program[prefix] == '/';
}

char *datadir_model(void)
{
	const char *chosen = getenv("FLASHTWIN_DATADIR");

	if (chosen != NULL && *chosen != '\0')
		return xasprintf("%s/%s", chosen, DATADIR_MODEL);
	if (!in_build_tree() && access(PKGDATADIR "/" DATADIR_MODEL "/config.json", R_OK) == 0)
		return xstrdup(PKGDATADIR "/" DATADIR_MODEL);
	return xstrdup(SOURCE_DATADIR "/" DATADIR_MODEL);
}

char *datadir_include(void)
{
	const char *chosen = getenv("FLASHTWIN_DATADIR");

	if (chosen != NULL && *chosen != '\0')
		return xasprintf("%s/include", chosen);
	if (!in_build_tree() && access(PKGDATADIR "/include/sim/user.h", R_OK) == 0)
		return xstrdup(PKGDATADIR "/include");
	return xstrdup(SOURCE_DATADIR "/..");   /* the source tree */
}
