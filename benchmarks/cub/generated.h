// Distributions that nobody has thought of: a number, the variant, chooses what its keys are made of.
#pragma once
#include "../../kernels/test/distributions.h"

// Choices takes numbers below a bound out of a variant, always the same ones.
struct Choices {
	u64 state;

	BOTH u32 below(u32 bound) {
		state = mix(state);
		return (u32)((state >> 32) * bound >> 32);
	}
};

// One of several kinds of keys, with the parameters that the choices give it.
BOTH u64 draw_component(Choices c, u64 i, u64 r) {
	const u32 kind = c.below(7), a = c.below(24), b = 1 + c.below(40), shift = c.below(64);
	const u64 scale = 1 + c.below(1 << 20), mask = mix(c.state) | mix(c.state + 1);
	switch (kind) {
	case 0: return r >> shift; // uniform
	case 1: return mix(r >> (64 - b)); // 2^b values
	case 2: return mix((u64)exp2(b / 2.0 * unit(r))); // some values more often than others
	case 3: return ((i >> a) * scale + r % (1 + scale * 8)) << shift / 2; // rising, a little out of order
	case 4: return (mix(i >> a) & ~0ull << shift) | (r & mask) >> (63 - shift); // near rows share leading bits
	case 5: return (r >> shift) & mix(r + a) & (b % 2 ? mix(r + b) : ~0ull); // bits that are seldom set
	default: { // clusters
		u64 center = mix(mix(r) % (1 + (1u << b % 16))) >> shift % 8;
		return center + (u64)(long long)(normal(r) * exp2(b * 1.5));
	}
	}
}

// A component, or in some of the rows another one or a single value.
BOTH u64 draw_generated(u64 variant, u64 i) {
	Choices c = {mix(variant)};
	const u32 rarity = c.below(14), second = c.below(3), bits = c.below(64);
	const u64 mask = c.below(4) ? ~0ull : mix(c.state), components = mix(c.state + 1);
	const u64 r = mix(i * 31 + variant * 1000003);
	const bool other = second != 0 && mix(r + 7) >> (63 - rarity) == 0;
	if (other && second == 1) return mix(bits);
	return draw_component({components + other}, i, r) & mask;
}
