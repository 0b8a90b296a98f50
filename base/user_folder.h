/* user_folder.h - the folders of the user where this program keeps files from run to run.
 *
 * As the XDG Base Directory Specification defines them: $XDG_STATE_HOME/flashtwin, else
 * $HOME/.local/state/flashtwin, and the like. Used for the last run and for compiled kernels.
 */
#ifndef USER_FOLDER_H
#define USER_FOLDER_H

#include <stddef.h>

#include "base/status.h"

enum user_folder { USER_FOLDER_STATE, USER_FOLDER_CACHE };

/* The path, which the caller frees; the folder may not exist. IO if no variable names one. */
enum status user_folder_find(enum user_folder, char **out);
/* The same, and makes the folder, and those above it that do not exist, for the user alone. IO with
 * the path and the reason, also if files cannot be made in it. */
enum status user_folder_make(enum user_folder, char **out);

#endif
