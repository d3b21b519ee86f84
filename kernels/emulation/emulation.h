// A device on the host: enough of one to run the kernels' sources and test their logic.
//
// A block is one thread of the operating system; its threads are fibers that take turns in a random order and switch
// only where they wait for others: at barriers, ballots, shuffles, and when they read a word that another block writes.
// Several blocks run at a time, fewer than the grid has, so that look-back really waits and nothing may rely on all
// being there.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>

#define DEVICE inline
#ifdef EXPORTED_KERNELS // for those who find them by name
#define KERNEL(name, threads, blocks) extern "C" __attribute__((visibility("default"))) void name
#else
#define KERNEL(name, threads, blocks) extern "C" inline void name
#endif
#define CLUSTER_KERNEL KERNEL
#define UNROLL
#define ROLLED
#define NOINLINE inline
#define PARAMETER const
#define STALLED_TILES emulation::stalled

#define OF_THREAD __attribute__((tls_model("initial-exec"))) __thread

namespace emulation {

struct Fiber {
	u32 thread, block, blocks, threads;
	u8* shared;
};

// A Watch counts how often load reads words of some memory.
struct Watch {
	const void *from, *to;
	std::atomic<u64> loads;
};
extern Watch watch;

// current is the fiber that runs on this thread of the operating system.
extern OF_THREAD Fiber* current;

// Of this many tiles one is slow to publish its counts (common/look_back.h): few in some launches, none in the others.
extern u32 stalled;

void sync();                   // of all threads of a block
u32 count(bool p);             // threads of the block with p; a barrier
const u64* show(u64 x);        // x of all lanes of the warp, until its next exchange
u64 exchange(u64 x, u32 from); // x of lane from of the warp
u32 vote(bool p);              // bit i: p of lane i
void wait_for_others();        // between two reads of a word that another block writes
void arrive();                 // at the barrier of a cluster
void wait();                   // for all of its threads
u8* shared_of(u32 block);      // the shared memory of a block of the cluster
// Runs a kernel. seed decides the order of the fibers and which tiles are slow, at most resident blocks run at a time.
void launch(u32 blocks, u32 threads, u32 shared, const std::function<void()>& kernel, u64 seed, u32 resident);
// The same for a grid that is one cluster.
void launch_cluster(u32 blocks, u32 threads, u32 shared, const std::function<void()>& kernel, u64 seed);

} // namespace emulation

inline u32 thread_index() { return emulation::current->thread; }
inline u32 block_index() { return emulation::current->block; }
inline u32 block_threads() { return emulation::current->threads; }
inline u32 grid_blocks() { return emulation::current->blocks; }
inline u8* shared_memory() { return emulation::current->shared; }

inline void cluster_arrive() { emulation::arrive(); }
inline void cluster_wait() { emulation::wait(); }
template <class T> inline T* in_block(u32 block, T* p) {
	return (T*)(emulation::shared_of(block) + ((u8*)p - shared_memory()));
}

inline void sync_block() { emulation::sync(); }
inline bool sync_block_or(bool p) { return emulation::count(p) > 0; }
inline u32 sync_block_count(bool p) { return emulation::count(p); }
inline void sync_warp() { emulation::vote(true); }

inline u32 vote(bool p) { return emulation::vote(p); }
template <class Word> inline Word shuffle(Word x, u32 from) { return (Word)emulation::exchange(x, from); }
template <class Word> inline Word shuffle_up(Word x, u32 by) {
	u32 lane = thread_index() % 32;
	return shuffle(x, lane >= by ? lane - by : lane);
}
inline u64 shuffle_xor(u64 x, u32 by) { return emulation::exchange(x, (thread_index() % 32) ^ by); }
inline u32 warp_add(u32 x) {
	for (u32 by = 16; by > 0; by /= 2) x += (u32)shuffle_xor(x, by);
	return x;
}
inline u32 warp_max(u32 x) {
	for (u32 by = 16; by > 0; by /= 2) x = std::max(x, (u32)shuffle_xor(x, by));
	return x;
}
inline u32 warp_or(u32 x) {
	for (u32 by = 16; by > 0; by /= 2) x |= (u32)shuffle_xor(x, by);
	return x;
}

inline u32 lanes_with(u32 x) {
	const u64* shown = emulation::show(x);
	u32 lanes = 0;
	for (u32 lane = 0; lane < 32; lane++) lanes |= (u32)(shown[lane] == x) << lane;
	return lanes;
}

