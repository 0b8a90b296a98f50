/* datadir.h - where the files that come with flashtwin lie. */
#ifndef DATADIR_H
#define DATADIR_H

#include "base/status.h"

#define DATADIR_MODEL "samples/shakespeare"

/* The directory of the sample model, the caller frees: in $FLASHTWIN_DATADIR when that is set, else
 * where flashtwin was installed, else in its source tree; a program in its build tree looks in the
 * source tree only. It need not exist: opening it says so. */
char *datadir_model(void);

/* The directory of the headers that a .cu file is compiled with at run time, found the same way; the
 * caller frees it. */
char *datadir_include(void);

/* Where one of the samples lies, found the same way; the caller frees it: "shakespeare", the model;
 * "demo.twin", a trace from an H200; "merge.cu", a kernel with a race. USAGE for another name. */
enum status datadir_sample(const char *name, char **out);

#endif
