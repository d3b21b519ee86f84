// libcuda.so.1 without a device. Queued work is done later, when the host waits for it or at random, and
// streams in any order: memory that is used again too early, or read before it is there, shows.
//
// A device has the bytes of ARROWSORT_STANDIN_MEMORY, 4 GiB unless set. Launch number ARROWSORT_STANDIN_FAIL, counted
// from 1 in every context, fails as a bad address does, and so does all that comes after it in that context.
// ARROWSORT_STANDIN_CAPABILITY is the major number of its compute capability, 9 unless set: below, there are no
// clusters and no kernels for them. With ARROWSORT_STANDIN_REFUSE set there are no new contexts. Call number
// ARROWSORT_STANDIN_SHORT of a context that takes memory, of the device or of the host, fails for lack of it. With
// ARROWSORT_STANDIN_EMULATE set the kernels' own sources run, on the emulated device, in place of their twins.
// ARROWSORT_STANDIN_SEED is the seed of all that is random, 1 unless set. With ARROWSORT_STANDIN_CROWDED set
// cooperative launches are refused, as where other processes hold multiprocessors.
//
// There are ARROWSORT_STANDIN_DEVICES devices, 1 unless set. ARROWSORT_STANDIN_MEMORY may be a list, "8388608,4194304":
// the last number is that of all further devices. With ARROWSORT_STANDIN_APART set they do not reach each other.
// ARROWSORT_STANDIN_FAULTY is the only device to which FAIL and SHORT apply. Where there are several, a kernel or copy
// of one that touches memory of another without peer access ends the program by a fault of memory protection.
//
// The primary context of a device lives until its last release, and ends the program if something is left in it then.
// With ARROWSORT_STANDIN_CAPTURE set another thread captures a graph in global mode, so calls that would spoil it fail
// in threads that have not relaxed their mode. If it is "default", all streams that the driver has not made (0, 1, 2)
// are captured too, into one graph, which cuGraphLaunch runs: it takes nothing but kernels.
#include "standin.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sys/mman.h>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default"))) int

namespace {

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201,
	INVALID_HANDLE = 400,
	PEER_ACCESS_UNSUPPORTED = 217,
	NOT_FOUND = 500,
	NOT_READY = 600,
	PEER_ACCESS_ALREADY_ENABLED = 704,
	ILLEGAL_ADDRESS = 700,
	COOPERATIVE_LAUNCH_TOO_LARGE = 720,
	CAPTURE_UNSUPPORTED = 900,
	UNKNOWN = 999
};

struct Stream {
	std::deque<std::function<void()>> work;
	uint64_t done = 0;
	bool open = true;
};

struct Context {
	int device = 0;
	std::set<Context*> peers; // whose memory kernels of this one may touch
	bool hidden = false;      // its memory is protected
	char *arena = nullptr, *fresh = nullptr; // addresses of its memory, none of them used twice
	std::deque<Stream> streams;
	Stream standard; // the default stream
	std::set<void*> events;
	uint64_t launches = 0;
	uint64_t takes = 0;
	int failure = SUCCESS;
	int threads = 0; // that are in it
	std::map<uint64_t, size_t> memory;
	std::map<uint64_t, size_t> pinned;
	std::map<uint64_t, void*> blocks;
};

struct Event {
	Context* context = nullptr;
	Stream* stream = nullptr;
	uint64_t at = 0;
};

const int multiprocessors = 5;

std::recursive_mutex mutex; // contexts are used by several threads
thread_local std::vector<Context*> stack;
thread_local int capture_mode = 0; // CUstreamCaptureMode: global 0, of the thread 1, relaxed 2
std::set<Context*> contexts;
std::map<int, size_t> used; // bytes of memory by device
std::map<int, std::pair<Context*, int>> primary; // by device, with the number of those that hold it

Context* current() { return stack.empty() ? nullptr : stack.back(); }

uint64_t number_of(const char* variable, uint64_t unset = 0) {
	const char* number = getenv(variable);
	return number && *number ? strtoull(number, nullptr, 10) : unset;
}

std::mt19937_64 random_(number_of("ARROWSORT_STANDIN_SEED", 1));

int capability() { return (int)number_of("ARROWSORT_STANDIN_CAPABILITY", 9); }

