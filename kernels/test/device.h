// Where tests run kernels: on the host's emulation of a device.
#pragma once
#include "../device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

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
