#include "theirs.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <stdio.h>

static void must(cudaError_t e) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "CUB: %s\n", cudaGetErrorString(e));
	exit(3);
}

__global__ void number_rows(uint32_t* rows, uint32_t n) {
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) rows[i] = i;
}

template <class K> static void sort_pairs(Theirs& t, size_t n, size_t& bytes, cudaStream_t stream) {
	cub::DoubleBuffer<K> k((K*)t.keys[0], (K*)t.keys[1]);
	cub::DoubleBuffer<uint32_t> r(t.rows[0], t.rows[1]);
	must(cub::DeviceRadixSort::SortPairs(t.temp, bytes, k, r, (int)n, 0, 8 * sizeof(K), stream));
}

static void sort_any(Theirs& t, size_t n, size_t& bytes, cudaStream_t stream) {
	t.width == 4 ? sort_pairs<uint32_t>(t, n, bytes, stream) : sort_pairs<uint64_t>(t, n, bytes, stream);
}

Theirs::Theirs(int width, size_t n) : width(width), temp(nullptr), bytes(0) {
	for (int i = 0; i < 2; i++) {
		must(cudaMalloc(&keys[i], n * width));
		must(cudaMalloc(&rows[i], n * 4));
	}
	sort_any(*this, n, bytes, 0);
	must(cudaMalloc(&temp, bytes));
}

void Theirs::sort(size_t n, cudaStream_t stream) {
	number_rows<<<(unsigned)std::min<size_t>(n / 1024 + 1, 132 * 8), 256, 0, stream>>>(rows[0], (uint32_t)n);
	size_t b = bytes;
	sort_any(*this, n, b, stream);
}

void Theirs::release() {
	for (void* p : {keys[0], keys[1], (void*)rows[0], (void*)rows[1], temp}) must(cudaFree(p));
}
