//go:build assert && cuda && linux && amd64

package device

import (
	"fmt"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// AssertPermutation fails the sort unless the first count of the row numbers on the device are distinct and below n.
// Otherwise a gather would read out of bounds or return a row twice.
func (t *Task) AssertPermutation(rows driver.Ptr, count, n int) {
	if count == 0 || t.Failed() {
		return
	}
	seen, wrong := t.Zeros(n/8+8), t.Zeros(16)
	t.Launch("check_permutation", t.Blocks(count), uint64(rows), uint64(count), uint64(n), uint64(seen), uint64(wrong))
	found := t.Words(wrong, 2)
	t.Free(seen, wrong)
	if found[0] != 0 {
		const text = "gpu: assertion: %d of %d row numbers are repeated or not below %d, the first at position %d"
		t.Fail(fmt.Errorf(text, found[0], count, n, ^found[1]))
	}
}
