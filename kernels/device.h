// The words that kernels are written in. They mean the machine's instructions under nvcc; under another compiler they mean
// the emulation, so that the same sources are tested without a device.
#pragma once
#include "abi.h"

const u32 ALL_LANES = 0xffffffffu;

// Four neighbour words, moved at once.
struct alignas(16) Words4 {
	u32 word[4];
};

#ifndef __CUDACC__
#include "emulation/emulation.h"
#else

#define DEVICE __device__ __forceinline__
#define KERNEL(name, threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks) name
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define RESTRICT __restrict__

DEVICE u32 thread_index() { return threadIdx.x; }
DEVICE u32 block_index() { return blockIdx.x; }
DEVICE u32 block_threads() { return blockDim.x; }
DEVICE u32 grid_blocks() { return gridDim.x; }
DEVICE u8* shared_memory() {
	extern __shared__ __align__(16) u8 memory[];
	return memory;
}

DEVICE void sync_block() { __syncthreads(); }
DEVICE bool sync_block_or(bool p) { return __syncthreads_or(p); }
DEVICE void sync_warp() { __syncwarp(); }
DEVICE u32 vote(bool p) { return __ballot_sync(ALL_LANES, p); }
DEVICE u32 shuffle(u32 x, u32 from) { return __shfl_sync(ALL_LANES, x, from); }
DEVICE u32 shuffle_up(u32 x, u32 by) { return __shfl_up_sync(ALL_LANES, x, by); }
DEVICE u64 shuffle_up(u64 x, u32 by) { return __shfl_up_sync(ALL_LANES, x, by); }
DEVICE u64 shuffle(u64 x, u32 from) { return __shfl_sync(ALL_LANES, x, from); }
DEVICE u64 shuffle_xor(u64 x, u32 by) { return __shfl_xor_sync(ALL_LANES, x, by); }

DEVICE u32 count_ones(u32 x) { return __popc(x); }
DEVICE u32 count_leading_zeros(u32 x) { return __clz(x); }
DEVICE u32 and3(u32 a, u32 b, u32 c) {
	u32 r;
	asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

// The lanes whose x has the same bit as this lane's. Written so that the compiler turns the tests of all bits of x into one
// move of a register to predicates: ballots in C++ cost a sixth of the whole pass.
DEVICE u32 lanes_alike(u32 x, u32 bit) {
	u32 lanes;
	asm volatile(
	    "{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
	    : "=r"(lanes)
	    : "r"(x), "r"(bit));
	return lanes;
}

// Words by which blocks talk to one another: neither cached nor torn, in no order with other words.
DEVICE u32 load_relaxed(const u32* p) {
	u32 x;
	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
	return x;
}
DEVICE void store_relaxed(u32* p, u32 x) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); }

DEVICE Words4 load_relaxed4(const u32* p) {
	Words4 x;
	asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
	             : "=r"(x.word[0]), "=r"(x.word[1]), "=r"(x.word[2]), "=r"(x.word[3])
	             : "l"(p)
	             : "memory");
	return x;
}
DEVICE void store_relaxed4(u32* p, const Words4& x) {
	asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x.word[0]), "r"(x.word[1]), "r"(x.word[2]),
	             "r"(x.word[3])
	             : "memory");
}
// What this thread has written before is seen by whoever sees what it writes after.
DEVICE void fence() { __threadfence(); }
DEVICE void sleep(u32 nanoseconds) { __nanosleep(nanoseconds); }

DEVICE u32 compare_and_swap(u32* p, u32 is, u32 x) { return atomicCAS(p, is, x); }
DEVICE u32 atomic_add(u32* p, u32 x) { return atomicAdd(p, x); }
DEVICE void atomic_add(u64* p, u64 x) { atomicAdd((unsigned long long*)p, (unsigned long long)x); }
DEVICE void atomic_or(u32* p, u32 x) { atomicOr(p, x); }
DEVICE void atomic_or(u64* p, u64 x) { atomicOr((unsigned long long*)p, (unsigned long long)x); }
DEVICE void atomic_max(u32* p, u32 x) { atomicMax(p, x); }
DEVICE void atomic_max(u64* p, u64 x) { atomicMax((unsigned long long*)p, (unsigned long long)x); }

