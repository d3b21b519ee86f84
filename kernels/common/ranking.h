// Warp-level multi-split (paper, section 3.3): the place of each row among the rows of its tile with the same digit.
#pragma once
#include "common/device.h"

// The lanes of the warp with the same digit, by one ballot for each bit.
template <int bits = RADIX_BITS> DEVICE u32 lanes_with_digit(u32 digit) {
	u32 alike[bits];
	UNROLL for (int bit = 0; bit < bits; bit++) alike[bit] = lanes_alike(digit, 1u << bit);
	u32 lanes = alike[0];
	UNROLL for (int bit = 1; bit + 1 < bits; bit += 2) lanes = and3(lanes, alike[bit], alike[bit + 1]);
	return bits % 2 ? lanes : lanes & alike[bits - 1];
}

// The next place of this lane's digit. places[digit] of the warp advances by the number of lanes with the digit. Lanes
// are ranked in lane order, so that equal digits keep the order of their rows.
template <int bits = RADIX_BITS> DEVICE u32 take_place(volatile u32* places, u32 digit) {
	u32 peers = lanes_with_digit<bits>(digit), below = (1u << lane_index()) - 1;
	u32 place = places[digit] + count_ones(peers & below);
	sync_warp(); // all lanes have read before the last peer writes
	u32 above = 0xfffffffeu << lane_index();
	if ((peers & above) == 0) places[digit] = place + 1; // no branch: one predicated store
	sync_warp(); // the write is visible before the next item is ranked
	return place;
}
