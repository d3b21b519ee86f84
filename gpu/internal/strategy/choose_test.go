package strategy

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// Devices by what they have: clusters and cooperative launches, as 9.0 has, no clusters, neither, and too little shared
// memory for partition and bucket sort.
var (
	hopper = Device{Shared: 227 << 10, Multiprocessors: 132, Fits: func(string) bool { return true }}
	ampere = Device{Shared: 163 << 10, Multiprocessors: 108, Fits: func(name string) bool { return name != "cluster" }}
	shared = Device{Shared: 163 << 10, Multiprocessors: 20, Fits: func(string) bool { return false }}
	small  = Device{Shared: 99 << 10, Multiprocessors: 80, Fits: func(string) bool { return false }}
)

// Jobs by their keys.
var (
	u32    = Job{TypeBits: 32, Width: 4, Direct: true, Numbers: true, OneColumn: true}
	f64    = Job{TypeBits: 64, Width: 8, Direct: true, Numbers: true, OneColumn: true}
	i64    = Job{Width: 8, Direct: true, LastNull: true, Numbers: true, OneColumn: true}
	i16    = Job{TypeBits: 17, Direct: true, Numbers: true, OneColumn: true}
	i8     = Job{TypeBits: 9, Direct: true, Numbers: true, OneColumn: true}
	wide   = Job{} // a decimal, or no keys
	text   = Job{Text: true}
	two    = Job{TypeBits: 49, Numbers: true, OneColumn: true}
	ranges = Job{Numbers: true, OneColumn: true} // whose types have more values than 64 bits
	many   = Job{TypeBits: 40, Numbers: true}
)

