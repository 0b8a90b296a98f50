/* block_io.h - cub::BlockLoad, BlockStore, BlockExchange, BlockAdjacentDifference and
 * BlockDiscontinuity; see types.h.
 *
 * Items are "blocked" where a thread has N in a row, and "striped" where thread i has items i,
 * i + threads and so on. How they reach memory does not matter here, so all algorithms but the
 * striped one are one.
 */
#ifndef SIM_CUB_BLOCK_IO_H
#define SIM_CUB_BLOCK_IO_H

#include "sim/cuda/cub/types.h"

namespace cub {

enum BlockLoadAlgorithm {
	BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE,
	BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
	BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE,
	BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/* The place of a thread's item i. */
static inline int ft_cub_blocked(int thread, int i, int items) { return thread * items + i; }
static inline int ft_cub_striped(int thread, int i, int threads) { return i * threads + thread; }

template <class T, int N, class In>
static inline void LoadDirectBlocked(int thread, In from, T (&items)[N])
{
	for (int i = 0; i < N; i++)
		items[i] = from[ft_cub_blocked(thread, i, N)];
}
template <class T, int N, class In>
static inline void LoadDirectBlocked(int thread, In from, T (&items)[N], int valid)
{
	for (int i = 0; i < N; i++)
		if (ft_cub_blocked(thread, i, N) < valid)
			items[i] = from[ft_cub_blocked(thread, i, N)];
}
template <int Threads, class T, int N, class In>
static inline void LoadDirectStriped(int thread, In from, T (&items)[N])
{
	for (int i = 0; i < N; i++)
		items[i] = from[ft_cub_striped(thread, i, Threads)];
}
template <int Threads, class T, int N, class In>
static inline void LoadDirectStriped(int thread, In from, T (&items)[N], int valid)
{
	for (int i = 0; i < N; i++)
		if (ft_cub_striped(thread, i, Threads) < valid)
			items[i] = from[ft_cub_striped(thread, i, Threads)];
}
template <class T, int N, class Out>
static inline void StoreDirectBlocked(int thread, Out to, T (&items)[N])
{
	for (int i = 0; i < N; i++)
		to[ft_cub_blocked(thread, i, N)] = items[i];
}
template <class T, int N, class Out>
static inline void StoreDirectBlocked(int thread, Out to, T (&items)[N], int valid)
{
	for (int i = 0; i < N; i++)
		if (ft_cub_blocked(thread, i, N) < valid)
			to[ft_cub_blocked(thread, i, N)] = items[i];
}
template <int Threads, class T, int N, class Out>
static inline void StoreDirectStriped(int thread, Out to, T (&items)[N])
{
	for (int i = 0; i < N; i++)
		to[ft_cub_striped(thread, i, Threads)] = items[i];
}
template <int Threads, class T, int N, class Out>
static inline void StoreDirectStriped(int thread, Out to, T (&items)[N], int valid)
{
	for (int i = 0; i < N; i++)
		if (ft_cub_striped(thread, i, Threads) < valid)
			to[ft_cub_striped(thread, i, Threads)] = items[i];
}

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
	  int Z = 1, int = 0>
class BlockLoad {
	enum { threads = X * Y * Z };
	static int thread() { return (int)cooperative_groups::ft_thread_linear(); }
public:
	typedef NullType TempStorage;

	BlockLoad() { }
	explicit BlockLoad(TempStorage &) { }
	template <class In> void Load(In from, T (&items)[N]) { Load(from, items, threads * N); }
	template <class In> void Load(In from, T (&items)[N], int valid)
	{
		if (Algorithm == BLOCK_LOAD_STRIPED)
			LoadDirectStriped<threads>(thread(), from, items, valid);
		else
			LoadDirectBlocked(thread(), from, items, valid);
	}
	template <class In, class Default>
	void Load(In from, T (&items)[N], int valid, Default otherwise)
	{
		for (int i = 0; i < N; i++)
			items[i] = otherwise;
		Load(from, items, valid);
	}
};

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
	  int Z = 1, int = 0>
class BlockStore {
	enum { threads = X * Y * Z };
	static int thread() { return (int)cooperative_groups::ft_thread_linear(); }
public:
	typedef NullType TempStorage;

