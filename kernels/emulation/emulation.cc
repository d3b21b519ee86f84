#include "common/device.h"
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <ucontext.h>
#include <vector>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation {

Watch watch;
OF_THREAD Fiber* current;
u32 stalled;

namespace {

const u32 mostThreads = 1024; // of a block
const size_t stackBytes = (128 << 10) + 17 * 64; // no power of two, for the sake of caches

// A Barrier lets its threads go when all of them have come.
struct Barrier {
	u32 arrived = 0;
	std::atomic<u32> generation{0};
};

// A Context is where a fiber, or the scheduler, goes on. Jumps do without the system calls of swapcontext, and of
// setcontext, which starts fibers.
struct Context {
	ucontext_t* start;
	void* here[5]; // as __builtin_setjmp has it: the third is the stack; zero before the start
};

// A Cluster is blocks that run at the same time.
struct Cluster {
	u32 blocks = 1;
	std::atomic<u32> arrived{0}, generation{0};
	std::vector<u8*> shared; // of the blocks
};

// A Task is a fiber.
struct Task : Fiber {
	ucontext_t start;
	u32 generation; // of the cluster's barrier, when the thread arrived
};

// A State is where a fiber goes on, and whether it can.
struct alignas(64) State {
	Context context{};
	const std::atomic<u32>* barrier = nullptr; // the generation of one at which it waits, and what that was then
	u32 since = 0;
	bool done = false;

	bool waits() const { return done || (barrier && barrier->load(std::memory_order_acquire) == since); }
	void fetch() const { // its stack, soon
		const char* top = (const char*)context.here[2];
		__builtin_prefetch(top), __builtin_prefetch(top + 64);
	}
};

// A Team is the fibers of a block. They run one kernel after another: to start them takes time.
struct Team {
	std::vector<Task> tasks{mostThreads};
	std::vector<State> states{mostThreads}; // of the tasks
	std::unique_ptr<char[]> stacks{new char[mostThreads * stackBytes]};

	char* stack(u32 thread) const { return &stacks[thread * stackBytes]; }
	void begin(const Fiber& fiber);
};

std::mutex mutex;
std::vector<std::unique_ptr<Team>> idle;

std::unique_ptr<Team> take_team() {
	std::lock_guard<std::mutex> lock(mutex);
	if (idle.empty()) return std::make_unique<Team>();
	auto team = std::move(idle.back());
	idle.pop_back();
	return team;
}

// Random numbers (splitmix64).
struct Random {
	u64 state;

	u64 operator()() {
		u64 x = state += 0x9e3779b97f4a7c15;
		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9, x = (x ^ x >> 27) * 0x94d049bb133111eb;
		return x ^ x >> 31;
	}
};

// A Block runs the threads of one block after another on one thread of the operating system.
struct Block {
	const std::function<void()>& kernel;
	const u32 blocks, threads;
	const u64 seed;
	std::unique_ptr<Team> team = take_team();
	std::vector<u64> shared;
	Barrier barrier;
	Cluster* cluster = nullptr;
	u32 arrived = 0; // threads at the cluster's barrier
	std::vector<Barrier> warps;
	std::vector<u64> words; // what the lanes of a warp show one another, twice: one may go on while another still reads
	u32 counted = 0;
	ucontext_t start;
	Context scheduler{&start, {}};
	Random random;

