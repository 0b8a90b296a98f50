/* datadir.h - where the files that come with flashtwin lie. */
#ifndef DATADIR_H
#define DATADIR_H

#define DATADIR_MODEL "samples/shakespeare"

/* The directory of the sample model, the caller frees: in $FLASHTWIN_DATADIR when that is set, else
 * where flashtwin was installed, else in its source tree; a program in its build tree looks in the
 * source tree only. It need not exist: opening it says so. */
char *datadir_model(void);

#endif
