/* export_pack.h - packs data for a page: gzip, then base64. Used by export_html.c. */
#ifndef EXPORT_PACK_H
#define EXPORT_PACK_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Deterministic: the same bytes give the same text. IO when writing to `out` fails. */
enum status export_pack(const char *bytes, size_t count, FILE *out);
/* Base64 alone. */
void export_base64(const void *bytes, size_t count, FILE *out);

#endif
