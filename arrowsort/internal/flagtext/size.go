package flagtext

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// units are the suffixes of sizes, the longest first.
var units = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1}, {"", 1},
}

// ParseSize reads a number of bytes such as 128MiB, 1.5GB or 4G (the same as GiB). Empty is 0.
func ParseSize(s string) (int64, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok || s == "" {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(x*u.bytes >= 1) || x*u.bytes > math.MaxInt64/2 {
			return 0, errors.New("not a size; write 512MiB or 4GB")
		}
		return int64(x * u.bytes), nil
	}
	return 0, nil
}
