/* lab_start.h - `flashtwin lab start`: copies what a student gets. */
#ifndef LAB_START_H
#define LAB_START_H

#include "tui/lab/case/lab.h"

/* Copies the lab's files, but not lab.json and folders such as staff/, to a new folder. USAGE if it
 * exists. */
enum status lab_start(const struct lab *, const char *folder);

#endif
