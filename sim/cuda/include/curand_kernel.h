/* curand_kernel.h - an error, because the simulator has no cuRAND. */
#error "cuRAND cannot be used in the simulator: pass random numbers as an array"
