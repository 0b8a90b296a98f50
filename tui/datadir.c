/* datadir.c - finds the files of an installed or a freshly built flashtwin; see datadir.h.
 *
 * PKGDATADIR and SOURCE_DATADIR come from the makefile.
 */
#include "tui/datadir.h"

#include <stdlib.h>
#include <unistd.h>

#include "traces/xalloc.h"

char *datadir_model(void)
{
	const char *chosen = getenv("FLASHTWIN_DATADIR");

	if (chosen != NULL && *chosen != '\0')
		return xasprintf("%s/%s", chosen, DATADIR_MODEL);
	if (access(PKGDATADIR "/" DATADIR_MODEL "/config.json", R_OK) == 0)
		return xstrdup(PKGDATADIR "/" DATADIR_MODEL);
	return xstrdup(SOURCE_DATADIR "/" DATADIR_MODEL);
}

char *datadir_include(void)
{
	const char *chosen = getenv("FLASHTWIN_DATADIR");

	if (chosen != NULL && *chosen != '\0')
		return xasprintf("%s/include", chosen);
	if (access(PKGDATADIR "/include/sim/user.h", R_OK) == 0)
		return xstrdup(PKGDATADIR "/include");
	return xstrdup(SOURCE_DATADIR "/..");   /* the source tree */
}
