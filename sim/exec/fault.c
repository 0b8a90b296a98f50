/* fault.c - catches signals inside a kernel, so that they end the launch and not the process.
 *
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL and the timer of step budgets are caught on an alternate stack,
 * because the fiber's stack may have overflowed. A signal outside a kernel gets its previous
 * action. Execution continues after a division by zero (divide.c), as on a GPU, and after the traps
 * the checker sets to see where a NaN is created (listener.h).
 */
#include "config.h"

#undef _FORTIFY_SOURCE                  /* see worker.c */

#include "sim/exec/fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "base/xalloc.h"
#include "sim/exec/divide.h"
#include "sim/exec/steps.h"
#include "sim/exec/worker.h"

static const int caught[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM };
#define CAUGHT (sizeof caught / sizeof caught[0])
/* A program that dies has its findings described on it; libdw alone needs more than 100 KiB. */
#define ALTERNATE_BYTES (1u << 20)

static struct sigaction previous[CAUGHT];
static _Thread_local unsigned char *alternate;

static void *program_counter(void *context)
{
#if defined(__x86_64__)
	return (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)((ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct worker *w = worker_self;
	const struct listener *listener;

	if (signal == SIGVTALRM && (!ft_self || !w || !steps_stuck()))
		return;
	if (!ft_self || !w) {           /* outside a kernel: let it recur with the old action */
		for (size_t i = 0; i < CAUGHT; i++)
			if (caught[i] == signal)
				sigaction(signal, &previous[i], NULL);
		return;
	}
	listener = w->grid->listener;
	if (signal == SIGTRAP && listener && listener->calls->stepped(context))
		return;
	if ((signal == SIGFPE || signal == SIGTRAP) && divide_emulate(context))
		return;
	if (signal == SIGFPE && listener
	    && listener->calls->trap(info, context, (uintptr_t)program_counter(context)))
		return;
#ifdef __aarch64__
	if (signal == SIGTRAP)          /* a compiler's trap: an illegal instruction on x86-64 */
		signal = SIGILL;
#endif
	w->fault.signal = signal;
	w->fault.code = signal == SIGILL ? 716 : signal == SIGVTALRM ? 702 : 700;
	w->fault.address = info->si_addr;
	w->fault.pc = program_counter(context);
	siglongjmp(w->landing, 1);
}

static void install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	action.sa_sigaction = on_signal;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++)
		if (sigaction(caught[i], &action, &previous[i]) != 0)
			abort();        /* cannot happen: the arguments are constants */
}

void fault_install(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install);
}

void fault_thread_begin(void)
{
	stack_t stack;

	if (alternate)
		return;
	alternate = xmalloc(ALTERNATE_BYTES);
	stack = (stack_t){ .ss_sp = alternate, .ss_size = ALTERNATE_BYTES };
	if (sigaltstack(&stack, NULL) != 0) {
		free(alternate);
		alternate = NULL;       /* faults are still caught, but not a stack overflow */
	}
}

void fault_thread_end(void)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	if (!alternate || sigaltstack(&stack, NULL) != 0)
		return;
	free(alternate);
	alternate = NULL;
}
