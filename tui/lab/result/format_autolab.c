/* format_autolab.c - the output of an Autolab autograder; see formats.h.
 *
 * Text for the student, then the autoresult as the last line. The problems on Autolab's site must
 * have the names of the parts, and a scoreboard one column for each, then the total.
 * labs/formats/autolab.json is a sample.
 */
#include "tui/lab/result/formats.h"

void format_autolab(FILE *out, const struct lab_result *r)
{
	json_t *all = json_object(), *scores = json_object(), *board = json_array();

	for (int i = 0; i < PART_COUNT; i++) {
		const struct part_result *p = &r->parts[i];

		if (p->max <= 0)
			continue;
		if (p->graded)
			format_put(scores, lab_part_names[i], json_real(p->points));
		json_array_append_new(board, json_real(p->graded ? p->points : 0));
	}
	json_array_append_new(board, json_real(r->points));
	format_put(all, "scores", scores);
	format_put(all, "scoreboard", board);
	format_text(out, r);
	format_print_json(out, all, 0);
}
