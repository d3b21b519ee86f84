// Sorting networks: Batcher's odd-even merge sort of a power of two of registers.
#pragma once
#include <utility>

#include "../../kernels/device.h"

struct Pairs {
	int count, low[191], high[191];
};
constexpr Pairs pairs_of(int size) {
	Pairs all = {};
	for (int p = 1; p < size; p *= 2)
		for (int k = p; k > 0; k /= 2)
			for (int i = k % p; i + k < size; i++)
				if ((i - k % p) % (2 * k) < k && i / (2 * p) == (i + k) / (2 * p))
					all.low[all.count] = i, all.high[all.count++] = i + k;
	return all;
}
template <int index> struct At {
	static const int value = index;
};
template <int size> struct Network {
	static constexpr Pairs pairs = pairs_of(size);

	template <class Order, size_t... k> DEVICE static void sort(const Order& order, std::index_sequence<k...>) {
		(order(At<pairs.low[k]>(), At<pairs.high[k]>()), ...);
	}
};
// Calls order(At<a>, At<b>) for all pairs of registers to be put in order.
template <int size, class Order> DEVICE void sort_network(const Order& order) {
	Network<size>::sort(order, std::make_index_sequence<Network<size>::pairs.count>());
}
