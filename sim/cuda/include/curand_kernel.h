/* curand_kernel.h - says that the simulator has no cuRAND. */
#error "cuRAND cannot be used in the simulator: pass random numbers as an array"