	Block(const std::function<void()>& kernel, u32 blocks, u32 threads, u32 bytes, u64 seed)
	    : kernel(kernel), blocks(blocks), threads(threads), seed(seed), shared((bytes + 7) / 8), warps(threads / 32),
	      words(threads * 2) {}
	~Block() {
		std::lock_guard<std::mutex> lock(mutex);
		idle.push_back(std::move(team));
	}
	u8* shared_memory() { return (u8*)shared.data(); }
	State& state(u32 thread) { return team->states[thread]; }
	void run(u32 block);
};

OF_THREAD Block* running;

#if !defined(__SANITIZE_ADDRESS__)
[[gnu::noinline, noreturn]] void go_on(Context* c) { // __builtin_longjmp goes to other functions only
	if (c->here[2]) __builtin_longjmp(c->here, 1);
	setcontext(c->start);
	abort();
}
#endif

void switch_to(Context* from, Context* to, const void* stack, size_t size) {
#if defined(__SANITIZE_ADDRESS__) // it wants to know which stack is in use, and takes jumps for errors
	void* fake;
	__sanitizer_start_switch_fiber(&fake, stack, size);
	swapcontext(from->start, to->start);
	__sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
	(void)stack, (void)size;
	if (__builtin_setjmp(from->here) == 0) go_on(to);
#endif
}

OF_THREAD const void* schedulerStack;
OF_THREAD size_t schedulerBytes;

void yield() {
	switch_to(&running->state(current->thread).context, &running->scheduler, schedulerStack, schedulerBytes);
}

// By one thread of the operating system or another: nothing of a thread is kept from one kernel to the next.
[[gnu::noinline]] void run_kernel() {
	running->kernel();
	running->state(current->thread).done = true;
	yield();
}

void entry() {
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(nullptr, &schedulerStack, &schedulerBytes);
#endif
	for (;;) run_kernel();
}

void Team::begin(const Fiber& fiber) {
	Task& task = tasks[fiber.thread];
	State& state = states[fiber.thread];
	(Fiber&)task = fiber;
	state.done = false;
	if (state.context.start) return;
	state.context.start = &task.start;
	getcontext(&task.start);
	task.start.uc_stack.ss_sp = stack(fiber.thread);
	task.start.uc_stack.ss_size = stackBytes;
	task.start.uc_link = nullptr;
	makecontext(&task.start, entry, 0);
}

void Block::run(u32 block) {
	running = this;
	random = {seed * 7919 + block};
	for (auto& word : shared) word = random(); // nothing may rely on what it holds
	for (u32 i = 0; i < threads; i++) team->begin({i, block, blocks, threads, shared_memory()});
	for (u32 left = threads, went; left > 0;) {
		u32 at = (u32)(random() % threads);
		went = 0;
		const bool onwards = random() % 2; // or backwards, from anywhere
		for (u32 i = 0; i < threads; i++) {
			const u32 next = onwards ? at + 1 < threads ? at + 1 : 0 : (at > 0 ? at : threads) - 1;
			state(next).fetch();
			if (!state(at).waits()) {
				current = &team->tasks[at];
				switch_to(&scheduler, &state(at).context, team->stack(at), stackBytes);
				left -= state(at).done, went++;
			}
			at = next;
		}
		if (went == 0) std::this_thread::yield(); // all wait for another block
	}
}

// await waits until a barrier has another generation.
void await(const std::atomic<u32>& generation, u32 since) {
	State& state = running->state(current->thread);
	state.barrier = &generation, state.since = since;
	yield();
	state.barrier = nullptr;
}

// meet waits until count threads have come.
void meet(Barrier& barrier, u32 count) {
	const u32 generation = barrier.generation.load(std::memory_order_relaxed);
	if (++barrier.arrived < count) return await(barrier.generation, generation);
	barrier.arrived = 0;
	barrier.generation.store(generation + 1, std::memory_order_relaxed);
}

} // namespace

void sync() { meet(running->barrier, current->threads); }

void arrive() {
	Cluster& c = *running->cluster;
	static_cast<Task*>(current)->generation = c.generation;
	if (++running->arrived < current->threads) return;
	running->arrived = 0;
	if (++c.arrived < c.blocks) return;
	c.arrived = 0;
	c.generation++;
}

void wait() {
	await(running->cluster->generation, static_cast<Task*>(current)->generation);
}

u8* shared_of(u32 block) { return running->cluster->shared[block]; }

u32 count(bool p) {
	sync();
	running->counted += p;
	sync();
	u32 all = running->counted;
	sync();
	if (current->thread == 0) running->counted = 0;
	sync();
	return all;
}

const u64* show(u64 x) {
	u32 warp = current->thread / 32;
	Barrier& barrier = running->warps[warp];
	u64* words = &running->words[warp * 64 + barrier.generation % 2 * 32];
	words[current->thread % 32] = x;
	meet(barrier, 32);
	return words;
}

u64 exchange(u64 x, u32 from) { return show(x)[from % 32]; }

u32 vote(bool p) {
	u32 warp = current->thread / 32;
	Barrier& barrier = running->warps[warp];
	u64& lanes = running->words[warp * 64 + barrier.generation % 2 * 32];
	if (barrier.arrived == 0) lanes = 0;
	lanes |= (u64)p << current->thread % 32;
	meet(barrier, 32);
	return (u32)lanes;
}

void wait_for_others() {
	yield();
	if (current->thread % 32 == 0) std::this_thread::yield();
}

void launch(u32 blocks, u32 threads, u32 shared, const std::function<void()>& kernel, u64 seed, u32 resident) {
	stalled = seed % 4 == 3 ? 3 : ~0u;
	std::atomic<u32> next{0};
	auto work = [&] {
		Block block(kernel, blocks, threads, shared, seed);
		for (u32 b; (b = next++) < blocks;) block.run(b);
	};
	std::vector<std::thread> workers;
	for (u32 i = 0; i < std::min(blocks, resident); i++) workers.emplace_back(work);
	for (auto& worker : workers) worker.join();
}

void launch_cluster(u32 blocks, u32 threads, u32 shared, const std::function<void()>& kernel, u64 seed) {
	Cluster cluster;
	cluster.blocks = blocks;
	std::vector<std::unique_ptr<Block>> all;
	for (u32 b = 0; b < blocks; b++) {
		all.push_back(std::make_unique<Block>(kernel, blocks, threads, shared, seed));
		all[b]->cluster = &cluster;
		cluster.shared.push_back(all[b]->shared_memory());
	}
	std::vector<std::thread> workers;
	for (u32 b = 0; b < blocks; b++) workers.emplace_back([&all, b] { all[b]->run(b); });
	for (auto& worker : workers) worker.join();
}

} // namespace emulation
