/* call.h - where a member of a class is called: a parameter that callers leave out.
 *
 * Used by cooperative_groups.h and by barriers and pipelines of sim/cuda/libcu/. Calls are
 * sites of their own (struct ft_site), which findings and deadlocks name.
 */
#ifndef SIM_LIBCU_CALL_H
#define SIM_LIBCU_CALL_H

/* FT_CALL declares that parameter, FT_CALLER is its value, FT_CALL_SITE the site. */
#if defined(__has_builtin) && __has_builtin(__builtin_source_location)
#if __cplusplus > 201703L
#include <source_location>
#else
namespace std {
struct source_location {
	struct __impl {
		const char *_M_file_name, *_M_function_name;
		unsigned _M_line, _M_column;
	};
};
}
#endif
/* As std::source_location::__impl, which libstdc++ keeps to itself. */
struct ft_call {
	const char *_M_file_name, *_M_function_name;
	unsigned _M_line, _M_column;
};
#define FT_CALL const void *ft_caller_ = __builtin_source_location()
#define FT_CALLER ft_caller_
#define FT_CALL_SITE(name) ft_group_site(name, (const ft_call *)ft_caller_)
static inline const struct ft_site *ft_group_site(const char *name, const ft_call *call)
{
	return ft_site_at(name, FT_OWN(const char *, call->_M_file_name),
			  (int)FT_OWN(unsigned, call->_M_line),
			  (int)FT_OWN(unsigned, call->_M_column));
}
#else                   /* calls on one line are one */
struct ft_call { const char *file; int line; };
#define FT_CALL ft_call ft_caller_ = ft_call{ __builtin_FILE(), __builtin_LINE() }
#define FT_CALLER ft_caller_
#define FT_CALL_SITE(name) ft_site_at(name, ft_caller_.file, ft_caller_.line, 0)
#endif

#endif
