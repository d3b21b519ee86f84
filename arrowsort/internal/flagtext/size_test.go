package flagtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "512": 512, "10b": 10, "1k": 1024, "128MiB": 128 << 20, "128 mib": 128 << 20, "1.5GB": 1_500_000_000,
		"2G": 2 << 30, "1TiB": 1 << 40, "1e3": 1000, "1PB": 1e15, "1PiB": 1 << 50, "1024T": 1 << 50,
	} {
		got, err := ParseSize(text, 1)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " ", "x", "MiB", "-1", "0", "1.2.3", "NaN", "99999999999GB", "2PB", "10%", "0x10",
		"0.5", "1e-300", "1125899906842625", "9223372036854775807B", "1e30GiB", "inf"} {
		_, err := ParseSize(text, 1)
		require.EqualError(t, err, "give a size from 1B to 1PiB, such as 512MiB or 4GB", text)
	}
	_, err := ParseSize("16777215", 16<<20)
	require.EqualError(t, err, "give a size from 16MiB to 1PiB, such as 512MiB or 4GB")
	n, err := ParseSize("16MiB", 16<<20)
	require.NoError(t, err)
	require.EqualValues(t, 16<<20, n)
}