// A lock among warps, for one lane of each. The fences keep what it guards inside.
DEVICE void lock(u64* word) {
	while (atomicCAS((unsigned long long*)word, 0ull, 1ull) != 0) {}
	__threadfence();
}
DEVICE void unlock(u64* word) {
	__threadfence();
	atomicExch((unsigned long long*)word, 0ull);
}

template <class T> DEVICE T load(const T* p) { return __ldg(p); }
// The same for what is read, or written, but once: it need not stay in the caches.
DEVICE u64 load_once(const u64* p) { return __ldcs((const unsigned long long*)p); }
DEVICE u32 load_once(const u32* p) { return __ldcs(p); }
DEVICE u16 load_once(const u16* p) { return __ldcs(p); }
DEVICE void store_once(u64* p, u64 x) { __stcs((unsigned long long*)p, (unsigned long long)x); }
DEVICE void store_once(u32* p, u32 x) { __stcs(p, x); }

// Copies a word into shared memory without waiting for it; wait_for_copies waits for all of this thread's.
template <class T> DEVICE void copy_async(T* shared, const T* global) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((u32)__cvta_generic_to_shared(shared)), "l"(global), "n"(sizeof(T)) : "memory");
}
DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Orders the two words at pair, of which second is the latter, if there is a pair; reports whether they agree from bit shift on.
// Without a branch: nearly every warp has some lane with a pair.
DEVICE bool order_pair(u32* pair, u32 second, bool isPair, u32 shift) {
	u32 tie;
	asm volatile(
	    "{ .reg .pred p, q, e; .reg .b32 y, z; setp.ne.u32 p, %3, 0; mov.b32 y, 0; @p ld.shared.u32 y, [%1]; setp.gt.u32 q, y, %2;"
	    "@q st.shared.u32 [%1], %2; @q st.shared.u32 [%1 + 4], y; xor.b32 z, y, %2; shr.u32 z, z, %4; setp.eq.and.u32 e, z, 0, p;"
	    "selp.u32 %0, 1, 0, e; }"
	    : "=r"(tie)
	    : "r"((u32)__cvta_generic_to_shared(pair)), "r"(second), "r"((u32)isPair), "r"(shift)
	    : "memory");
	return tie != 0;
}

// Hides from the compiler that a pointer is a kernel's argument, which it would load again in every turn of a loop.
template <class T> DEVICE T* in_register(T* p) {
	u64 address = (u64)p;
	asm volatile("" : "+l"(address));
	return (T*)address;
}

#endif

DEVICE u32 lane_index() { return thread_index() % 32; }
DEVICE u32 warp_index() { return thread_index() / 32; }

// The exclusive sum of x over the lanes of a warp, and the sum of all.
DEVICE u32 warp_exclusive_sum(u32 x, u32* total) {
	u32 sum = x;
	UNROLL for (u32 by = 1; by < 32; by *= 2) {
		u32 below = shuffle_up(sum, by);
		if (lane_index() >= by) sum += below;
	}
	*total = shuffle(sum, 31);
	return sum - x;
}

DEVICE u64 warp_max(u64 x) {
	UNROLL for (u32 by = 16; by > 0; by /= 2) {
		u64 other = shuffle_xor(x, by);
		x = other > x ? other : x;
	}
	return x;
}
DEVICE u64 warp_or(u64 x) {
	UNROLL for (u32 by = 16; by > 0; by /= 2) x |= shuffle_xor(x, by);
	return x;
}
DEVICE u64 warp_sum(u64 x) {
	UNROLL for (u32 by = 16; by > 0; by /= 2) x += shuffle_xor(x, by);
	return x;
}
