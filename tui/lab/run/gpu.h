/* gpu.h - `lab grade --device both`: a case on a GPU too, compared with the simulator.
 *
 * It is not scored: points must not depend on the machine.
 */
#ifndef GPU_H
#define GPU_H

#include <jansson.h>

#include "tui/lab/case/lab_case.h"

struct submission;

/* NO_GPU if there is none, with the reason. Loads no driver into this process. */
enum status gpu_check(void);
/* Runs the case on both and appends a failure if any output differs, or the launch fails on the
 * GPU. INTERNAL, INTERRUPTED or NO_GPU. */
enum status gpu_compare(struct submission *, const struct lab_case *, json_t *failures);

#endif
