/* export_pack.h - text into text: compressed by gzip, then base64, as a page unpacks it. */
#ifndef EXPORT_PACK_H
#define EXPORT_PACK_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* The same bytes give the same text. IO when `out` takes no more. */
enum status export_pack(const char *bytes, size_t count, FILE *out);

#endif
