package flagtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "1": 1, "512": 512, "10b": 10, "1k": 1024, "128MiB": 128 << 20, "128 mib": 128 << 20,
		"1.5GB": 1_500_000_000, "2G": 2 << 30, "1TiB": 1 << 40,
	} {
		got, err := ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"x", "MiB", "-1", "0", "1.2.3", "NaN", "99999999999GB", "1PB", "10%",
		"0.5", "1e-300", "9223372036854775807B", "1e30GiB", "inf"} {
		_, err := ParseSize(text)
		require.Error(t, err, text)
	}
}