	BlockStore() { }
	explicit BlockStore(TempStorage &) { }
	template <class Out> void Store(Out to, T (&items)[N]) { Store(to, items, threads * N); }
	template <class Out> void Store(Out to, T (&items)[N], int valid)
	{
		if (Algorithm == BLOCK_STORE_STRIPED)
			StoreDirectStriped<threads>(thread(), to, items, valid);
		else
			StoreDirectBlocked(thread(), to, items, valid);
	}
};

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
	enum { threads = X * Y * Z };
public:
	struct TempStorage { T value[threads * N]; };

	explicit BlockExchange(TempStorage &temp) : temp(temp) { }
	template <class Out> void StripedToBlocked(const T (&in)[N], Out (&out)[N], FT_CALL)
	{
		StoreDirectStriped<threads>(thread(), temp.value, in);
		FT_CUB_SYNC();
		LoadDirectBlocked(thread(), temp.value, out);
	}
	template <class Out> void BlockedToStriped(const T (&in)[N], Out (&out)[N], FT_CALL)
	{
		StoreDirectBlocked(thread(), temp.value, in);
		FT_CUB_SYNC();
		LoadDirectStriped<threads>(thread(), temp.value, out);
	}
	void StripedToBlocked(T (&items)[N], FT_CALL)
		{ StripedToBlocked(items, items, FT_CALLER); }
	void BlockedToStriped(T (&items)[N], FT_CALL)
		{ BlockedToStriped(items, items, FT_CALLER); }
private:
	TempStorage &temp;
	static int thread() { return (int)cooperative_groups::ft_thread_linear(); }
};

/* The neighbours of a thread's items: the last item of the thread before, the first of the next. */
template <class T, int Threads> struct ft_cub_neighbours {
	struct TempStorage { T first[Threads], last[Threads]; };

	template <int N>
	static void exchange(TempStorage &temp, const T (&items)[N], T &before, T &after, FT_CALL)
	{
		unsigned thread = cooperative_groups::ft_thread_linear();

		temp.first[thread] = items[0];
		temp.last[thread] = items[N - 1];
		FT_CUB_SYNC();
		before = temp.last[thread ? thread - 1 : 0];
		after = temp.first[thread + 1 < Threads ? thread + 1 : thread];
	}
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
	typedef ft_cub_neighbours<T, X * Y * Z> neighbours;
public:
	typedef typename neighbours::TempStorage TempStorage;

	explicit BlockAdjacentDifference(TempStorage &temp) : temp(temp) { }
	/* out[i] = operation(item, the item before); the first item of the block stays. */
	template <int N, class Out, class F>
	void SubtractLeft(T (&items)[N], Out (&out)[N], F operation, FT_CALL)
	{
		T before, after;

		neighbours::exchange(temp, items, before, after, FT_CALLER);
		for (int i = 0; i < N; i++) {
			T item = items[i];

			out[i] = i == 0 && cooperative_groups::ft_thread_linear() == 0 ? item
				: operation(item, before);
			before = item;
		}
	}
private:
	TempStorage &temp;
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
	typedef ft_cub_neighbours<T, X * Y * Z> neighbours;
	static unsigned thread() { return cooperative_groups::ft_thread_linear(); }
public:
	typedef typename neighbours::TempStorage TempStorage;

	explicit BlockDiscontinuity(TempStorage &temp) : temp(temp) { }
	/* Flags the first item, and those for which operation(the item before, item) is true. */
	template <int N, class Flag, class F>
	void FlagHeads(Flag (&flags)[N], T (&items)[N], F operation, FT_CALL)
	{
		T before, after;

		neighbours::exchange(temp, items, before, after, FT_CALLER);
		for (int i = 0; i < N; i++) {
			flags[i] = (i == 0 && thread() == 0) || operation(before, items[i]);
			before = items[i];
		}
	}
	/* The same with the one after, and the last. */
	template <int N, class Flag, class F>
	void FlagTails(Flag (&flags)[N], T (&items)[N], F operation, FT_CALL)
	{
		T before, after;

		neighbours::exchange(temp, items, before, after, FT_CALLER);
		for (int i = 0; i < N; i++) {
			bool last = i == N - 1;

			flags[i] = (last && thread() == X * Y * Z - 1)
				|| operation(items[i], last ? after : items[last ? i : i + 1]);
		}
	}
private:
	TempStorage &temp;
};

}

#endif
