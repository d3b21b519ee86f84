package main

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCopyParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 2, 3, 4095, 4096, 4097, 3 << 20, 5<<20 + 7} {
		src := make([]byte, size)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		require.Equal(t, src, copyParallel(src), "size %d", size)
	}
}
