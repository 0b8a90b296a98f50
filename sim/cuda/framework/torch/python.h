/* python.h - replaces a framework's header, which kernels do not need. */
#include <cstdint>
#include <string>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
