/* bench_markdown.h - prints the results of suites of `bench` as Markdown. */
#ifndef BENCH_MARKDOWN_H
#define BENCH_MARKDOWN_H

#include <jansson.h>

/* A list of the members of an object, on stdout, and an empty line. */
void markdown_list(const json_t *object);
/* A table of an array of objects, and an empty line. Columns are the members of the first row; text
 * is left-aligned, numbers have two or one decimal if they are small, null is a dash. */
void markdown_table(const json_t *rows);

#endif
