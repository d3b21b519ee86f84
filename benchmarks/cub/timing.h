// Times on the device, by events: medians after two runs to warm up.
#pragma once
#include "../../kernels/test/device.h"
#include <algorithm>

template <class Before, class Work> double median_ms(Device& d, int runs, Before before, Work work) {
	cudaEvent_t from, to;
	cudaEventCreate(&from), cudaEventCreate(&to);
	std::vector<float> times;
	for (int i = -2; i < runs; i++) {
		before();
		cudaEventRecord(from, d.stream);
		work();
		cudaEventRecord(to, d.stream);
		must(cudaEventSynchronize(to), "run");
		float ms;
		cudaEventElapsedTime(&ms, from, to);
		if (i >= 0) times.push_back(ms);
	}
	cudaEventDestroy(from), cudaEventDestroy(to);
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}
