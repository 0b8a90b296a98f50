/* sql_functions.c - data(), f32(), f32_bits() and f32_text() for `flashtwin sql`.
 *
 * For convenience only: every view works without them, in any SQLite program.
 */
#include "traces/store/sql_functions.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/store/store.h"

#define F32_TEXT_BYTES 16              /* "-1.17549435e-38" and its NUL */

/* Uses the fewest digits, 1 to 9, that read back as the same float; 9 always suffice. */
static void f32_format(uint32_t bits, char out[F32_TEXT_BYTES])
{
	float value;

	memcpy(&value, &bits, sizeof value);
	if (isnan(value)) {
		strcpy(out, "nan");
		return;
	}
	for (int digits = 1; digits <= 9; digits++) {
		snprintf(out, F32_TEXT_BYTES, "%.*g", digits, (double)value);
		if (strtof(out, NULL) == value)
			return;
	}
}

/* Returns true on an SQLite error: store_data() will meet it too and report it. */
static bool is_stored(sqlite3_context *context, sqlite3_value *data)
{
	sqlite3_stmt *row = NULL;
	int code = sqlite3_prepare_v2(sqlite3_context_db_handle(context),
				      "SELECT 1 FROM t_blob WHERE data = ?1", -1, &row, NULL);

	if (code == SQLITE_OK) {
		sqlite3_bind_value(row, 1, data);
		code = sqlite3_step(row);
	}
	sqlite3_finalize(row);
	return code != SQLITE_DONE;
}

static void no_such_data(sqlite3_context *context, sqlite3_value *data)
{
	char text[64];

	snprintf(text, sizeof text, "no data has the id %lld",
		 (long long)sqlite3_value_int64(data));
	sqlite3_result_error(context, text, -1);
}

static void sql_data(sqlite3_context *context, int count, sqlite3_value **values)
{
	void *bytes;
	size_t size;

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (sqlite3_value_type(values[0]) != SQLITE_INTEGER)
		sqlite3_result_error(context, "data(): expected an integer", -1);
	else if (!is_stored(context, values[0]))
		no_such_data(context, values[0]);
	else if (store_data(sqlite3_user_data(context), sqlite3_value_int64(values[0]), &bytes,
			    &size) != STATUS_OK)
		sqlite3_result_error(context, error_text(), -1);
	else
		sqlite3_result_blob64(context, bytes, size, free);
}

/* Returns false if there is no such element; the SQL result is then NULL. */
static bool element(sqlite3_value **values, uint32_t *bits)
{
	const unsigned char *bytes = sqlite3_value_blob(values[0]);
	int64_t count = sqlite3_value_bytes(values[0]) / (int64_t)sizeof *bits;
	int64_t index = sqlite3_value_int64(values[1]);

	if (!bytes || sqlite3_value_type(values[1]) == SQLITE_NULL || index < 0 || index >= count)
		return false;
	memcpy(bits, bytes + index * (int64_t)sizeof *bits, sizeof *bits);
	*bits = le32toh(*bits);
	return true;
}

static void sql_f32(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint32_t bits;
	float value;

	(void)count;
	if (!element(values, &bits))
		return;
	memcpy(&value, &bits, sizeof value);
	sqlite3_result_double(context, (double)value);  /* a NaN becomes NULL */
}

static void sql_f32_bits(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint32_t bits;

	(void)count;
	if (element(values, &bits))
		sqlite3_result_int64(context, (int32_t)bits);
}

static void sql_f32_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	char text[F32_TEXT_BYTES];

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	f32_format((uint32_t)sqlite3_value_int64(values[0]), text);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

enum status sql_functions_register(struct store *store)
{
	static const struct {
		const char *name;
		int arguments;
		void (*function)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{ "data", 1, sql_data },
		{ "f32", 2, sql_f32 },
		{ "f32_bits", 2, sql_f32_bits },
		{ "f32_text", 1, sql_f32_text },
	};

	store_allow_long_values(store);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (sqlite3_create_function_v2(store_db(store), functions[i].name,
					       functions[i].arguments,
					       SQLITE_UTF8 | SQLITE_DIRECTONLY
						       | SQLITE_DETERMINISTIC,
					       store, functions[i].function, NULL, NULL, NULL)
		    != SQLITE_OK)
			return fail(STATUS_INTERNAL, "%s: %s",
				    store_path(store) ? store_path(store) : "trace",
				    sqlite3_errmsg(store_db(store)));
	return STATUS_OK;
}