int devices() { return (int)number_of("ARROWSORT_STANDIN_DEVICES", 1); }

bool is_set(const char* variable) {
	const char* is = getenv(variable);
	return is && *is;
}

size_t capacity(int device) {
	if (!is_set("ARROWSORT_STANDIN_MEMORY")) return 4ull << 30;
	const char* list = getenv("ARROWSORT_STANDIN_MEMORY");
	for (const char* comma; device > 0 && (comma = strchr(list, ',')); device--) list = comma + 1;
	return strtoull(list, nullptr, 10);
}

// Whether a call would spoil the graph that another thread captures.
bool spoils() { return capture_mode == 0 && is_set("ARROWSORT_STANDIN_CAPTURE"); }

// Whether faults apply to the device of the current context.
bool is_faulty() {
	return !is_set("ARROWSORT_STANDIN_FAULTY") || (int)number_of("ARROWSORT_STANDIN_FAULTY") == current()->device;
}

// Whether a call that takes memory is to fail.
bool is_short() { return is_faulty() && ++current()->takes == number_of("ARROWSORT_STANDIN_SHORT"); }

// The memory of a context is one range of addresses, so that it is protected by one call. Every block is followed by a
// page that is no memory: with one device, what reads or writes after the end of a block of whole pages ends the
// program, and so does what touches freed memory.
const size_t arena_bytes = 256ull << 30, page = 4096;

size_t pages(size_t bytes) { return (std::max<size_t>(bytes, 1) + page - 1) / page * page; }

uint64_t take(Context* c, size_t bytes) {
	const int closed = PROT_NONE, open = PROT_READ | PROT_WRITE;
	if (!c->arena) {
		void* range = mmap(nullptr, arena_bytes, closed, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (range == MAP_FAILED) perror("stand-in: addresses for a context"), abort();
		c->arena = c->fresh = (char*)range;
	}
	char* block = c->fresh;
	c->fresh += pages(bytes) + page;
	if (c->fresh > c->arena + arena_bytes) fprintf(stderr, "stand-in: a context has no addresses left\n"), abort();
	if (mprotect(block, pages(bytes), open)) perror("stand-in: memory"), abort();
	return (uint64_t)block;
}

void give_back(uint64_t block, size_t bytes) {
	madvise((void*)block, pages(bytes), MADV_DONTNEED);
	mprotect((void*)block, pages(bytes), PROT_NONE);
}

void protect(Context* c, bool hidden) {
	if (c->hidden == hidden) return;
	c->hidden = hidden;
	if (c->arena != c->fresh) mprotect(c->arena, c->fresh - c->arena, hidden ? PROT_NONE : PROT_READ | PROT_WRITE);
}

// Leaves to a context its memory and that of its peers.
void enter(Context* c) {
	if (devices() < 2) return protect(c, false);
	for (Context* other : contexts) protect(other, other != c && !c->peers.count(other));
}

// Whether memory is that of a context.
bool owns(Context* c, uint64_t p, size_t bytes) {
	auto block = c->memory.upper_bound(p);
	return block != c->memory.begin() && p + bytes <= std::prev(block)->first + std::prev(block)->second;
}

bool emulates() { return is_set("ARROWSORT_STANDIN_EMULATE"); }

void run(Context* c, Stream* s, uint64_t until) {
	while (!s->work.empty() && s->done < until) {
		auto next = std::move(s->work.front());
		s->work.pop_front();
		enter(c);
		if (c->failure == SUCCESS) next();
		s->done++;
	}
}

// The stream of a handle; null: it is none of the current context.
Stream* stream_of(Stream* s) {
	Context* c = current();
	if ((uint64_t)s <= 2) return &c->standard;
	for (Stream& known : c->streams)
		if (&known == s && known.open) return s;
	return nullptr;
}

void run_all(Context* c) {
	run(c, &c->standard, UINT64_MAX);
	for (Stream& s : c->streams) run(c, &s, UINT64_MAX);
}

// Whether a stream is captured into the graph.
bool is_captured(Stream* s) {
	const char* captured = getenv("ARROWSORT_STANDIN_CAPTURE");
	return captured && !strcmp(captured, "default") && (uint64_t)s <= 2;
}

std::vector<std::function<void()>> graph;

int push(Stream* s, std::function<void()> work, bool is_kernel = false) {
	Context* c = current();
	if (c->failure != SUCCESS) return c->failure;
	if (is_captured(s)) return is_kernel ? graph.push_back(std::move(work)), SUCCESS : CAPTURE_UNSUPPORTED;
	if (!(s = stream_of(s))) return INVALID_HANDLE;
	s->work.push_back(std::move(work));
	if (random_() % 8 == 0) {
		const size_t number = random_() % (c->streams.size() + 1);
		Stream* any = number < c->streams.size() ? &c->streams[number] : &c->standard;
		run(c, any, any->done + 1 + random_() % (any->work.size() + 1));
	}
	return SUCCESS;
}

} // namespace

