/* kernel_address.h - the kernel of a user's file that an expression names, as an address in C++. */
#ifndef KERNEL_ADDRESS_H
#define KERNEL_ADDRESS_H

/* The '(' of the parameter types in a kernel's expression; NULL where it has none. */
const char *kernel_address_types(const char *kernel);

/* The address of a kernel as a C++ expression, from its name or from an expression such as
 * "k<float>" or, for one of several of a name, "k(float *, int)". Without types it is a call of
 * KERNEL_ADDRESS_POINTER, which must be there. The caller frees it. */
char *kernel_address_expression(const char *kernel);

/* Picks the kernel from functions of one name: CUDA's headers have an all() and a min(), which
 * return something. sim/cuda/cuda_cpp.h has it for the simulator. */
#define KERNEL_ADDRESS_POINTER \
	"template <class... P> constexpr auto ft_kernel_pointer(void (*kernel)(P...))" \
	" { return kernel; }"

#endif
