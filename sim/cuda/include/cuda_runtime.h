/* cuda_runtime.h - replaces CUDA's header of this name in the simulator.
 *
 * The built-ins of device code are already defined (sim/cuda/user.h). Host functions are removed
 * from a user's file, so this header only defines the types of the host interface that prototypes
 * and constants may use.
 */
#ifndef FLASHTWIN_CUDA_RUNTIME_H
#define FLASHTWIN_CUDA_RUNTIME_H

typedef int cudaError_t;
typedef struct ft_host_stream *cudaStream_t;
typedef struct ft_host_event *cudaEvent_t;

#endif