func TestChoose(t *testing.T) {
	const grid = 132 * kernels.CooperativeThreads * kernels.CooperativeItems
	for _, c := range []struct {
		keys     Job
		rows     int
		device   Device
		want     Kind
		out      int // 0: all rows
		declined Kind
		plan     bool
		early    bool
	}{
		{keys: u32, rows: 0, device: hopper, want: Words},
		{keys: u32, rows: 1, device: hopper, want: Cluster},
		{keys: i64, rows: kernels.ClusterRows, device: hopper, want: Cluster},
		{keys: i8, rows: 1000, device: hopper, want: Cluster},
		{keys: wide, rows: 1000, device: hopper, want: Words},
		{keys: text, rows: 0, device: hopper, want: Words},
		{keys: text, rows: 1, device: hopper, want: Text},
		{keys: text, rows: 1 << 29, out: 100, device: small, plan: true, want: Text},
		{keys: u32, rows: 1000, device: hopper, plan: true, want: Column},
		{keys: u32, rows: kernels.ClusterRows + 1, device: hopper, want: Grid},
		{keys: f64, rows: 1000, device: ampere, want: Grid},
		{keys: f64, rows: 1000, device: shared, want: Column},
		{keys: f64, rows: 1000, device: small, want: Words},
		{keys: u32, rows: grid, device: hopper, want: Grid},
		{keys: u32, rows: grid + 1, device: hopper, want: Column},
		{keys: u32, rows: 108*8192 + 1, device: ampere, want: Column},
		{keys: u32, rows: grid, device: hopper, declined: Grid, want: Onesweep},
		{keys: f64, rows: grid, device: hopper, declined: Grid, want: Column},
		{keys: i64, rows: grid, device: hopper, declined: Grid, want: Column},
		{keys: i16, rows: grid, device: hopper, declined: Grid, want: SmallCodes},
		{keys: i8, rows: grid, device: hopper, declined: Grid, want: Words},
		{keys: u32, rows: 1 << 28, device: hopper, want: Column},
		{keys: u32, rows: 1<<28 + 1, device: hopper, want: Words},
		{keys: u32, rows: 1 << 24, device: small, want: Words},
		{keys: f64, rows: 1 << 24, device: hopper, declined: Column, early: true, want: Onesweep},
		{keys: f64, rows: 1 << 24, device: hopper, declined: Column, want: Words},
		{keys: f64, rows: 1 << 24, device: hopper, declined: Column, early: true, plan: true, want: Words},
		{keys: i64, rows: 1 << 24, device: hopper, declined: Column, early: true, want: Words},
		{keys: f64, rows: 1 << 24, device: hopper, declined: Column | Onesweep, early: true, want: Words},
		{keys: i16, rows: 1 << 22, device: hopper, want: Codes},
		{keys: i16, rows: 1 << 24, device: hopper, want: Keys},
		{keys: two, rows: 1000, device: hopper, want: SmallCodes},
		{keys: two, rows: 1000, device: hopper, declined: SmallCodes, want: Words},
		{keys: two, rows: 1 << 22, device: hopper, want: Codes},
		{keys: two, rows: 1 << 23, device: hopper, want: Codes},
		{keys: two, rows: 1<<23 + 1, device: hopper, want: Keys},
		{keys: two, rows: 1 << 24, device: hopper, plan: true, want: Words},
		{keys: two, rows: 1 << 24, device: hopper, declined: Keys, want: Words},
		{keys: two, rows: 1 << 22, device: hopper, declined: Codes, want: Words},
		{keys: two, rows: 1 << 24, device: small, want: Words},
		{keys: ranges, rows: 1 << 18, device: hopper, want: Words},
		{keys: ranges, rows: 1<<18 + 1, device: hopper, want: Keys},
		{keys: ranges, rows: 1 << 23, out: 100, device: hopper, want: Words},
		{keys: many, rows: 1 << 24, device: hopper, want: Codes},
		{keys: u32, rows: 1 << 20, out: 100, device: hopper, declined: Grid, want: TopK},
		{keys: u32, rows: 1<<20 - 1, out: 100, device: hopper, declined: Grid, want: Onesweep},
		{keys: u32, rows: 1 << 24, out: 1 << 20, device: hopper, want: TopK},
		{keys: u32, rows: 1 << 24, out: 1 << 22, device: hopper, want: Column},
		{keys: i64, rows: 1 << 24, out: 100, device: hopper, want: TopK},
		{keys: i64, rows: 1 << 24, out: 100, device: hopper, declined: TopK, want: Column},
		{keys: two, rows: 1 << 24, out: 100, device: small, want: TopK},
		{keys: ranges, rows: 1 << 24, out: 100, device: hopper, want: Keys},
		{keys: u32, rows: 1 << 24, out: 100, device: hopper, plan: true, want: Column},
		{keys: wide, rows: 1 << 24, out: 100, device: hopper, want: Words},
	} {
		job := c.keys
		job.Rows, job.Out, job.Device, job.Tuning = c.rows, c.out, c.device, &defaults
		job.WantsPlan, job.Declined, job.Early = c.plan, c.declined, c.early
		if c.out == 0 {
			job.Out = c.rows
		}
		require.Equal(t, c.want, Choose(&job), "%+v", c)
	}
}

// TestChooseEnds: whatever declines, the ways come to an end, and none is tried twice.
func TestChooseEnds(t *testing.T) {
	for _, keys := range []Job{u32, f64, i64, i16, i8, wide, two, ranges, many} {
		for _, rows := range []int{0, 1, 1000, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 30} {
			for mode := range 16 {
				job := keys
				job.Rows, job.Out, job.Tuning, job.Device = rows, max(rows/100, min(rows, 1)), &defaults, hopper
				job.WantsPlan, job.Early = mode&1 != 0, mode&2 != 0
				if mode&4 != 0 {
					job.Device = ampere
				}
				if mode&8 != 0 {
					job.Out = rows
				}
				kind := Choose(&job)
				for ; kind != Words; kind = Choose(&job) {
					require.Zero(t, job.Declined&kind, "%+v", job)
					job.Declined |= kind
				}
			}
		}
	}
}

// TestShapeSelect: the capacity grows with k, and is at least k.
func TestShapeSelect(t *testing.T) {
	for _, n := range []int{defaults.SelectRows, defaults.SelectRows + 1, 1 << 24, 1 << 28, 1<<32 - 1} {
		last := selectShape{}
		for _, k := range []int{1, 2, 100, 10_000, n / 100, n / 10, n / selectShare} {
			s, ok := ShapeSelect(&defaults, n, k)
			require.True(t, ok, "%d of %d rows", k, n)
			require.Greater(t, s.Capacity, k)
			require.Less(t, s.Capacity, 1<<31, "as kernels/abi.h asks")
			require.GreaterOrEqual(t, s.Hits, last.Hits)
			require.GreaterOrEqual(t, s.Capacity, last.Capacity)
			require.Less(t, s.Hits, kernels.SelectSample)
			require.Greater(t, s.Hits, int(float64(kernels.SelectSample)*float64(k)/float64(n)),
				"no fewer than on average")
			last = s
		}
		_, ok := ShapeSelect(&defaults, n, n/selectShare+1)
		require.False(t, ok)
	}
	for _, n := range []int{0, 1, defaults.SelectRows - 1} {
		_, ok := ShapeSelect(&defaults, n, min(n, 1))
		require.False(t, ok, "%d rows are soon sorted", n)
	}
}

