/* dtype.h - element types of buffers, arrays and arguments, named as in traces and .npy files. */
#ifndef DTYPE_H
#define DTYPE_H

#include <stddef.h>

/* X(name, text, bytes, .npy descr or NULL). `pointer` is a device address, stored symbolically.
 * NumPy has no bfloat16 and no floats of 8 bits: .npy files hold them as opaque bytes, as ml_dtypes
 * writes them. One byte of that kind is read as E4M3, the format of KV caches. */
#define DTYPE_LIST(X) \
	X(F32,     "f32",     4, "<f4") \
	X(F64,     "f64",     8, "<f8") \
	X(F16,     "f16",     2, "<f2") \
	X(BF16,    "bf16",    2, "<V2") \
	X(I32,     "i32",     4, "<i4") \
	X(U32,     "u32",     4, "<u4") \
	X(I64,     "i64",     8, "<i8") \
	X(U64,     "u64",     8, "<u8") \
	X(U8,      "u8",      1, "|u1") \
	X(POINTER, "pointer", 8, NULL) \
	X(I8,      "i8",      1, "|i1") \
	X(I16,     "i16",     2, "<i2") \
	X(U16,     "u16",     2, "<u2") \
	X(BOOL,    "bool",    1, "|b1") \
	X(E4M3,    "e4m3",    1, "<V1")

enum dtype {
#define X(name, text, bytes, npy) DTYPE_##name,
	DTYPE_LIST(X)
#undef X
	DTYPE_COUNT
};

const char *dtype_name(enum dtype type);          /* "f32" */
size_t dtype_bytes(enum dtype type);
int dtype_from_name(const char *name, enum dtype *out);   /* 1 when found */

#endif
