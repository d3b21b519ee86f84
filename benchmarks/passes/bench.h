// Memory of the device, times, and what is printed.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../kernels/device.h"

#define CHECK(call) check(call, #call, __LINE__)
static void check(cudaError_t e, const char* call, int line) {
	if (e == cudaSuccess) return;
	printf("line %d: %s: %s\n", line, call, cudaGetErrorString(e));
	exit(1);
}

template <class T> static T* allocate(size_t n) {
	T* p;
	CHECK(cudaMalloc(&p, n * sizeof(T)));
	return p;
}
template <class T> static std::vector<T> read(const T* p, size_t n) {
	std::vector<T> out(n);
	CHECK(cudaMemcpy(out.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return out;
}
template <class T> static void write(T* p, const std::vector<T>& from) {
	CHECK(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <class Reset, class Run> static float median(const Reset& reset, const Run& run) {
	cudaEvent_t from, to;
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	std::vector<float> times;
	for (int i = 0; i < 9; i++) {
		reset();
		CHECK(cudaEventRecord(from));
		run();
		CHECK(cudaEventRecord(to));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaGetLastError());
		float ms;
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i > 1) times.push_back(ms);
	}
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

static u32 rows; // a multiple of all tiles
static int multiprocessors;
static u32 *bitmap, *counters, *binCounts;
static u8* binOfRow;
static u32 spilled; // bytes of a thread, by the kernel of the next report
static bool failed;

// Prints a measurement, and what the proof has counted.
static void report(const char* what, float ms, u32 bytes, float exact, const u32* proved) {
	printf("%-58s %7.3f ms %6.2f TB/s", what, ms, (double)bytes * rows / ms / 1e9);
	if (exact > 0) printf("  %+5.1f %%", 100 * (ms / exact - 1));
	if (proved) {
		bool bad = proved[0] != 0 || proved[1] != rows;
		printf("  %u wrong%s", proved[0], bad ? " FAILED" : "");
		failed |= bad;
	}
	if (spilled) printf("  %u bytes spilled", spilled);
	printf("\n");
	fflush(stdout);
}

static std::vector<u32> prefix(const std::vector<u32>& counts) {
	std::vector<u32> starts(counts.size());
	for (size_t i = 1; i < counts.size(); i++) starts[i] = starts[i - 1] + counts[i - 1];
	return starts;
}

template <class Kernel> static void allow(Kernel* kernel, u32 bytes) {
	CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
	cudaFuncAttributes a;
	CHECK(cudaFuncGetAttributes(&a, kernel));
	spilled = (u32)a.localSizeBytes;
}
