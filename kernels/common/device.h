// The primitives that kernels use. Under nvcc they are instructions of the device; under another compiler they are
// those of the emulation, so that the same sources are tested without a device.
#pragma once
#include "abi.h"

const u32 ALL_LANES = 0xffffffffu;

// Four adjacent words, moved by one instruction.
struct alignas(16) Words4 {
	u32 word[4];
};

#ifndef __CUDACC__
#include "emulation/emulation.h"
#else

#define DEVICE __device__ __forceinline__
#define KERNEL(name, threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks) name
// A kernel whose grid is one cluster: blocks that access one another's shared memory.
#define CLUSTER_KERNEL(name, threads, blocks) \
	extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(threads, 1) name
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
// A function that is not inlined, so that its registers do not add to those of the caller, which would spill. Static
// inside of a structure. Outside it is not: the compiler would put a hash of the folder into its name.
#define NOINLINE inline __device__ __noinline__
// A structure passed by value: all threads read it in place, as fast as constants.
#define PARAMETER const __grid_constant__

DEVICE u32 thread_index() { return threadIdx.x; }
DEVICE u32 block_index() { return blockIdx.x; }
DEVICE u32 block_threads() { return blockDim.x; }
DEVICE u32 grid_blocks() { return gridDim.x; }
DEVICE u8* shared_memory() {
	extern __shared__ __align__(16) u8 memory[];
	return memory;
}

// The barrier of a cluster, in two halves: what a thread has written before it arrives, in the memory of any block, is
// visible to those that have waited.
DEVICE void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
DEVICE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
// The address in another block of the cluster of the shared memory that this block has at p.
template <class T> DEVICE T* in_block(u32 block, T* p) {
	u64 there;
	asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(block));
	return (T*)there;
}

DEVICE void sync_block() { __syncthreads(); }
DEVICE bool sync_block_or(bool p) { return __syncthreads_or(p); }
DEVICE u32 sync_block_count(bool p) { return (u32)__syncthreads_count(p); } // threads of the block with p
DEVICE void sync_warp() { __syncwarp(); }
DEVICE u32 vote(bool p) { return __ballot_sync(ALL_LANES, p); }
template <class Word> DEVICE Word shuffle(Word x, u32 from) { return __shfl_sync(ALL_LANES, x, from); }
template <class Word> DEVICE Word shuffle_up(Word x, u32 by) { return __shfl_up_sync(ALL_LANES, x, by); }
DEVICE u64 shuffle_xor(u64 x, u32 by) { return __shfl_xor_sync(ALL_LANES, x, by); }
DEVICE u32 warp_add(u32 x) { return __reduce_add_sync(ALL_LANES, x); }
DEVICE u32 warp_max(u32 x) { return __reduce_max_sync(ALL_LANES, x); }
DEVICE u32 warp_or(u32 x) { return __reduce_or_sync(ALL_LANES, x); }

// The lanes that have the same word.
DEVICE u32 lanes_with(u32 x) { return __match_any_sync(ALL_LANES, x); }