// sharedOf is the most shared memory of a block by compute capability (CUDA C++ programming guide, table of technical
// specifications).
var sharedOf = map[int]int{80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10, 100: 227 << 10, 120: 99 << 10}

// TestKernelsFit: on every architecture of the image, the selected kernels fit the device.
func TestKernelsFit(t *testing.T) {
	for capability, shared := range sharedOf {
		names := []string{"histogram", "statistics", "encode", "gather_8"}
		for _, k := range kernels.All {
			if strings.HasPrefix(k.Name, "digit_binning") {
				names = append(names, k.Name)
			}
		}
		for _, name := range names {
			require.True(t, fits(shared, name), "%s on %d", name, capability)
		}
	}
	for _, k := range kernels.All {
		if !slices.Contains([]string{"cluster", "cooperative", "place_nulls"}, k.Name) {
			require.LessOrEqual(t, k.Shared, kernels.EqualizeBytes, "%s: see CanScan", k.Name)
		}
	}
	require.True(t, Device{Shared: sharedOf[80]}.CanScan(&defaults, 1<<20))
	require.False(t, Device{Shared: sharedOf[86]}.CanScan(&defaults, 1<<20))
}

// fits reports whether shared bytes of shared memory are enough for a kernel.
func fits(shared int, name string) bool { return kernels.All[KernelNumbers[name]].Shared <= shared }

// TestSingleLaunch: on every architecture of the image, the selected kernel fits the device.
func TestSingleLaunch(t *testing.T) {
	const multiprocessors = 132
	for capability, shared := range sharedOf {
		for _, rows := range []int{1, kernels.ClusterRows, kernels.ClusterRows + 1, 1 << 21} {
			clusters := capability >= 90
			device := Device{Multiprocessors: multiprocessors, Fits: func(name string) bool {
				return fits(shared, name) && (clusters || kernels.All[KernelNumbers[name]].Cluster() == 0)
			}}
			name, blocks := device.SingleLaunch(&defaults, rows)
			if name == "" {
				require.False(t, rows <= kernels.ClusterRows && clusters && fits(shared, "cluster"), "%d rows", rows)
				continue
			}
			kernel := kernels.All[KernelNumbers[name]]
			require.LessOrEqual(t, kernel.Shared, shared, "%s on %d", name, capability)
			require.True(t, clusters || kernel.Cluster() == 0, "%s on %d", name, capability)
			if kernel.Cooperative() {
				require.Equal(t, multiprocessors, blocks)
				continue
			}
			require.Equal(t, max(1, kernel.Cluster()), blocks)
		}
	}
	const block = kernels.CooperativeThreads * kernels.CooperativeItems
	for _, c := range []struct {
		multiprocessors, rows int
		kernel                string
		blocks                int
	}{
		{132, 1, "cluster", kernels.ClusterBlocks},
		{132, kernels.ClusterRows, "cluster", kernels.ClusterBlocks},
		{132, kernels.ClusterRows + 1, "cooperative", 132},
		{132, 132 * block, "cooperative", 132},
		{132, 132*block + 1, "", 0},
		{512, kernels.CooperativeRows, "cooperative", 512},
		{513, kernels.CooperativeRows, "cooperative", 512},
		{513, kernels.CooperativeRows + 1, "", 0},
	} {
		device := hopper
		device.Multiprocessors = c.multiprocessors
		kernel, blocks := device.SingleLaunch(&defaults, c.rows)
		require.Equal(t, c.kernel, kernel, "%+v", c)
		require.Equal(t, c.blocks, blocks, "%+v", c)
	}
}
