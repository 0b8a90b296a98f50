/* std.h - the system's C++ library as cuda::std. */
#ifndef SIM_LIBCU_STD_H
#define SIM_LIBCU_STD_H

#include <cstddef>

namespace cuda {
namespace std {
using namespace ::std;
}
}

#endif