DEVICE u32 count_ones(u32 x) { return __popc(x); }
DEVICE u32 lowest_bit(u32 x) { return (u32)__ffs((int)x) - 1; } // of a word that is not zero
// The low 32 bits of high:low >> by, by below 32.
DEVICE u32 shift_right(u32 high, u32 low, u32 by) { return __funnelshift_r(low, high, by); }
// The high 32 bits of high:low << by, by below 32.
DEVICE u32 shift_left(u32 high, u32 low, u32 by) { return __funnelshift_l(low, high, by); }
DEVICE u32 multiply_high(u32 a, u32 b) { return __umulhi(a, b); }
DEVICE u64 multiply_high(u64 a, u64 b) { return __umul64hi(a, b); }
DEVICE double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
DEVICE float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
// Rounded towards the lesser, and brought into 0..1; a NaN to 0.
DEVICE float multiply_add_down(float a, float b, float c) { return __fmaf_rd(a, b, c); }
DEVICE float multiply_add_unit(float a, float b, float c) {
	float r;
	asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
	return r;
}
DEVICE float as_float(u32 pattern) { return __uint_as_float(pattern); }
DEVICE double as_double(u64 pattern) { return __longlong_as_double((long long)pattern); }
DEVICE double as_double(u32 pattern) { return (double)__uint_as_float(pattern); } // of a float
DEVICE u64 pattern_of(double x) { return (u64)__double_as_longlong(x); }
DEVICE u32 pattern_of(float x) { return __float_as_uint(x); }
DEVICE u32 count_leading_zeros(u32 x) { return __clz(x); }
DEVICE u32 and3(u32 a, u32 b, u32 c) {
	u32 r;
	asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

// The lanes whose x has the same bit as this lane's. The assembly makes the compiler turn the tests of all bits of x
// into one move of a register to predicates: with ballots in C++ the pass takes a sixth longer.
DEVICE u32 lanes_alike(u32 x, u32 bit) {
#if __CUDA_ARCH__ >= 1000 // ptxas runs out of predicates there the other way
	u32 with = __ballot_sync(0xffffffff, (x & bit) != 0);
	return x & bit ? with : ~with;
#else
	u32 lanes;
	asm volatile(
	    "{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; "
	    "vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
	    : "=r"(lanes)
	    : "r"(x), "r"(bit));
	return lanes;
#endif
}

// Loads and stores by instructions of a kind, of words of 32 bits ("r") and of 64 ("l").
#define LOAD(name, instruction, bits, r) \
	DEVICE u##bits name(const u##bits* p) { \
		u##bits x; \
		asm volatile(instruction ".u" #bits " %0, [%1];" : "=" r(x) : "l"(p) : "memory"); \
		return x; \
	}
#define STORE(name, instruction, bits, r) \
	DEVICE void name(u##bits* p, u##bits x) { \
		asm volatile(instruction ".u" #bits " [%0], %1;" ::"l"(p), r(x) : "memory"); \
	}

// Words through which blocks communicate: uncached, atomic, and unordered with other words.
LOAD(load_relaxed, "ld.relaxed.gpu.global", 32, "r")
LOAD(load_relaxed, "ld.relaxed.gpu.global", 64, "l")
STORE(store_relaxed, "st.relaxed.gpu.global", 32, "r")
STORE(store_relaxed, "st.relaxed.gpu.global", 64, "l")
// Words in pinned memory that the host polls. What else it reads there is written before a fence_system, or the host
// waits for an event before it reads.
STORE(store_system, "st.relaxed.sys.global", 64, "l")

DEVICE Words4 load_relaxed4(const u32* p) {
	Words4 x;
	asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
	             : "=r"(x.word[0]), "=r"(x.word[1]), "=r"(x.word[2]), "=r"(x.word[3])
	             : "l"(p)
	             : "memory");
	return x;
}
// Words of barriers: what all threads of a block have written before its barrier and addition is visible to those that
// read the sum. Cheaper than fences around unordered words.
DEVICE u32 add_release(u32* p, u32 x) {
	u32 before;
	asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(x) : "memory");
	return before;
}
LOAD(load_acquire, "ld.acquire.gpu.global", 32, "r")
DEVICE void sleep(u32 nanoseconds) { __nanosleep(nanoseconds); }

DEVICE u32 atomic_add(u32* p, u32 x) { return atomicAdd(p, x); }
DEVICE u32 compare_and_swap(u32* p, u32 was, u32 x) { return atomicCAS(p, was, x); }
DEVICE u64 compare_and_swap(u64* p, u64 was, u64 x) { return atomicCAS((unsigned long long*)p, was, x); }
DEVICE void atomic_add(u64* p, u64 x) { atomicAdd((unsigned long long*)p, (unsigned long long)x); }
DEVICE u32 atomic_or(u32* p, u32 x) { return atomicOr(p, x); }
DEVICE void atomic_or(u64* p, u64 x) { atomicOr((unsigned long long*)p, (unsigned long long)x); }
DEVICE void atomic_max(u32* p, u32 x) { atomicMax(p, x); }
DEVICE void atomic_max(u64* p, u64 x) { atomicMax((unsigned long long*)p, (unsigned long long)x); }

// A lock among warps, taken by one lane of each. The fences keep the guarded accesses inside.
DEVICE void lock(u64* word) {
	while (atomicCAS((unsigned long long*)word, 0ull, 1ull) != 0) {}
	__threadfence();
}
DEVICE void unlock(u64* word) {
	__threadfence();
	atomicExch((unsigned long long*)word, 0ull);
}

