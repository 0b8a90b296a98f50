/* fault.h - catches signals inside kernels. Private to sim/. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

void fault_install(void);                       /* once per process */
void fault_thread_begin(void);                  /* sets this OS thread's alternate signal stack */
void fault_thread_end(void);

#endif
