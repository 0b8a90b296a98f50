/* address.h - the linear addresses that flashtwin prints and accepts everywhere.
 *
 *     [rRUN.]LLAUNCH[.bBLOCK[.wWARP[.lLANE]]][.pPOINT | .aACCESS][.fFILE][.nLINE]
 *     [rRUN.]LLAUNCH.oOUTPUT[.eELEMENT]
 *     [rRUN.]LLAUNCH.end      [rRUN.]sSTEP[.end]      [rRUN.]op N      rRUN
 *
 * A point counts from 0 in its thread, an access (one request of the lanes) in its warp. Output 0,
 * 1, ... is what a launch wrote, in the order of the trace's digests; an element counts from the
 * beginning of the buffer written to. A line counts from 1 in a file of the kernel's text; without
 * a FILE it is the kernel's own file.
 * ".end" is the state after the launch or step. N is an operation; "opN" is accepted too.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Parts that an address does not have are -1. */
struct address {
	int64_t run, op, step, launch, block, warp, lane, point, access;
	int64_t output, element, file, line;
	bool end;
};

extern const struct address address_none;

/* USAGE, naming `what` ("--at"), the text and the part that is wrong. */
enum status address_parse(const char *what, const char *text, struct address *out);

bool address_equal(const struct address *, const struct address *);
/* Whether `place` is inside what `a` names: L12 covers L12 and L12.b3.p1. address_none covers
 * nothing. A place without a run is in every run. */
bool address_covers(const struct address *a, const struct address *place);

#define ADDRESS_TEXT 160
/* Writes the address as address_parse() reads it; "" for address_none. */
void address_format(const struct address *, char text[ADDRESS_TEXT]);

#endif