// For kernels that are launched early: they start while the preceding kernel of the stream runs its last blocks, and
// wait here until it has completed and its writes are visible. Every block waits, so that a kernel completes after all
// preceding ones.
DEVICE void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next kernel start, if it is launched early, when all blocks of this kernel have called this.
DEVICE void let_later_kernels_start() {
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Orders the writes of a block before a word that announces them, and its reads after it has read such a word.
DEVICE void fence() { __threadfence(); }
// The same for a word that the host reads.
DEVICE void fence_system() { __threadfence_system(); }

// For memory that no kernel writes while this one runs, from its start on: not for what the preceding kernel of the
// stream writes, where this one is launched early.
template <class T> DEVICE T load(const T* p) { return __ldg(p); }
// 16 bytes at an address that is a multiple of 16.
DEVICE void load_vector(const u32* p, u32* x) {
	uint4 v = __ldg((const uint4*)p);
	x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}
DEVICE void load_vector(const u64* p, u64* x) {
	ulonglong2 v = __ldg((const ulonglong2*)p);
	x[0] = v.x, x[1] = v.y;
}
// The same for words that the kernel writes.
DEVICE void load_pair(const u64* p, u64* x) {
	ulonglong2 v = *(const ulonglong2*)p;
	x[0] = v.x, x[1] = v.y;
}
// Bypasses the L1 cache, which has few lines for many loads in flight.
LOAD(load_past, "ld.global.L1::no_allocate", 32, "r")
LOAD(load_past, "ld.global.L1::no_allocate", 64, "l")
// The same for data that is read or written only once, and need not stay in the caches.
template <class T> DEVICE T load_once(const T* p) { return __ldcs(p); }
template <class T> DEVICE void store_once(T* p, T x) { __stcs(p, x); }
// Two adjacent words.
DEVICE void store_once(u64* p, u64 x, u64 y) { __stcs((ulonglong2*)p, make_ulonglong2(x, y)); }
DEVICE void store_once(u32* p, u32 x, u32 y) { __stcs((uint2*)p, make_uint2(x, y)); }

// A word of a line whose other words will be loaded soon: the L2 cache is asked for the line once.
LOAD(load_of_line, "ld.global.nc.L2::128B", 32, "r")
LOAD(load_of_line, "ld.global.nc.L2::128B", 64, "l")

// Copies a word into shared memory asynchronously; wait_for_copies waits for all copies of this thread.
template <class T> DEVICE void copy_async(T* shared, const T* global) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((u32)__cvta_generic_to_shared(shared)), "l"(global),
	             "n"(sizeof(T))
	             : "memory");
}
DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Places in shared memory, in bytes.
DEVICE u32 shared_place(const void* p) { return (u32)__cvta_generic_to_shared(p); }
DEVICE u32 load_shared(u32 place) {
	u32 x;
	asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(place) : "memory");
	return x;
}

// Adds one to a word.
DEVICE void count_shared(u32 place) { asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(place) : "memory"); }

// Adds to a word if wanted, and returns its previous value, else 0. Without a branch, so that many additions are in
// flight at a time.
DEVICE u32 add_shared_if(bool wanted, u32 place, u32 x) {
	u32 before;
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.b32 %0, 0; @p atom.shared.add.u32 %0, [%2], %3; }"
	             : "=r"(before)
	             : "r"((u32)wanted), "r"(place), "r"(x)
	             : "memory");
	return before;
}

// The same if any of the wanted bits is set, without the previous value.
DEVICE void count_shared_if(u32 bits, u32 wanted, u32 place, u32 x) {
	asm volatile(
	    "{ .reg .pred p; .reg .b32 t; and.b32 t, %0, %1; setp.ne.u32 p, t, 0; @p red.shared.add.u32 [%2], %3; }" ::"r"(
	        bits),
	    "r"(wanted), "r"(place), "r"(x)
	    : "memory");
}

