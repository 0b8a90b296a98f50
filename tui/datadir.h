/* datadir.h - finds the files that come with flashtwin. */
#ifndef DATADIR_H
#define DATADIR_H

#include "base/status.h"

#define DATADIR_MODEL "samples/shakespeare"

/* The directory of the sample model; the caller frees it. It is in $FLASHTWIN_DATADIR if that is
 * set, else where flashtwin was installed, else in its source tree; a program that runs from its
 * build tree skips the installed files. The directory may not exist: opening it then fails. */
char *datadir_model(void);

/* The directory of the headers that a .cu file is compiled with at run time, found the same way;
 * the caller frees it. */
char *datadir_include(void);

/* The directory of the labs, found the same way; the caller frees it. */
char *datadir_labs(void);

/* The paths of kernels that `bench` launches: a tiled matrix product, rounds of barriers. The
 * caller frees them. */
char *datadir_matmul(void);
char *datadir_barriers(void);

/* The path of a sample, found the same way; the caller frees it. Samples are "shakespeare", the
 * model; "demo.twin", a trace from an H200; "merge.cu", a kernel with a race. USAGE for any other
 * name. */
enum status datadir_sample(const char *name, char **out);

#endif
