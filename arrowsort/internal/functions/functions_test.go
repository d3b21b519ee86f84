package functions

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDescriptionsFit: Arrow limits the lines of a description, with the prefix as well.
func TestDescriptionsFit(t *testing.T) {
	for name := range descriptions {
		for _, prefix := range []string{"", "arrowsort."} {
			d := Describe(name, prefix)
			require.NotEmpty(t, d.Arguments, name)
			require.NotContains(t, d.Text, "{}", name)
			for _, line := range append(strings.Split(d.Text, "\n"), d.Summary) {
				require.LessOrEqual(t, len(line), 78, "%s: %s", name, line)
			}
		}
	}
	require.Panics(t, func() { Describe("shuffle", "") })
}

type named string

func (n named) Name() string { return string(n) }

// registry has the names that it was given.
type registry map[named]bool

func (r registry) can(fn named, _ bool) bool { return !r[fn] }

func (r registry) add(fn named, _ bool) bool {
	defer func() { r[fn] = true }()
	return !r[fn]
}

func TestRegisterAddsAllOrNone(t *testing.T) {
	r := registry{"b": true}
	require.Equal(t, "b", Register([]named{"a", "b", "c"}, r.can, r.add))
	require.Equal(t, []named{"b"}, slices.Collect(maps.Keys(r)))
	require.Empty(t, Register([]named{"a", "c"}, r.can, r.add))
	require.Len(t, r, 3)
}

type options struct{ n int }

func TestCall(t *testing.T) {
	invalid, broken := errors.New("invalid"), errors.New("broken")
	call := func(ctx context.Context, opts any, required bool) (int, error) {
		return Call(ctx, "f", opts, required, invalid, func(o options) (int, error) {
			if o.n < 0 {
				return o.n, broken
			}
			return o.n + 1, nil
		})
	}
	for _, c := range []struct {
		opts     any
		required bool
		want     int
		err      error
	}{
		{nil, false, 1, nil}, {options{2}, true, 3, nil}, {&options{3}, true, 4, nil}, {(*options)(nil), false, 1, nil},
		{(*options)(nil), true, 0, invalid}, {nil, true, 0, invalid}, {"text", false, 0, invalid},
		{options{-1}, false, 0, broken},
	} {
		got, err := call(t.Context(), c.opts, c.required)
		require.ErrorIs(t, err, c.err)
		require.Equal(t, c.want, got)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "f: "), err)
		}
	}
	var none context.Context
	_, err := call(none, nil, false)
	require.ErrorIs(t, err, invalid)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = call(cancelled, nil, false)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSelectLimit(t *testing.T) {
	invalid := errors.New("invalid")
	for k, want := range map[int64]int{0: 1, 1: 1, 7: 7, math.MaxInt64: math.MaxInt} {
		limit, err := SelectLimit(k, 1, invalid)
		require.NoError(t, err)
		require.Equal(t, want, limit)
	}
	_, err := SelectLimit(-1, 1, invalid)
	require.ErrorIs(t, err, invalid)
	_, err = SelectLimit(1, 0, invalid)
	require.ErrorIs(t, err, invalid)
}

func TestQuantiles(t *testing.T) {
	ranks := []float64{1, 2.5, 2.5, 4}
	require.NoError(t, Quantiles(t.Context(), ranks, 2, Quantile))
	require.Equal(t, []float64{0.125, 0.5, 0.5, 0.875}, ranks)
	require.NoError(t, Quantiles(t.Context(), nil, 0, NormalQuantile))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Quantiles(cancelled, ranks, 1, NormalQuantile), context.Canceled)
}

// The distribution function of what is returned is the probability, far out as well.
func TestNormalIsTheInverse(t *testing.T) {
	require.Zero(t, NormalQuantile(0.5))
	for _, p := range []float64{1e-13, 1e-11, 1e-9, 1e-8, 1e-6, 1e-5, 1e-3, 0.1, 0.3, 0.49} {
		require.InEpsilon(t, p, math.Erfc(-NormalQuantile(p)/math.Sqrt2)/2, 1e-12)
		require.InEpsilon(t, -NormalQuantile(p), NormalQuantile(1-p), 1e-3)
	}
}
