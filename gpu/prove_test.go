//go:build cuda && (!standin || devices) && linux && amd64

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// prove counts places whose row sorts before the preceding one, does not exist, or is repeated.
func prove(order []uint32, value func(row uint32) uint64) int64 {
	var bad atomic.Int64
	var group sync.WaitGroup
	seen := make([]atomic.Uint32, len(order)/32+1)
	parts := runtime.GOMAXPROCS(0)
	for p := range parts {
		group.Go(func() {
			for i := len(order) * p / parts; i < len(order)*(p+1)/parts; i++ {
				row := order[i]
				if int(row) >= len(order) || seen[row/32].Or(1<<(row%32))>>(row%32)&1 != 0 {
					bad.Add(1)
					continue
				}
				if i == 0 || int(order[i-1]) >= len(order) {
					continue
				}
				if before, is := value(order[i-1]), value(row); before > is || before == is && order[i-1] > row {
					bad.Add(1)
				}
			}
		})
	}
	group.Wait()
	return bad.Load()
}
