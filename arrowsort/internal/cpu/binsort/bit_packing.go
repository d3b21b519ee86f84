package binsort

import "math/bits"

// maxFields is the number of fields that a bitPacking has at most: it takes a pass over the codes for each four.
const maxFields = 8

// A bitPacking takes the leading bits of codes that vary, and leaves out those between them that are the same in all
// codes: of digits in ASCII 4 of 8 bits, of letters 2 or 3 of them. What is left compares as the codes do.
//
//	code    0011 dddd 0011 dddd 0011 dddd ...
//	packed  dddd dddd dddd ...
type bitPacking struct {
	fields [maxFields]bitField
	bits   uint // of all fields together
	rest   uint // bits that vary and are in no field
}

// A bitField is a run of bits that vary. The zero value has none.
type bitField struct {
	mask uint64
	down uint // by how much it moves
}

// leastGain is the number of bits by which records must be better for the passes that pack them.
const leastGain = 3

// packingOf returns how the leading bits that vary are packed, at most a number of them. It reports false if it does
// not pay: if fewer than leastGain of these bits are among the last ones of the codes, which other records leave out.
func packingOf(varying uint64, most, last uint) (p bitPacking, pays bool) {
	left := varying
	for i := 0; i < maxFields && left != 0 && p.bits < most; i++ {
		top := uint(bits.Len64(left)) // of the field: bits bottom to top-1
		n := min(uint(bits.LeadingZeros64(^(left << (64 - top)))), most-p.bits)
		bottom := top - n
		p.fields[i] = bitField{(1<<n - 1) << bottom, bottom}
		p.bits += n
		left &= 1<<bottom - 1
	}
	below := p.bits
	for i := range p.fields {
		f := &p.fields[i]
		below -= uint(bits.OnesCount64(f.mask))
		f.down -= below
	}
	p.rest = uint(bits.OnesCount64(left))
	return p, bits.OnesCount64((varying&^left)&(1<<last-1)) >= leastGain
}

// pack writes the fields of each code.
func (p *bitPacking) pack(codes []uint64, packed []uint32) {
	clear(packed)
	addFields(codes, packed, (*[4]bitField)(p.fields[:4]))
	if p.fields[4].mask != 0 {
		addFields(codes, packed, (*[4]bitField)(p.fields[4:]))
	}
}

//go:noinline
func addFields(codes []uint64, packed []uint32, f *[4]bitField) {
	m0, m1, m2, m3 := f[0].mask, f[1].mask, f[2].mask, f[3].mask
	s0, s1, s2, s3 := f[0].down&63, f[1].down&63, f[2].down&63, f[3].down&63
	packed = packed[:len(codes)]
	for i, x := range codes {
		packed[i] |= uint32(x&m0>>s0 | x&m1>>s1 | x&m2>>s2 | x&m3>>s3)
	}
}

// varyingBits has a bit for each of those that are not the same in all codes.
//
//go:noinline
func varyingBits(codes []uint64) (varying uint64) {
	first := codes[0]
	for _, x := range codes {
		varying |= x ^ first
	}
	return varying
}
