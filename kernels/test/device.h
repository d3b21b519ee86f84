// Where tests run kernels: on the host's emulation of a device.
#pragma once
#include "common/device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

inline u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }

// Ends the test with words and numbers that identify the failure.
template <class... Words> [[noreturn]] void fail(const Words&... words) {
	std::cerr << "FAILED:";
	((std::cerr << " " << words), ...);
	std::cerr << std::endl;
	exit(1);
}

inline int checks = 0;

inline void check(bool ok, const char* what, u64 a, u64 b, u64 c = 0) {
	checks++;
	if (!ok) fail(what, a, b, c);
}

struct Device {
	u64 multiprocessors = 3, seed = 1;
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
};

// A column of 64-bit codes.
inline Field codes_field(const u64* codes) {
	Field f = {};
	f.values = (u64)codes, f.form = FORM_INTEGER, f.width = f.stride = 8, f.mul = 1, f.mask = ~0ull;
	return f;
}
