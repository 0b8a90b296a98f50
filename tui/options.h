/* options.h - command-line options under the one error convention: getopt_long() and values.
 *
 * Which options there are is each command's business. Serves every command.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/level.h"

/* The next option in *c and its value in optarg, -1 when there are no more. `letters` is getopt's
 * list of short options, `table` ends with an empty entry. Arguments that are no options are left
 * at the end, from argv[optind] on. USAGE, naming it, for an unknown option or one without its
 * value. */
enum status option_next(int argc, char **argv, const char *letters, const struct option *table,
			int *c);
/* USAGE when arguments are left that are no options. */
enum status option_none_left(int argc, char **argv);

/* Values; `name` is the option as messages call it. USAGE with the text and the limits. */
enum status option_integer(const char *name, const char *text, int64_t least, int64_t greatest,
			   int64_t *out);
/* Numbers separated by commas, the first `most` of them into out; *count says how many came. */
enum status option_integers(const char *name, const char *text, int least, int greatest, int *out,
			    int most, int *count);
enum status option_u64(const char *name, const char *text, uint64_t *out);
enum status option_float(const char *name, const char *text, float *out);       /* finite */
enum status option_level(const char *name, const char *text, enum log_level *out);

#endif
