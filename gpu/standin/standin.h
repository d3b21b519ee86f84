// A stand-in for the CUDA driver's library: what of it package gpu calls, on memory of the host.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The number of arguments of a kernel, 0 for a name that has no twin.
int standin_arguments(const std::string& kernel);

// Whether a kernel runs on devices with clusters only.
inline bool standin_needs_clusters(const std::string& kernel) { return kernel == "cluster"; }

// Whether all blocks of a kernel must be there at a time.
inline bool standin_needs_all_blocks(const std::string& kernel) { return kernel == "cooperative"; }

// Does what a kernel does.
void standin_run(const std::string& kernel, const uint64_t* arguments, uint64_t blocks);

// The same by the kernel's own source on the emulated device. seed decides in which order threads and blocks run.
void standin_emulate(const std::string& name, const std::vector<uint64_t>& arguments, unsigned blocks,
	unsigned threads, unsigned shared, uint64_t seed);
