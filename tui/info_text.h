/* info_text.h - `flashtwin info` without --json: the gathered object as text on stdout.
 *
 * Objects are borrowed; their members are those of `flashtwin info --json`.
 */
#ifndef INFO_TEXT_H
#define INFO_TEXT_H

#include <jansson.h>

void info_text_machine(const json_t *);
void info_text_trace(const char *path, const json_t *);

#endif
