/* programmatic.h - launches that begin before the one before them in their stream has ended, for
 * kernels on both devices.
 *
 * A kernel whose entry in the kernel table is `programmatic` is launched so on a GPU of sm_90.
 * Until its grid_wait() it may read only what was complete before the launch before it began.
 *   grid_let_next()        the next launch may begin, once all blocks have come here or ended
 *   grid_wait()            until the launch before has ended, and what it wrote is there
 * On the simulator launches of a stream run one after another; the checker finds what a launch
 * accesses too early.
 */
#ifndef SIM_PROGRAMMATIC_H
#define SIM_PROGRAMMATIC_H

#if defined(FLASHTWIN_SIM) && defined(FLASHTWIN_CHECK)
#define grid_let_next() ft_grid_let_next()
#define grid_wait() ft_grid_wait()
#elif defined(FLASHTWIN_SIM)
#define grid_let_next() ((void)0)
#define grid_wait() ((void)0)
#else

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define grid_let_next() asm volatile("griddepcontrol.launch_dependents;" ::: "memory")
#define grid_wait() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define grid_let_next() ((void)0)
#define grid_wait() ((void)0)
#endif

#endif
#endif
