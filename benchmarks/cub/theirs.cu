// What CUB's sorts work on, and events.
#include "api.h"
#include "versions.h"
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>

static void must(cudaError_t e) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "CUB: %s\n", cudaGetErrorString(e));
	exit(3);
}

static const CubVersion* const versions[] = {&cub_pinned, &cub_newest};

struct Theirs {
	const CubVersion* version;
	int width;
	size_t n;
	void* keys[2];
	uint32_t* rows[2];
	void* temp;
	size_t bytes;

	// Without temp memory, they return the bytes that they need.
	size_t sort(cudaStream_t stream) {
		size_t all = bytes;
		version->sort(width, keys, rows, (uint32_t)n, temp, &all, stream);
		return all;
	}
	size_t sort_keys(cudaStream_t stream) {
		size_t all = bytes;
		version->sort_keys(width, keys, (uint32_t)n, temp, &all, stream);
		return all;
	}
	void reserve(size_t more) {
		if (more <= bytes) return;
		must(cudaFree(temp));
		must(cudaMalloc(&temp, bytes = more));
	}
};

template <class K> __global__ void gather_keys(const K* keys, const uint32_t* rows, uint32_t n, K* out) {
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = keys[rows[i]];
}

__global__ void number_rows(uint32_t* rows, uint32_t n) {
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) rows[i] = i;
}

int theirs_versions(void) { return sizeof versions / sizeof *versions; }
int theirs_version(int version) { return versions[version]->number; }

Theirs* theirs_new(int version, int width, uint64_t n) {
	Theirs* t = new Theirs{versions[version], width, n};
	for (int i = 0; i < 2; i++) {
		must(cudaMalloc(&t->keys[i], n * 8)); // of any later key
		must(cudaMalloc(&t->rows[i], n * 4));
	}
	t->bytes = std::max(t->sort(0), t->sort_keys(0));
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
	t->sort(s);
}

void theirs_sort_keys(Theirs* t, Address stream) { t->sort_keys((cudaStream_t)stream); }

void theirs_sort_next(Theirs* t, int width, Address keys, Address stream) {
	cudaStream_t s = (cudaStream_t)stream;
	const unsigned blocks = (unsigned)std::min<size_t>(t->n / 1024 + 1, 132 * 8), n = (unsigned)t->n;
	size_t bytes;
	t->version->sort(width, t->keys, t->rows, n, nullptr, &bytes, s);
	t->reserve(bytes);
	auto gather = [&](auto* values) {
		gather_keys<<<blocks, 256, 0, s>>>(values, t->rows[0], n, (decltype(values))t->keys[0]);
	};
	if (width == 2) gather((uint16_t*)keys);
	else if (width == 4) gather((uint32_t*)keys);
	else gather((uint64_t*)keys);
	t->version->sort(width, t->keys, t->rows, n, t->temp, &(bytes = t->bytes), s);
}

int theirs_has_topk(int version) { return versions[version]->topk != nullptr; }

void theirs_topk(Theirs* t, uint64_t k, Address stream) {
	size_t bytes;
	cudaStream_t s = (cudaStream_t)stream;
	t->version->topk(t->width, t->keys, t->rows, (uint32_t)t->n, (uint32_t)k, nullptr, &bytes, s);
	t->reserve(bytes);
	t->version->topk(t->width, t->keys, t->rows, (uint32_t)t->n, (uint32_t)k, t->temp, &bytes, s);
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
