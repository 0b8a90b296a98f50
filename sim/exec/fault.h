/* fault.h - signals inside of kernels, caught. Private to sim/. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

void fault_install(void);                       /* once per process */
void fault_thread_begin(void);                  /* alternate signal stack of this OS thread */
void fault_thread_end(void);

#endif
