// CUB's sort, and events. Apart from the other kernels, whose constants have names that CUB uses too.
#include "api.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <stdio.h>

static void must(cudaError_t e) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "CUB: %s\n", cudaGetErrorString(e));
	exit(3);
}

struct Theirs {
	int width;
	size_t n;
	void* keys[2];
	uint32_t* rows[2];
	void* temp;
	size_t bytes;
};

__global__ void number_rows(uint32_t* rows, uint32_t n) {
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) rows[i] = i;
}

template <class K> static void sort_pairs(Theirs* t, size_t& bytes, cudaStream_t stream) {
	cub::DoubleBuffer<K> k((K*)t->keys[0], (K*)t->keys[1]);
	cub::DoubleBuffer<uint32_t> r(t->rows[0], t->rows[1]);
	must(cub::DeviceRadixSort::SortPairs(t->temp, bytes, k, r, (int)t->n, 0, 8 * sizeof(K), stream));
}

static void sort_any(Theirs* t, size_t& bytes, cudaStream_t stream) {
	t->width == 4 ? sort_pairs<uint32_t>(t, bytes, stream) : sort_pairs<uint64_t>(t, bytes, stream);
}

Theirs* theirs_new(int width, uint64_t n) {
	Theirs* t = new Theirs{width, n};
	for (int i = 0; i < 2; i++) {
		must(cudaMalloc(&t->keys[i], n * width));
		must(cudaMalloc(&t->rows[i], n * 4));
	}
	sort_any(t, t->bytes, 0); // asks for the bytes
	must(cudaMalloc(&t->temp, t->bytes));
	return t;
}

void theirs_load(Theirs* t, Address keys, Address stream) {
	must(cudaMemcpyAsync(t->keys[0], (const void*)keys, t->n * t->width, cudaMemcpyDeviceToDevice,
	                     (cudaStream_t)stream));
}

void theirs_sort(Theirs* t, Address stream) {
	cudaStream_t s = (cudaStream_t)stream;
	number_rows<<<(unsigned)std::min<size_t>(t->n / 1024 + 1, 132 * 8), 256, 0, s>>>(t->rows[0], (uint32_t)t->n);
	size_t bytes = t->bytes;
	sort_any(t, bytes, s);
}

void theirs_free(Theirs* t) {
	for (void* p : {t->keys[0], t->keys[1], (void*)t->rows[0], (void*)t->rows[1], t->temp}) must(cudaFree(p));
	delete t;
}

Address event_new() {
	cudaEvent_t e;
	must(cudaEventCreate(&e));
	return (Address)e;
}
void event_record(Address e, Address stream) { must(cudaEventRecord((cudaEvent_t)e, (cudaStream_t)stream)); }
double event_ms(Address from, Address to) {
	float ms;
	must(cudaEventSynchronize((cudaEvent_t)to));
	must(cudaEventElapsedTime(&ms, (cudaEvent_t)from, (cudaEvent_t)to));
	return ms;
}
void event_free(Address e) { must(cudaEventDestroy((cudaEvent_t)e)); }