#define LOCKED std::lock_guard<std::recursive_mutex> lock(mutex)

EXPORT cuInit(unsigned) { return SUCCESS; }
EXPORT cuDeviceGetCount(int* n) { return *n = devices(), SUCCESS; }
EXPORT cuDeviceGet(int* device, int number) {
	return number < 0 || number >= devices() ? INVALID_DEVICE : (*device = number, SUCCESS);
}
EXPORT cuDeviceGetName(char* name, int, int) { return strcpy(name, "stand-in"), SUCCESS; }
EXPORT cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = capacity(device), SUCCESS; }
EXPORT cuDeviceGetAttribute(int* value, int attribute, int) {
	*value = attribute == 16   ? multiprocessors
	         : attribute == 75 ? capability()
	         : attribute == 95 ? 1
	         : attribute == 97 ? 227 << 10
	                           : 0; // multiprocessors, compute capability, cooperative launches, shared memory
	return SUCCESS;
}

EXPORT cuGetErrorString(int code, const char** text) {
	switch (code) {
	case OUT_OF_MEMORY: *text = "out of memory"; break;
	case ILLEGAL_ADDRESS: *text = "an illegal memory access was encountered"; break;
	default: *text = "some error"; break;
	}
	return SUCCESS;
}

EXPORT cuCtxPushCurrent_v2(Context* c) {
	LOCKED;
	if (!contexts.count(c)) return INVALID_CONTEXT; // it has been destroyed
	c->threads++;
	return stack.push_back(c), SUCCESS;
}
EXPORT cuCtxPopCurrent_v2(Context** c) {
	LOCKED;
	*c = current();
	(*c)->threads--;
	stack.pop_back();
	return SUCCESS;
}
EXPORT cuCtxCreate_v2(Context** c, unsigned, int device) {
	LOCKED;
	if (is_set("ARROWSORT_STANDIN_REFUSE")) return UNKNOWN;
	contexts.insert(*c = new Context);
	(*c)->device = device;
	return cuCtxPushCurrent_v2(*c);
}
EXPORT cuCtxDestroy_v2(Context* c) {
	LOCKED;
	if (!contexts.count(c)) return INVALID_CONTEXT;
	if (current() == c) cuCtxPopCurrent_v2(&c);
	if (c->threads > 0) fprintf(stderr, "stand-in: a context is destroyed while a thread is in it\n"), abort();
	for (auto& block : c->memory) used[c->device] -= block.second;
	if (c->arena) munmap(c->arena, arena_bytes);
	for (auto& block : c->blocks) free(block.second);
	contexts.erase(c);
	for (Context* other : contexts) other->peers.erase(c);
	delete c;
	return SUCCESS;
}

EXPORT cuStreamCreate(Stream** s, unsigned) {
	LOCKED;
	if (is_short()) return OUT_OF_MEMORY;
	*s = &current()->streams.emplace_back();
	return SUCCESS;
}
EXPORT cuDevicePrimaryCtxRetain(Context** c, int device) {
	LOCKED;
	auto& held = primary[device];
	if (held.second == 0) {
		if (int code = cuCtxCreate_v2(&held.first, 0, device)) return code;
		Context* popped;
		cuCtxPopCurrent_v2(&popped);
	}
	held.second++;
	return *c = held.first, SUCCESS;
}
EXPORT cuDevicePrimaryCtxRelease_v2(int device) {
	LOCKED;
	auto& held = primary[device];
	if (held.second == 0) return INVALID_CONTEXT;
	if (--held.second > 0) return SUCCESS;
	Context* c = held.first;
	const bool failed = c->failure != SUCCESS; // then nothing can be freed
	const bool streams = std::any_of(c->streams.begin(), c->streams.end(), [](Stream& s) { return s.open; });
	if (!failed && (streams || !c->memory.empty() || !c->pinned.empty() || !c->events.empty())) {
		fprintf(stderr, "stand-in: left in the primary context: %zu blocks, %zu of the host, %zu events, streams %d\n",
		        c->memory.size(), c->pinned.size(), c->events.size(), streams);
		abort();
	}
	return cuCtxDestroy_v2(c);
}

