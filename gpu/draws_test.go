//go:build cuda && linux && amd64

package gpu

import "math"

// A draw makes a key of 64 bits of a row, the number of rows, and a random number. Shorter keys are its top bits.
type draw func(i, n, r uint64) uint64

// draws are those that partition and bucket sort takes, and those that it declines or treats in another way.
var draws = map[string]draw{
	"uniform":            func(_, _, r uint64) uint64 { return r },
	"and of 2":           func(_, _, r uint64) uint64 { return andOf(2, r) },
	"and of 8":           func(_, _, r uint64) uint64 { return andOf(8, r) },
	"and of 16":          func(_, _, r uint64) uint64 { return andOf(16, r) },
	"constant":           func(_, _, _ uint64) uint64 { return 0x0102030405060708 },
	"two values":         func(_, _, r uint64) uint64 { return -(r & 1) },
	"five values":        func(_, _, r uint64) uint64 { return r % 5 * 0x2030405060708090 },
	"sorted":             func(i, n, _ uint64) uint64 { return i * (math.MaxInt64 / n) },
	"reversed":           func(i, n, _ uint64) uint64 { return (n - i) * (math.MaxInt64 / n) },
	"sorted, 1 % astray": func(i, n, r uint64) uint64 { return pick(mix(r)%100 == 0, r%n, i) * (math.MaxInt64 / n) },
	"sawtooth":           func(i, _, _ uint64) uint64 { return i%1000<<54 | i%1000 },
	"half all ones":      func(_, _, r uint64) uint64 { return mix(r) | -(r & 1) },
	"low bits":           func(_, _, r uint64) uint64 { return r & 0xffffff },
	"high bits":          func(_, _, r uint64) uint64 { return r & (0xff << 56) },
	"one odd value":      func(i, n, _ uint64) uint64 { return pick(i == n/2, 1, 1<<40) },
	"1 % hot":            func(_, _, r uint64) uint64 { return pick(mix(r)%100 == 0, 0x7777777777777777, r) },
	"25 % zero":          func(_, _, r uint64) uint64 { return pick(mix(r)%4 == 0, 0, r) },
	"10 % in one bucket": func(_, _, r uint64) uint64 { return pick(mix(r)%10 == 0, 0x7777<<48|r>>16, r) },
	"40 shared bits":     func(i, _, r uint64) uint64 { return mix(i>>4)&^0xffffff | r>>40 },
	"ties in pairs":      func(i, _, r uint64) uint64 { return mix(i>>1)>>32<<32 | r>>32 },
	"two outliers":       outliers,
	"2^16 prefixes":      func(_, _, r uint64) uint64 { return mix(r&0xffff)>>32<<32 | mix(r)>>32 },
	"24-bit range":       func(_, _, r uint64) uint64 { return r>>40<<32 | r&math.MaxUint32 },
	"2^17 values":        func(_, _, r uint64) uint64 { return mix(r & 0x1ffff) },
	"like Zipf":          func(_, _, r uint64) uint64 { return mix(uint64(math.Exp2(24 * unit(r)))) },
	"20 live bits":       func(_, _, r uint64) uint64 { return 0x5123000000001000 + r>>44<<13 },
	"32 live bits":       func(_, _, r uint64) uint64 { return 0xfffffffe12345678 + r>>32 },
	"40 live bits":       func(_, _, r uint64) uint64 { return 0x0012000000000000 + r>>24<<6 },
	"ticks with jitter":  func(i, _, r uint64) uint64 { return (i/64 + r%600) << 32 },
	"log-uniform":        func(_, _, r uint64) uint64 { return uint64(math.Exp2(63.9 * unit(r))) },
	"normal clusters":    func(_, _, r uint64) uint64 { return mix(r%10)>>2 + uint64(int64(normal(r)*1e6)) },
	"powers of two":      func(_, _, r uint64) uint64 { return 1 << (r % 64) },
	"30 bits, outliers":  func(_, _, r uint64) uint64 { return pick(mix(r)%1000 == 0, r>>(mix(r+1)%64), r>>34) },
	"bins of close rows": func(i, _, r uint64) uint64 { return pick(i%30 == 0, 0x77777<<44|r>>20, r) },
	"tile after tile":    func(i, _, _ uint64) uint64 { return i>>13&1<<63 | i>>12&1<<56 },
	"a lower corner":     corner,
	"an upper corner":    func(i, n, r uint64) uint64 { return ^corner(i, n, r) },
}

// by is the value of a row, of which the top bits are stored.
func (d draw) by(rows, bytes int, seed uint64) func(row int) uint64 {
	return func(row int) uint64 {
		return d(uint64(row), uint64(rows), mix(uint64(row)*31+seed*1000003)) >> (64 - 8*bytes)
	}
}

func outliers(i, n, _ uint64) uint64 {
	return pick(i == 7, 0, pick(i == n/3, math.MaxInt64, 1<<62+i))
}

// corner has most rows close to the lower end of the range, and two far outside, which no sample foresees.
func corner(i, n, r uint64) uint64 {
	return pick(i == n/2, 5, pick(i == n/3, math.MaxInt64, 1<<61+pick(mix(r)%10 == 0, r>>4, r>>11)))
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

func andOf(k, r uint64) uint64 {
	x := r
	for j := uint64(1); j < k; j++ {
		x &= mix(r + j<<32)
	}
	return x
}

// unit is a number from 0 to 1, normal one of the normal distribution, by a random number.
func unit(r uint64) float64 { return (float64(r>>11) + 0.5) / (1 << 53) }

func normal(r uint64) float64 {
	return math.Sqrt(-2*math.Log(unit(mix(r+1)))) * math.Cos(2*math.Pi*unit(mix(r+2)))
}
