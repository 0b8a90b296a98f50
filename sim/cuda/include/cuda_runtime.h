/* cuda_runtime.h - lets a .cu file that includes CUDA's header of this name compile for the
 * simulator.
 *
 * CUDA's words for device code are there already (sim/cuda/user.h). Host functions are taken out of a
 * user's file, so that of the host's interface only the types are here that prototypes and
 * constants may name.
 */
#ifndef FLASHTWIN_CUDA_RUNTIME_H
#define FLASHTWIN_CUDA_RUNTIME_H

typedef int cudaError_t;
typedef struct ft_host_stream *cudaStream_t;
typedef struct ft_host_event *cudaEvent_t;

#endif