EXPORT cuStreamDestroy_v2(Stream* s) {
	LOCKED;
	if (current()->failure != SUCCESS) return current()->failure;
	if (!stream_of(s) || (uint64_t)s <= 2) return INVALID_HANDLE;
	run(current(), s, UINT64_MAX);
	return s->open = false, SUCCESS;
}
EXPORT cuStreamIsCapturing(Stream* s, int* status) {
	LOCKED;
	if (!stream_of(s)) return INVALID_HANDLE;
	return *status = is_captured(s), SUCCESS;
}
EXPORT cuGraphLaunch(void*, Stream* s) {
	LOCKED;
	for (auto& kernel : graph)
		if (int code = push(s, kernel)) return code;
	return SUCCESS;
}
EXPORT cuThreadExchangeStreamCaptureMode(int* mode) {
	if (*mode < 0 || *mode > 2) return INVALID_VALUE;
	return std::swap(*mode, capture_mode), SUCCESS;
}
EXPORT cuStreamQuery(Stream* s) {
	LOCKED;
	if (!(s = stream_of(s))) return INVALID_HANDLE;
	run(current(), s, s->done + random_() % 2);
	return current()->failure != SUCCESS ? current()->failure : s->work.empty() ? SUCCESS : NOT_READY;
}
EXPORT cuStreamSynchronize(Stream* s) {
	LOCKED;
	if (spoils()) return CAPTURE_UNSUPPORTED;
	if (!(s = stream_of(s))) return INVALID_HANDLE;
	run(current(), s, UINT64_MAX);
	return current()->failure;
}
EXPORT cuEventCreate(Event** e, unsigned) {
	LOCKED;
	if (is_short()) return OUT_OF_MEMORY;
	*e = new Event;
	(*e)->context = current();
	current()->events.insert(*e);
	return SUCCESS;
}
EXPORT cuEventDestroy_v2(Event* e) {
	LOCKED;
	if (current()->failure != SUCCESS) return current()->failure;
	if (!current()->events.erase(e)) return INVALID_HANDLE;
	delete e;
	return SUCCESS;
}
EXPORT cuEventRecord(Event* e, Stream* s) {
	LOCKED;
	if (is_captured(s)) return CAPTURE_UNSUPPORTED;
	if (!(s = stream_of(s)) || e->context != current()) return INVALID_HANDLE;
	*e = {current(), s, s->done + s->work.size()};
	return current()->failure;
}
EXPORT cuEventSynchronize(Event* e) {
	LOCKED;
	if (spoils()) return CAPTURE_UNSUPPORTED;
	if (e->stream) run(current(), e->stream, e->at);
	return current()->failure;
}
EXPORT cuStreamWaitEvent(Stream* s, Event* e, unsigned) {
	LOCKED;
	Context* c = current();
	if (!c->events.count(e)) return INVALID_HANDLE;
	Event now = *e; // it may be recorded again
	if (!now.stream) return c->failure;
	return push(s, [=] { run(c, now.stream, now.at); });
}