// Words of 32 and of 64 bits: load_shared_if returns a word if it is wanted, else 0; store_two_if stores two adjacent
// words. Without branches, so that many are in flight at a time.
template <class Word> DEVICE Word load_shared_if(bool wanted, u32 place);
#define SHARED_WORDS(bits, bytes, r) \
	DEVICE void store_shared(u32 place, u##bits x) { \
		asm volatile("st.shared.u" #bits " [%0], %1;" ::"r"(place), r(x) : "memory"); \
	} \
	template <> DEVICE u##bits load_shared_if<u##bits>(bool wanted, u32 place) { \
		u##bits x; \
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.b" #bits " %0, 0; @p ld.shared.u" #bits " %0, [%2]; }" \
		             : "=" r(x) \
		             : "r"((u32)wanted), "r"(place) \
		             : "memory"); \
		return x; \
	} \
	DEVICE void store_shared_if(bool wanted, u32 place, u##bits x) { \
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.u" #bits " [%1], %2; }" ::"r"((u32)wanted), \
		             "r"(place), r(x) \
		             : "memory"); \
	} \
	DEVICE void store_two_if(bool wanted, u32 place, u##bits x, u##bits y) { \
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.u" #bits " [%1], %2; @p st.shared.u" #bits \
		             " [%1 + " #bytes "], %3; }" ::"r"((u32)wanted), \
		             "r"(place), r(x), r(y) \
		             : "memory"); \
	}
SHARED_WORDS(32, 4, "r")
SHARED_WORDS(64, 8, "l")

// Prefetches a word that will be loaded soon.
DEVICE void fetch_soon(u64 address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
// The same for a multiple of 16 bytes at a multiple of 16; on devices whose kernels start early, which is what this is
// for.
DEVICE void fetch_soon(u64 address, u32 bytes) {
#if __CUDA_ARCH__ >= 900
	asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes) : "memory");
#endif
}

// Hides from the compiler that a pointer is a kernel's argument, which it would load again in every iteration of a
// loop.
template <class T> DEVICE T* in_register(T* p) {
	u64 address = (u64)p;
	asm volatile("" : "+l"(address));
	return (T*)address;
}
// The same for a value that it would rather compute again than keep.
DEVICE u32 in_register(u32 x) {
	asm volatile("" : "+r"(x));
	return x;
}

#endif

constexpr int power_up_to(int x) { return x < 2 ? 1 : 2 * power_up_to(x / 2); }

DEVICE u32 lane_index() { return thread_index() % 32; }
DEVICE u32 warp_index() { return thread_index() / 32; }

DEVICE u32 sum_of(const Words4& x) { return x.word[0] + x.word[1] + x.word[2] + x.word[3]; }

// How many of some lanes precede this one.
DEVICE u32 lanes_before(u32 lanes) { return count_ones(lanes & ((1u << lane_index()) - 1)); }

// Calls visit(i) for each i below n, by all threads of the grid, whose blocks have STREAM_THREADS: neighbours have
// neighbouring numbers.
template <class Visit> DEVICE void for_each(u64 n, const Visit& visit) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < n; i += step) visit(i);
}

// The exclusive sum of x over the lanes of a warp, and the sum of all.
template <class Word> DEVICE Word warp_exclusive_sum(Word x, Word* total) {
	Word sum = x;
	UNROLL for (u32 by = 1; by < 32; by *= 2) {
		Word below = shuffle_up(sum, by);
		if (lane_index() >= by) sum += below;
	}
	*total = shuffle(sum, 31);
	return sum - x;
}

// The same over a block of the given threads. sums: a word for each warp.
template <int threads, class Word> DEVICE Word block_exclusive_sum(Word x, Word* sums, Word* total) {
	Word ofWarp, before = warp_exclusive_sum(x, &ofWarp);
	sync_block(); // all threads have read the words of the last call
	if (lane_index() == 0) sums[warp_index()] = ofWarp;
	sync_block();
	Word ofWarps = warp_exclusive_sum(lane_index() < threads / 32 ? sums[lane_index()] : 0, total);
	return before + shuffle(ofWarps, warp_index());
}

// Counts the blocks that have come this far. Returns true for the last one, which sees what all others have written
// before. shared: a word of shared memory.
DEVICE bool is_last_block(u32* arrived, u32* shared) {
	fence();
	sync_block();
	if (thread_index() == 0) *shared = atomic_add(arrived, 1u) + 1 == grid_blocks();
	sync_block();
	if (!*shared) return false;
	fence();
	return true;
}

DEVICE u64 warp_max(u64 x) {
	u32 high = warp_max((u32)(x >> 32));
	return (u64)high << 32 | warp_max(x >> 32 == high ? (u32)x : 0u);
}
DEVICE u64 warp_or(u64 x) { return (u64)warp_or((u32)(x >> 32)) << 32 | warp_or((u32)x); }
DEVICE u64 warp_sum(u64 x) {
	UNROLL for (u32 by = 16; by > 0; by /= 2) x += shuffle_xor(x, by);
	return x;
}
