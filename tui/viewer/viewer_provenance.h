/* viewer_provenance.h - lists of operations, which can be continued. */
#ifndef VIEWER_PROVENANCE_H
#define VIEWER_PROVENANCE_H

#include "tui/viewer/viewer_state.h"

/* Lists more operations, if the list on top has left out some. */
enum status viewer_list_more(struct viewer *);

#endif
