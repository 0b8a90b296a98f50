/* toolkit_guards.h - keeps out headers of a toolkit that define what is defined here.
 *
 * Another of a toolkit's headers, found where the compiler looks by itself, would bring them: they
 * define __global__ and the vector types again.
 */
#ifndef FLASHTWIN_TOOLKIT_GUARDS_H
#define FLASHTWIN_TOOLKIT_GUARDS_H

#define __BUILTIN_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __CUDA_RUNTIME_API_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_HPP__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__

#endif
