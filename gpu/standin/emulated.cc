// The kernels' own sources on the emulated device, in place of their twins, for the whole engine: slow, and as on a
// device but for its memory model and timing.
#include "../../kernels/arrowsort.cu"
#include "standin.h"
#include <cstdlib>
#include <dlfcn.h>

namespace {

// Every argument is one word but for Buckets, SmallSort, CooperativeSort and Select, and words too many do no harm to a
// function of this convention.
typedef void (*Kernel)(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

void* kernel_of(const std::string& name) {
	Dl_info self;
	if (!dladdr((void*)standin_emulate, &self)) abort();
	void* library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	void* kernel = library ? dlsym(library, name.c_str()) : nullptr;
	if (!kernel) fprintf(stderr, "stand-in: no kernel %s: %s\n", name.c_str(), dlerror()), abort();
	return kernel;
}

// Blocks that run at a time: no kernel needs more than one but those all of whose blocks meet.
u32 resident_of(const std::string& name, unsigned blocks, u64 seed) {
	if (standin_needs_all_blocks(name)) return blocks;
	return 1 + seed / 4 % 4;
}

} // namespace

void standin_emulate(const std::string& name, const std::vector<uint64_t>& arguments, unsigned blocks, unsigned threads,
                     unsigned shared, uint64_t seed) {
	const u32 resident = resident_of(name, blocks, seed);
	void* found = kernel_of(name);
	auto launch = [&](const std::function<void()>& kernel) {
		if (standin_needs_clusters(name)) return emulation::launch_cluster(blocks, threads, shared, kernel, seed);
		emulation::launch(blocks, threads, shared, kernel, seed, resident);
	};
	auto takes = [&](auto structure) { // by value; launches the kernel if the arguments are its words
		typedef decltype(structure) T;
		if (arguments.size() != sizeof(T) / 8) return false;
		launch([&] { ((void (*)(const T))found)(*(const T*)arguments.data()); });
		return true;
	};
	if (takes(Buckets()) || takes(SmallSort()) || takes(Select()) || takes(CooperativeSort())) return;
	u64 a[16] = {};
	std::copy(arguments.begin(), arguments.end(), a);
	launch([&] {
		((Kernel)found)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
		                a[15]);
	});
}
