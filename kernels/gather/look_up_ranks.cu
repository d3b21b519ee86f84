#include "common/number.h"

DEVICE u64 index_at(const u8* indices, u64 width, u64 i) {
	switch (width) {
	case 1: return indices[i];
	case 2: return ((const u16*)indices)[i];
	case 4: return ((const u32*)indices)[i];
	default: return ((const u64*)indices)[i];
	}
}

// look_up_ranks turns dictionary indices into ranks. The index of a null is undefined and not read.
KERNEL(look_up_ranks, STREAM_THREADS, 1)
(const u8* indices, u64 width, const u32* validity, u64 bit, const u32* ranks, u64 n, u32* dst) {
	for_each(n, [&](u64 i) {
		bool valid = !validity || bit_at(validity, bit + i);
		dst[i] = valid ? ranks[index_at(indices, width, i)] : 0;
	});
}
