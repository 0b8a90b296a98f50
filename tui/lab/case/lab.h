/* lab.h - a lab as lab.json describes it (labs/README.md), and where labs are.
 *
 * The rows are read and checked once; parts with a meaning of their own, such as fills, stay JSON
 * and are checked where they are used.
 */
#ifndef LAB_H
#define LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/status.h"

#define MAX_LAB_ARRAYS 24

enum lab_part { PART_PUBLIC, PART_SECRET, PART_CHECKER, PART_STRUCTURE, PART_COUNT };
extern const char *const lab_part_names[PART_COUNT];

enum lab_use { USE_IN, USE_OUT, USE_INOUT };

struct lab_array {
	const char *name;
	enum dtype dtype;               /* F32 or I32 */
	enum lab_use use;
	const json_t *shape, *fill;     /* fill may be NULL */
	const json_t *thread;           /* [BLOCK, THREAD] that writes element i; NULL: unknown */
	/* [NAME, K]: the point that gets, as value K, the number of the element that its thread
	 * writes. NULL: none. */
	const json_t *point;
	double absolute, relative;      /* tolerance of an output */
};

struct lab_family {
	const char *name, *reason, *next;
	const json_t *sizes, *fill;     /* objects; may be NULL */
	const json_t *public_cases;     /* list of objects */
	int secret_cases;
};

/* An invariant or a limit on a counter. */
struct lab_rule {
	const char *name, *reason, *next;
	const json_t *json;
};

struct lab {
	char *folder;                   /* with lab.json */
	json_t *root;                   /* owns all texts below */
	int number, hours;
	const char *name, *title, *summary, *kind, *file;
	double points[PART_COUNT];
	int64_t steps, seconds;
	struct lab_array arrays[MAX_LAB_ARRAYS];
	int array_count;
	const json_t *scalars;          /* an object, or NULL */
	const json_t *launches;         /* a list */
	struct lab_family *families;
	int family_count;
	struct lab_rule *invariants, *limits;
	int invariant_count, limit_count;
	const char *generate;           /* or NULL */
	const json_t *reference, *hints;
};

/* Reads FOLDER/lab.json. INTERNAL, naming the file and the key, if it is not as labs/README.md
 * says: a lab that cannot be read is not the student's fault. IO if there is no such file. */
enum status lab_read(const char *folder, struct lab **out);
void lab_free(struct lab *);

/* All labs in a folder, by number; the caller frees each, and the list. `folder` NULL: where labs
 * were installed or built. */
enum status lab_read_all(const char *folder, struct lab ***out, int *count);
/* One lab. USAGE if there is none with this number. */
enum status lab_find(const char *folder, int number, struct lab **out);
/* The folders with the solutions of a lab and of those next to it, for a callback. */
typedef void staff_fn(void *context, const char *folder);
void lab_staff(const struct lab *, staff_fn *, void *context);
/* The name of a lab's folder, "03-online-softmax"; the caller frees it. */
char *lab_folder_name(const struct lab *);

#endif
