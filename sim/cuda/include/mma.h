/* mma.h - says that the simulator has no tensor cores for users' kernels. */
#error "tensor cores (wmma) cannot be used in the simulator"
