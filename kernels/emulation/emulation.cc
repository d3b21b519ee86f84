#include "../device.h"
#include <csetjmp>
#include <memory>
#include <random>
#include <thread>
#include <ucontext.h>
#include <vector>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation {

OrderTracker watch;
thread_local Fiber* current;

namespace {

const size_t stackBytes = 128 << 10;

// A Barrier lets its threads go when all of them have come.
struct Barrier {
	u32 arrived = 0, generation = 0;
};

// A Context is where a fiber, or the scheduler, goes on. Jumps do without the system calls of swapcontext, which starts
// fibers.
struct Context {
	ucontext_t start;
	jmp_buf here;
	bool started = false;
};

// A Cluster is blocks that run at the same time.
struct Cluster {
	u32 blocks = 1;
	std::atomic<u32> arrived{0}, generation{0};
	std::vector<u8*> shared; // of the blocks
};

// A Task is a fiber with its stack.
struct Task : Fiber {
	Context context;
	u32 generation = 0; // of the cluster's barrier, when the thread arrived
	std::unique_ptr<char[]> stack{new char[stackBytes]};
	bool done = false;
};

// A Block runs the threads of one block on one thread of the operating system.
struct Block {
	const std::function<void()>& kernel;
	std::vector<Task> tasks;
	std::vector<u8> shared;
	Barrier barrier;
	Cluster* cluster = nullptr;
	u32 arrived = 0; // threads at the cluster's barrier
	std::vector<Barrier> warps;
	std::vector<u64> words; // what the lanes of a warp show one another, twice: one may go on while another still reads
	bool anyone = false;
	Context scheduler;
	std::mt19937_64 random;

	Block(const std::function<void()>& kernel, u32 block, u32 blocks, u32 threads, u32 bytes, u64 seed)
	    : kernel(kernel), tasks(threads), shared(bytes), warps(threads / 32), words(threads * 2),
	      random(seed * 7919 + block) {
		for (auto& byte : shared) byte = (u8)random(); // nothing may rely on what it holds
		for (u32 i = 0; i < threads; i++) {
			(Fiber&)tasks[i] = Fiber{i, block, blocks, threads, shared.data()};
		}
	}
	void run();
	void begin(Task& task);
};

thread_local Block* running;

void switch_to(Context* from, Context* to, const void* stack, size_t size) {
#if defined(__SANITIZE_ADDRESS__) // it wants to know which stack is in use, and takes jumps for errors
	void* fake;
	__sanitizer_start_switch_fiber(&fake, stack, size);
	swapcontext(&from->start, &to->start);
	__sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
	(void)stack, (void)size;
	if (_setjmp(from->here) != 0) return;
	from->started = true;
	if (to->started) _longjmp(to->here, 1);
	setcontext(&to->start);
#endif
}

thread_local const void* schedulerStack;
thread_local size_t schedulerBytes;

void yield() {
	Task& task = *static_cast<Task*>(current);
	switch_to(&task.context, &running->scheduler, schedulerStack, schedulerBytes);
}

void entry() {
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(nullptr, &schedulerStack, &schedulerBytes);
#endif
	running->kernel();
	static_cast<Task*>(current)->done = true;
	yield();
}

void Block::begin(Task& task) {
	getcontext(&task.context.start);
	task.context.start.uc_stack.ss_sp = task.stack.get();
	task.context.start.uc_stack.ss_size = stackBytes;
	task.context.start.uc_link = nullptr;
	makecontext(&task.context.start, entry, 0);
}

void Block::run() {
	running = this;
	for (auto& task : tasks) begin(task);
	for (size_t left = tasks.size(); left > 0;) {
		size_t at = random() % tasks.size(),
		       step = random() % 2 ? 1 : tasks.size() - 1; // onwards or backwards from anywhere
		for (size_t i = 0; i < tasks.size(); i++, at = (at + step) % tasks.size()) {
			Task& task = tasks[at];
			if (task.done) continue;
			current = &task;
			switch_to(&scheduler, &task.context, task.stack.get(), stackBytes);
			left -= task.done;
		}
	}
}

// meet waits until count threads have come.
void meet(Barrier& barrier, u32 count) {
	u32 generation = barrier.generation;
	if (++barrier.arrived == count) {
		barrier.arrived = 0;
		barrier.generation++;
		return;
	}
	while (barrier.generation == generation) yield();
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
	while (running->cluster->generation == static_cast<Task*>(current)->generation) wait_for_others();
}

u8* shared_of(u32 block) { return running->cluster->shared[block]; }

bool any(bool p) {
	sync();
	running->anyone |= p;
	sync();
	bool is = running->anyone;
	sync();
	if (current->thread == 0) running->anyone = false;
	sync();
	return is;
}

u64 exchange(u64 x, u32 from) {
	u32 warp = current->thread / 32;
	Barrier& barrier = running->warps[warp];
	u64* words = &running->words[warp * 64 + barrier.generation % 2 * 32];
	words[current->thread % 32] = x;
	meet(barrier, 32);
	return words[from % 32];
}

u32 vote(bool p) {
	u32 warp = current->thread / 32;
	Barrier& barrier = running->warps[warp];
	u64* words = &running->words[warp * 64 + barrier.generation % 2 * 32];
	words[current->thread % 32] = p;
	meet(barrier, 32);
	u32 lanes = 0;
	for (u32 i = 0; i < 32; i++) lanes |= (u32)words[i] << i;
	return lanes;
}

void wait_for_others() {
	yield();
	if (current->thread % 32 == 0) std::this_thread::yield();
}

void launch(u32 blocks, u32 threads, u32 shared, const std::function<void()>& kernel, u64 seed, u32 resident) {
	std::atomic<u32> next{0};
	auto work = [&] {
		for (u32 b; (b = next++) < blocks;) Block(kernel, b, blocks, threads, shared, seed).run();
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
		all.push_back(std::make_unique<Block>(kernel, b, blocks, threads, shared, seed));
		all[b]->cluster = &cluster;
		cluster.shared.push_back(all[b]->shared.data());
	}
	std::vector<std::thread> workers;
	for (auto& block : all) workers.emplace_back([&block] { block->run(); });
	for (auto& worker : workers) worker.join();
}

} // namespace emulation