EXPORT cuMemAlloc_v2(uint64_t* p, size_t bytes) {
	LOCKED;
	Context* c = current();
	if (spoils()) return CAPTURE_UNSUPPORTED;
	if (c->failure != SUCCESS) return c->failure;
	if (is_short() || used[c->device] + bytes > capacity(c->device)) return OUT_OF_MEMORY;
	used[c->device] += bytes;
	protect(c, false);
	*p = take(c, bytes);
	memset((void*)*p, 0xC3, bytes);
	c->memory[*p] = bytes;
	return SUCCESS;
}
EXPORT cuMemFree_v2(uint64_t p) {
	LOCKED;
	Context* c = current();
	if (spoils()) return CAPTURE_UNSUPPORTED;
	run_all(c);
	if (c->failure != SUCCESS) return c->failure;
	used[c->device] -= c->memory.at(p);
	give_back(p, c->memory.at(p));
	c->memory.erase(p);
	return SUCCESS;
}
EXPORT cuMemGetInfo_v2(size_t* free, size_t* total) {
	LOCKED;
	const int device = current()->device;
	*total = capacity(device);
	*free = *total - used[device];
	return SUCCESS;
}
EXPORT cuMemHostAlloc(void** p, size_t bytes, unsigned) {
	LOCKED;
	if (spoils()) return CAPTURE_UNSUPPORTED;
	if (is_short()) return OUT_OF_MEMORY;
	*p = aligned_alloc(4096, bytes);
	current()->blocks[(uint64_t)*p] = *p;
	current()->pinned[(uint64_t)*p] = bytes;
	return SUCCESS;
}
EXPORT cuMemHostRegister_v2(void* p, size_t bytes, unsigned) {
	LOCKED;
	if (current()->failure != SUCCESS) return current()->failure;
	if (current()->pinned.count((uint64_t)p)) return 712;
	return current()->pinned[(uint64_t)p] = bytes, SUCCESS;
}
EXPORT cuMemHostUnregister(void* p) {
	LOCKED;
	if (current()->failure != SUCCESS) return current()->failure;
	return current()->pinned.erase((uint64_t)p) ? SUCCESS : 713;
}
EXPORT cuMemFreeHost(void* p) {
	LOCKED;
	if (spoils()) return CAPTURE_UNSUPPORTED;
	if (current()->failure != SUCCESS) return current()->failure;
	if (!current()->blocks.erase((uint64_t)p)) return INVALID_VALUE;
	current()->pinned.erase((uint64_t)p);
	return free(p), SUCCESS;
}
EXPORT cuPointerGetAttributes(unsigned n, const int* attributes, void** data, uint64_t p) {
	LOCKED;
	auto of_host = [p](Context* c) {
		auto block = c->pinned.upper_bound(p);
		return block != c->pinned.begin() && p < std::prev(block)->first + std::prev(block)->second;
	};
	auto owner = std::find_if(contexts.begin(), contexts.end(), [p](Context* c) { return owns(c, p, 1); });
	const bool host = std::any_of(contexts.begin(), contexts.end(), of_host), device = owner != contexts.end();
	for (unsigned i = 0; i < n; i++) {
		switch (attributes[i]) {
		case 1: *(Context**)data[i] = device ? *owner : nullptr; break;
		case 2: *(unsigned*)data[i] = host ? 1 : device ? 2 : 0; break;
		case 8: *(int*)data[i] = 0; break;                              // whether it is managed
		case 9: *(int*)data[i] = device ? (*owner)->device : -2; break; // the device
		default: return INVALID_VALUE;
		}
	}
	return SUCCESS;
}

EXPORT cuMemsetD8Async(uint64_t p, unsigned char value, size_t bytes, Stream* s) {
	LOCKED;
	return push(s, [=] { memset((void*)p, value, bytes); });
}
EXPORT cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t bytes, Stream* s) {
	LOCKED;
	return push(s, [=] { memcpy((void*)dst, (void*)src, bytes); });
}
EXPORT cuMemcpyHtoDAsync_v2(uint64_t dst, const void* src, size_t bytes, Stream* s) {
	LOCKED;
	return push(s, [=] { memcpy((void*)dst, src, bytes); });
}
EXPORT cuMemcpyDtoHAsync_v2(void* dst, uint64_t src, size_t bytes, Stream* s) {
	LOCKED;
	return push(s, [=] { memcpy(dst, (void*)src, bytes); });
}

