// The codes of equalized maps: they rise with numbers, and with the rows of equal ones.
#include "sample/equalizer.h"
#include "test/device.h"
#include <algorithm>

int main() {
	int checked = 0;
	std::vector<Piece> pieces(EQUALIZER_PIECES);
	u64 first = 0;
	for (u32 k = 0; k < EQUALIZER_PIECES; k++) {
		u32 width = k == 700 ? ~0u - 4 * EQUALIZER_PIECES : 1 + k % 4; // most of the codes are those of one piece
		pieces[k] = {(u32)first, width}, first += width;
	}
	for (u64 zero : {0ull, 1ull << 63, (1ull << 63) - 1})
		for (Sides sides : {BOTH_SIDES, FROM_ZERO_ON, LESS_THAN_ZERO}) {
			if (sides == BOTH_SIDES && zero == 0) continue;
			Map map = {};
			map.equalized = BASE_MAGNITUDES, map.zero = zero, map.sides = sides, map.rowLeft = 4;
			Equalizer e(&map, pieces.data());
			std::vector<u64> numbers;
			for (int bit = 0; bit < 64; bit++)
				for (long long near = -3; near <= 3; near++)
					for (u64 from : {zero, (u64)0, ~(u64)0}) numbers.push_back(from + (1ull << bit) + near),
					    numbers.push_back(from - (1ull << bit) + near);
			std::sort(numbers.begin(), numbers.end());
			numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
			u64 last = 0, lastCode = 0;
			for (u64 x : numbers)
				for (u32 row : {0u, 1u, (1u << 28) - 1}) {
					u64 base = e.base_code(x, row), code = e.code(x, row);
					if (base < last || code < lastCode) fail("codes fall at", x, "row", row);
					last = base, lastCode = code, checked++;
				}
		}
	printf("%d codes rise\n", checked);
}
