// Where tests and benchmarks run kernels: on a device, or on the host's emulation of one.
#pragma once
#include "../device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#ifdef __CUDACC__

inline void must(cudaError_t e, const char* what) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(3);
}

struct Device {
	cudaStream_t stream = 0;
	cudaEvent_t noted = nullptr;
	u64 multiprocessors = 0;
	bool hopper = false; // or later
	bool early = false;  // kernels may start before those before them are through, and wait for them by themselves
	bool cooperative = false; // all blocks of a kernel are there at a time
	cudaLibrary_t image = nullptr;                // a built image, whose kernels run in place of those compiled in
	std::map<const void*, const void*> functions; // what runs, by what is compiled in
	std::map<const void*, u32> raised;            // shared memory that kernels may have
	bool marking = false; // note when each kernel ends
	std::vector<std::pair<const char*, cudaEvent_t>> marks;
	static const u64 pinnedBytes = 1 << 20;
	u8* pinned; // what small uploads go through
	u64 pinnedUsed = 0;

	Device() {
		cudaDeviceProp p;
		must(cudaGetDeviceProperties(&p, 0), "no device");
		multiprocessors = p.multiProcessorCount;
		hopper = p.major >= 9;
		must(cudaMallocHost(&pinned, pinnedBytes), "pinned memory");
	}
	void load(const char* file) {
		must(cudaLibraryLoadFromFile(&image, file, nullptr, nullptr, 0, nullptr, nullptr, 0), file);
	}
	static const char* name_of(const void* kernel) {
		const char* name;
		must(cudaFuncGetName(&name, kernel), "name");
		return name;
	}
	const void* function_of(const void* kernel) {
		if (!image) return kernel;
		const void*& f = functions[kernel];
		if (!f) must(cudaLibraryGetKernel((cudaKernel_t*)&f, image, name_of(kernel)), name_of(kernel));
		return f;
	}
	template <class... Parameters, class... Arguments>
	void run(void (*kernel)(Parameters...), u64 grid, u32 threads, u32 shared, Arguments... arguments) {
		const void* function = function_of((const void*)kernel);
		if (shared > 48 << 10 && raised[function] < shared) {
			must(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
			raised[function] = shared;
		}
		launch(function, grid, threads, shared, (Parameters)arguments...);
		if (marking) mark(name_of((const void*)kernel));
	}
	template <class... Parameters>
	void launch(const void* function, u64 grid, u32 threads, u32 shared, Parameters... parameters) {
		void* places[] = {(void*)&parameters...};
		cudaLaunchAttribute attribute = {};
		attribute.id =
		    cooperative ? cudaLaunchAttributeCooperative : cudaLaunchAttributeProgrammaticStreamSerialization;
		if (cooperative) attribute.val.cooperative = 1;
		else attribute.val.programmaticStreamSerializationAllowed = 1;
		cudaLaunchConfig_t config = {dim3((u32)grid), dim3(threads), shared,
		                             stream,          &attribute,    cooperative || (early && hopper) ? 1u : 0u};
		must(cudaLaunchKernelExC(&config, function, places), "launch");
	}
	// A kernel whose grid is one cluster, of a size that not every device has.
	template <class... Parameters, class... Arguments>
	void run_cluster(void (*kernel)(Parameters...), u64 blocks, u32 threads, u32 shared, Arguments... arguments) {
		const void* function = function_of((const void*)kernel);
		if (!raised[function])
			must(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "a cluster");
		run(kernel, blocks, threads, shared, arguments...);
	}
	// A kernel whose blocks wait for one another.
	template <class... Parameters, class... Arguments>
	void run_cooperatively(void (*kernel)(Parameters...), u64 blocks, u32 threads, u32 shared, Arguments... arguments) {
		cooperative = true;
		run(kernel, blocks, threads, shared, arguments...);
		cooperative = false;
	}
	void mark(const char* name) {
		marks.emplace_back(name, nullptr);
		must(cudaEventCreate(&marks.back().second), "event");
		must(cudaEventRecord(marks.back().second, stream), "record");
	}
	void zero(void* p, u64 bytes) { must(cudaMemsetAsync(p, 0, bytes, stream), "clear"); }
	void fill(void* p, int byte, u64 bytes) { must(cudaMemsetAsync(p, byte, bytes, stream), "fill"); }
	void* allocate(u64 bytes) {
		void* p;
		must(cudaMalloc(&p, bytes + 16), "allocate");
		return p;
	}
	void release(void* p) { must(cudaFree(p), "free"); }
	void* allocate_pinned(u64 bytes) {
		void* p;
		must(cudaMallocHost(&p, bytes), "pinned memory");
		return p;
	}
	void release_pinned(void* p) { must(cudaFreeHost(p), "free"); }
	// A point of the stream, and the wait for it.
	void note() {
		if (!noted) must(cudaEventCreateWithFlags(&noted, cudaEventDisableTiming), "event");
		must(cudaEventRecord(noted, stream), "record");
	}
	void wait_for_note() { must(cudaEventSynchronize(noted), "wait"); }
	// Polls a status word in pinned memory, which was zero before; returns zero if the stream completes without writing
	// it.
	u64 wait_for_status(const volatile u64* word) {
		for (;;) {
			if (u64 status = *word) return status;
			cudaError_t state = cudaStreamQuery(stream);
			if (state == cudaErrorNotReady) continue;
			must(state, "run");
			return *word;
		}
	}
	void up(void* to, const void* from, u64 bytes) {
		if (pinnedUsed + bytes > pinnedBytes) must(cudaStreamSynchronize(stream), "wait"), pinnedUsed = 0;
		if (bytes <= pinnedBytes) {
			from = memcpy(pinned + pinnedUsed, from, bytes);
			pinnedUsed += (bytes + 15) / 16 * 16;
		}
		must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "upload");
	}
	void down(void* to, const void* from, u64 bytes) {
		must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "download");
		must(cudaStreamSynchronize(stream), "wait");
	}
};

