/* sql_print.h - prints the rows of a statement: aligned, tab separated, CSV or JSON. */
#ifndef SQL_PRINT_H
#define SQL_PRINT_H

#include <sqlite3.h>
#include <stdio.h>

#include "base/status.h"

enum sql_format {
	SQL_TABLE,      /* aligned columns under their names, for people */
	SQL_PLAIN,      /* values separated by tabs, no names; \t \n \\ escaped */
	SQL_CSV,        /* RFC 4180, names first */
	SQL_JSON,       /* an array of objects */
};

/* Steps the statement to its end. IO when `out` cannot be written, DAMAGED when the file is
 * damaged, USAGE for any other error. */
enum status sql_print(sqlite3_stmt *, enum sql_format, FILE *out);

#endif
