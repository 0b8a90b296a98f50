/* read_rule.h - the sizes of the kernels that measure how fast memory is read. Included by kernels
 * and by the host. */
#ifndef READ_RULE_H
#define READ_RULE_H

#define READ_WARPS 8            /* of a block */
#define READ_LOADS 8            /* of 16 bytes that a thread of read_direct has in flight */
#define READ_STAGES 6           /* tiles that a warp of read_bulk has in flight */
#define READ_TILE 256           /* 16-byte vectors of a tile */
#define READ_RING_BYTES (READ_WARPS * READ_STAGES * READ_TILE * 16)

#endif
