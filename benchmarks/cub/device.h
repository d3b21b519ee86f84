// Where the comparison's own kernels run, memory and events: on the device, or on the host for a test of the program.
#pragma once
#include "../../kernels/abi.h"
#include "api.h"
#include <cstdio>
#include <cstdlib>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
#define ITEM __device__

inline void must(cudaError_t e, const char* what) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(3);
}

template <class Body> __global__ void run_items(u64 n, Body body) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) body(i);
}
template <class Body> void for_each(u64 n, Address stream, Body body) {
	run_items<<<4096, 256, 0, (cudaStream_t)stream>>>(n, body);
	must(cudaGetLastError(), "launch");
}

ITEM inline u64 add(u64* to, u64 x) { return atomicAdd((unsigned long long*)to, (unsigned long long)x); }
ITEM inline u32 set_bit(u32* words, u64 at) { return atomicOr(words + at / 32, 1u << at % 32) >> at % 32 & 1; }

inline void read_back(void* to, const void* from, u64 bytes, Address stream) {
	must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)stream), "download");
	must(cudaStreamSynchronize((cudaStream_t)stream), "wait");
}
inline void fill(void* p, int byte, u64 bytes, Address stream) {
	must(cudaMemsetAsync(p, byte, bytes, (cudaStream_t)stream), "fill");
}
inline void* allocate(u64 bytes) {
	void* p;
	must(cudaMalloc(&p, bytes + 16), "allocate");
	return p;
}
inline void release(void* p) { must(cudaFree(p), "free"); }

#else
#include <cstring>

#define BOTH inline
#define ITEM

// Waits for what the engine has queued in the driver's stand-in; the host does at once what is queued here.
extern "C" int cuStreamSynchronize(void* stream);
inline void synchronize(Address stream) {
	if (cuStreamSynchronize((void*)stream) != 0) fprintf(stderr, "the stand-in failed\n"), exit(3);
}

template <class Body> void for_each(u64 n, Address stream, Body body) {
	synchronize(stream);
	for (u64 i = 0; i < n; i++) body(i);
}

inline u64 add(u64* to, u64 x) { return (*to += x) - x; }
inline u32 set_bit(u32* words, u64 at) {
	u32 before = words[at / 32] >> at % 32 & 1;
	words[at / 32] |= 1u << at % 32;
	return before;
}

inline void read_back(void* to, const void* from, u64 bytes, Address) { memcpy(to, from, bytes); }
inline void fill(void* p, int byte, u64 bytes, Address stream) { synchronize(stream), memset(p, byte, bytes); }
inline void* allocate(u64 bytes) { return malloc(bytes + 16); }
inline void release(void* p) { free(p); }

#endif
