package flagtext

import (
	"fmt"
	"strconv"
	"strings"
)

// units are the suffixes of sizes, the longest first, and of these the largest binary one first.
var units = []struct {
	name  string
	bytes float64
}{
	{"pib", 1 << 50}, {"tib", 1 << 40}, {"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10},
	{"pb", 1e15}, {"tb", 1e12}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3},
	{"p", 1 << 50}, {"t", 1 << 40}, {"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"b", 1}, {"", 1},
}

// mostBytes is the largest size: 1 PiB is more than any machine's memory.
const mostBytes = 1 << 50

// ParseSize reads a number of bytes such as 128MiB, 1.5GB or 4G (the same as GiB), of a least one to 1 PiB.
func ParseSize(s string, least int64) (int64, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if n := x * u.bytes; err == nil && n >= float64(least) && n <= mostBytes {
			return int64(n), nil
		}
		break
	}
	return 0, fmt.Errorf("give a size from %s to %s, such as 512MiB or 4GB", sizeText(least), sizeText(mostBytes))
}

// sizeText writes a size with the largest binary unit of which it is a whole number.
func sizeText(n int64) string {
	for _, u := range units[:5] {
		if of := int64(u.bytes); n%of == 0 {
			return fmt.Sprintf("%d%siB", n/of, strings.ToUpper(u.name[:1]))
		}
	}
	return fmt.Sprintf("%dB", n)
}