inline u32 count_ones(u32 x) { return (u32)__builtin_popcount(x); }
inline u32 lowest_bit(u32 x) { return (u32)__builtin_ctz(x); }
inline u32 shift_right(u32 high, u32 low, u32 by) { return (u32)(((u64)high << 32 | low) >> (by % 32)); }
inline u32 shift_left(u32 high, u32 low, u32 by) { return (u32)(((u64)high << 32 | low) << (by % 32) >> 32); }
template <class To, class From> inline To copy_bits_of(From x) {
	To y;
	static_assert(sizeof x == sizeof y, "the same bits");
	__builtin_memcpy(&y, &x, sizeof y);
	return y;
}
inline double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float multiply_add_down(float a, float b, float c) {
	float r = __builtin_fmaf(a, b, c);
	bool above = r > (long double)a * b + c; // exact where it matters: products have 48 bits
	return above ? __builtin_nextafterf(r, -__builtin_inff()) : r;
}
inline float multiply_add_unit(float a, float b, float c) {
	float r = __builtin_fmaf(a, b, c);
	return r >= 1 ? 1 : r > 0 ? r : 0;
}
inline float as_float(u32 pattern) { return copy_bits_of<float>(pattern); }
inline double as_double(u64 pattern) { return copy_bits_of<double>(pattern); }
inline double as_double(u32 pattern) { return copy_bits_of<float>(pattern); }
inline u64 pattern_of(double x) { return copy_bits_of<u64>(x); }
inline u32 pattern_of(float x) { return copy_bits_of<u32>(x); }
inline u32 multiply_high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
inline u64 multiply_high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
inline u32 count_leading_zeros(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
inline u32 and3(u32 a, u32 b, u32 c) { return a & b & c; }
inline u32 lanes_alike(u32 x, u32 bit) {
	u32 lanes = vote((x & bit) != 0);
	return x & bit ? lanes : ~lanes;
}

template <class Word> inline Word load_relaxed(const Word* p) {
	emulation::wait_for_others();
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}
inline void store_relaxed(u32* p, u32 x) { __atomic_store_n(p, x, __ATOMIC_RELAXED); }
inline void store_relaxed(u64* p, u64 x) { __atomic_store_n(p, x, __ATOMIC_RELAXED); }
inline void store_system(u64* p, u64 x) { store_relaxed(p, x); }

inline Words4 load_relaxed4(const u32* p) {
	return {load_relaxed(p), load_relaxed(p + 1), load_relaxed(p + 2), load_relaxed(p + 3)};
}
inline u32 add_release(u32* p, u32 x) { return __atomic_fetch_add(p, x, __ATOMIC_RELEASE); }
inline u32 load_acquire(const u32* p) {
	emulation::wait_for_others();
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
inline void sleep(u32 nanoseconds) {
	for (u32 i = 0; i < nanoseconds / 1000; i++) emulation::wait_for_others();
}

template <class Word> inline Word compare_and_swap(Word* p, Word was, Word x) {
	__atomic_compare_exchange_n(p, &was, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return was;
}
inline u32 atomic_add(u32* p, u32 x) { return __atomic_fetch_add(p, x, __ATOMIC_RELAXED); }
inline void atomic_add(u64* p, u64 x) { __atomic_fetch_add(p, x, __ATOMIC_RELAXED); }
inline u32 atomic_or(u32* p, u32 x) { return __atomic_fetch_or(p, x, __ATOMIC_RELAXED); }
inline void atomic_or(u64* p, u64 x) { __atomic_fetch_or(p, x, __ATOMIC_RELAXED); }
template <class T> inline void atomic_max(T* p, T x) {
	T is = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (is < x && !__atomic_compare_exchange_n(p, &is, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

inline void lock(u64* word) {
	u64 open = 0;
	while (!__atomic_compare_exchange_n(word, &open, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		open = 0;
		emulation::wait_for_others();
	}
}
inline void unlock(u64* word) { __atomic_store_n(word, 0, __ATOMIC_RELEASE); }

inline void wait_for_earlier_kernels() {} // one kernel at a time
inline void let_later_kernels_start() {}
inline void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void fence_system() { fence(); }
inline void load_vector(const u32* p, u32* x) { x[0] = p[0], x[1] = p[1], x[2] = p[2], x[3] = p[3]; }
inline void load_vector(const u64* p, u64* x) { x[0] = p[0], x[1] = p[1]; }

template <class T> inline T load(const T* p) {
	if (p >= emulation::watch.from && p < emulation::watch.to) emulation::watch.loads++;
	return *p;
}
template <class T> inline T load_past(const T* p) { return *p; }
inline void load_pair(const u64* p, u64* x) { x[0] = load_relaxed(p), x[1] = load_relaxed(p + 1); }
template <class T> inline T load_once(const T* p) { return *p; }
template <class T> inline void store_once(T* p, T x) { *p = x; }
template <class T> inline void store_once(T* p, T x, T y) { p[0] = x, p[1] = y; }
template <class T> inline T load_of_line(const T* p) { return *p; }
template <class T> inline void copy_async(T* shared, const T* global) { *shared = *global; }
inline void wait_for_copies() {}
inline u32 shared_place(const void* p) { return (u32)((const u8*)p - shared_memory()); }
inline u32 load_shared(u32 place) { return *(const u32*)(shared_memory() + place); }
template <class Word> inline void store_shared(u32 place, Word x) { *(Word*)(shared_memory() + place) = x; }
inline void count_shared(u32 place) { atomic_add((u32*)(shared_memory() + place), 1u); }
inline u32 add_shared_if(bool wanted, u32 place, u32 x) {
	return wanted ? atomic_add((u32*)(shared_memory() + place), x) : 0;
}
inline void count_shared_if(u32 bits, u32 wanted, u32 place, u32 x) {
	if (bits & wanted) atomic_add((u32*)(shared_memory() + place), x);
}
template <class Word> inline Word load_shared_if(bool wanted, u32 place) {
	return wanted ? *(const Word*)(shared_memory() + place) : 0;
}
template <class Word> inline void store_shared_if(bool wanted, u32 place, Word x) {
	if (wanted) store_shared(place, x);
}
template <class Word> inline void store_two_if(bool wanted, u32 place, Word x, Word y) {
	if (wanted) store_shared(place, x), store_shared(place + sizeof(Word), y);
}
inline void fetch_soon(u64) {}
inline void fetch_soon(u64 address, u32 bytes) { // what is not there must not be asked for
	for (u32 i = 0; i < bytes; i++) (void)*(const volatile u8*)(address + i);
}
template <class T> inline T* in_register(T* p) { return p; }
inline u32 in_register(u32 x) { return x; }