#else

struct Device {
	u64 multiprocessors = 3, seed = 1;
	bool early = false;
	u32 resident = 3;

	template <class... Parameters, class... Arguments>
	void run(void (*kernel)(Parameters...), u64 grid, u32 threads, u32 shared, Arguments... arguments) {
		emulation::launch((u32)grid, threads, shared, [=] { kernel((Parameters)(arguments)...); }, seed++, resident);
	}
	template <class... Parameters, class... Arguments>
	void run_cluster(void (*kernel)(Parameters...), u64 blocks, u32 threads, u32 shared, Arguments... arguments) {
		emulation::launch_cluster((u32)blocks, threads, shared, [=] { kernel((Parameters)(arguments)...); }, seed++);
	}
	template <class... Parameters, class... Arguments>
	void run_cooperatively(void (*kernel)(Parameters...), u64 blocks, u32 threads, u32 shared, Arguments... arguments) {
		emulation::launch((u32)blocks, threads, shared, [=] { kernel((Parameters)(arguments)...); }, seed++,
		                  (u32)blocks);
	}
	void zero(void* p, u64 bytes) { memset(p, 0, bytes); }
	void fill(void* p, int byte, u64 bytes) { memset(p, byte, bytes); }
	void* allocate(u64 bytes) { return aligned_alloc(16, (bytes + 31) / 16 * 16); }
	void release(void* p) { free(p); }
	void* allocate_pinned(u64 bytes) { return allocate(bytes); }
	void release_pinned(void* p) { release(p); }
	void note() {}
	void wait_for_note() {}
	u64 wait_for_status(const u64* word) { return *word; }
	void up(void* to, const void* from, u64 bytes) { memcpy(to, from, bytes); }
	void down(void* to, const void* from, u64 bytes) { memcpy(to, from, bytes); }
};

#endif
