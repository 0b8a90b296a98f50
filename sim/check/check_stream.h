/* check_stream.h - races between operations. Private to the checker. */
#ifndef CHECK_STREAM_H
#define CHECK_STREAM_H

struct check;
struct check_op;

/* Reports races of an operation with others that are unordered with it. */
void check_op_judge(struct check *, const struct check_op *);
/* Reports what a launch did before it waited, if it conflicts with `other`. */
void check_op_judge_early(struct check *, const struct check_op *, const struct check_op *other);

#endif
