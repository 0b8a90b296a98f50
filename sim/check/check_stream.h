/* check_stream.h - races between operations. Private to the checker. */
#ifndef CHECK_STREAM_H
#define CHECK_STREAM_H

struct check;
struct check_op;

/* Reports where an operation meets another that nothing orders. */
void check_op_judge(struct check *, const struct check_op *);

#endif