EXPORT cuDeviceCanAccessPeer(int* can, int device, int peer) {
	if (device < 0 || peer < 0 || std::max(device, peer) >= devices()) return INVALID_DEVICE;
	return *can = device != peer && !is_set("ARROWSORT_STANDIN_APART"), SUCCESS;
}
EXPORT cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
	LOCKED;
	Context* c = current();
	if (flags != 0 || !contexts.count(peer)) return INVALID_VALUE;
	if (peer->device == c->device || is_set("ARROWSORT_STANDIN_APART")) return PEER_ACCESS_UNSUPPORTED;
	return c->peers.insert(peer).second ? SUCCESS : PEER_ACCESS_ALREADY_ENABLED;
}
EXPORT cuMemcpyPeerAsync(uint64_t dst, Context* to, uint64_t src, Context* from, size_t bytes, Stream* s) {
	LOCKED;
	Context* c = current();
	if (!contexts.count(to) || !contexts.count(from) || !owns(to, dst, bytes) || !owns(from, src, bytes))
		return INVALID_VALUE;
	return push(s, [=] {
		if (to->failure != SUCCESS || from->failure != SUCCESS) {
			c->failure = ILLEGAL_ADDRESS;
			return;
		}
		protect(to, false);
		protect(from, false);
		memcpy((void*)dst, (void*)src, bytes);
	});
}

EXPORT cuModuleLoadData(void** module, const void*) { return *module = nullptr, SUCCESS; }
EXPORT cuModuleUnload(void*) { return SUCCESS; }
EXPORT cuModuleGetFunction(std::string** function, void*, const char* name) {
	if (standin_needs_clusters(name) && capability() < 9) return NOT_FOUND;
	standin_arguments(name); // every kernel has its twin
	return *function = new std::string(name), SUCCESS;
}
EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, std::string*, int threads, size_t shared) {
	*blocks = std::min(2048 / threads, (int)((228 << 10) / (shared + (1 << 10))));
	return SUCCESS;
}
EXPORT cuOccupancyMaxActiveClusters(int* clusters, std::string*, const void*) { return *clusters = 7, SUCCESS; }
EXPORT cuFuncSetAttribute(std::string*, int, int bytes) { return bytes <= 227 << 10 ? SUCCESS : INVALID_VALUE; }

static int launch_kernel(std::string* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned shared,
                         Stream* s, void** params) {
	LOCKED;
	if (!function || x == 0 || y != 1 || z != 1) return INVALID_VALUE;
	std::vector<uint64_t> arguments(standin_arguments(*function));
	for (size_t i = 0; i < arguments.size(); i++) arguments[i] = *(uint64_t*)params[i];
	Context* c = current();
	if (is_short()) return OUT_OF_MEMORY;
	if (++c->launches == number_of("ARROWSORT_STANDIN_FAIL") && is_faulty()) {
		return push(s, [=] { c->failure = ILLEGAL_ADDRESS; });
	}
	if (emulates()) {
		const uint64_t seed = random_();
		return push(s, [=] { standin_emulate(*function, arguments, x, threads, shared, seed); }, true);
	}
	return push(s, [=] { standin_run(*function, arguments.data(), x); }, true);
}
EXPORT cuLaunchKernel(std::string* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                      unsigned shared, Stream* s, void** params, void**) {
	if (function && standin_needs_all_blocks(*function))
		return INVALID_VALUE; // such kernels are launched with an attribute
	return launch_kernel(function, x, y, z, threads, shared, s, params);
}

struct LaunchAttribute { // CUlaunchAttribute
	int id;
	alignas(8) int value;
	char rest[60];
};

struct LaunchConfig { // CUlaunchConfig
	unsigned x, y, z, threads, threadsY, threadsZ, shared;
	Stream* stream;
	const LaunchAttribute* attributes;
	unsigned count;
};

// Whether all blocks are there at a time.
bool is_cooperative(const LaunchConfig* c) {
	return c->count == 1 && c->attributes->id == 2 && c->attributes->value == 1 && c->x <= multiprocessors;
}

// Early launches are of kernels that themselves wait for preceding ones. Here no kernel starts early.
EXPORT cuLaunchKernelEx(const LaunchConfig* c, std::string* function, void** params, void**) {
	if (c->threadsY != 1 || c->threadsZ != 1 || (standin_needs_all_blocks(*function) && !is_cooperative(c)))
		return INVALID_VALUE;
	if (standin_needs_all_blocks(*function) && getenv("ARROWSORT_STANDIN_CROWDED")) return COOPERATIVE_LAUNCH_TOO_LARGE;
	return launch_kernel(function, c->x, c->y, c->z, c->threads, c->shared, c->stream, params);
}
