/* CUDAException.h - replaces a framework's header, which kernels do not need. */
#include <cstdint>
#include <string>
#include <vector>
