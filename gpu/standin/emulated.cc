// The kernels' own sources on the emulated device, in place of their twins, for the whole engine: slow, and as on a
// device but for its memory model and timing.
#include "../../kernels/arrowsort.cu"
#include "standin.h"
#include <cstdlib>
#include <dlfcn.h>

namespace {

// Every argument is one word but for Buckets, Few, Many and Select, and words too many do no harm to a function of this
// convention.
typedef void (*Kernel)(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

const u32 RESIDENT = 3; // blocks at a time

typedef void (*BucketKernel)(const Buckets);
typedef void (*SmallSortKernel)(const SmallSort);
typedef void (*SelectKernel)(const Select);
typedef void (*CooperativeKernel)(const CooperativeSort);

void* kernel_of(const std::string& name) {
	Dl_info self;
	if (!dladdr((void*)standin_emulate, &self)) abort();
	void* library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	void* kernel = library ? dlsym(library, name.c_str()) : nullptr;
	if (!kernel) fprintf(stderr, "stand-in: no kernel %s: %s\n", name.c_str(), dlerror()), abort();
	return kernel;
}

} // namespace

void standin_emulate(const std::string& name, const std::vector<uint64_t>& arguments, unsigned blocks, unsigned threads,
                     unsigned shared) {
	static u64 seed = 1;
	void* found = kernel_of(name);
	Kernel kernel = (Kernel)found;
	if (arguments.size() == sizeof(Buckets) / 8) {
		const Buckets& b = *(const Buckets*)arguments.data();
		return emulation::launch(blocks, threads, shared, [&] { ((BucketKernel)found)(b); }, seed++, RESIDENT);
	}
	if (arguments.size() == sizeof(SmallSort) / 8) {
		auto run = [&] { ((SmallSortKernel)found)(*(const SmallSort*)arguments.data()); };
		if (standin_needs_clusters(name)) return emulation::launch_cluster(blocks, threads, shared, run, seed++);
		return emulation::launch(blocks, threads, shared, run, seed++, RESIDENT);
	}
	if (arguments.size() == sizeof(Select) / 8) {
		const Select& s = *(const Select*)arguments.data();
		return emulation::launch(blocks, threads, shared, [&] { ((SelectKernel)found)(s); }, seed++, RESIDENT);
	}
	if (arguments.size() == sizeof(CooperativeSort) / 8) {
		return emulation::launch(
		    blocks, threads, shared, [&] { ((CooperativeKernel)found)(*(const CooperativeSort*)arguments.data()); },
		    seed++, blocks);
	}
	u64 a[16] = {};
	for (size_t i = 0; i < arguments.size(); i++) a[i] = arguments[i];
	emulation::launch(
	    blocks, threads, shared,
	    [&] {
		    kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
			       a[15]);
	    },
	    seed++, RESIDENT);
}
