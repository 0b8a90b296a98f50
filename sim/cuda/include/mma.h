/* mma.h - an error, because the simulator has no tensor cores. */
#error "tensor cores (wmma) cannot be used in the simulator"
