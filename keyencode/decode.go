package keyencode

import "encoding/binary"

// Decode returns the value of a key of one row, from all Words of the row's code. It writes the value to value as
// Values holds it, ValueBytes long, with these exceptions: a Bool is one byte, a dictionary entry its rank as in Ranks,
// 4 bytes. -0.0 comes back as +0.0 and NaN as the canonical quiet NaN; under a null, value is cleared. Keys of variable
// length have no fixed place to write to: for them it writes nothing and returns the class only.
func (p *Plan) Decode(key int, words []uint64, value []byte) Class {
	k := &p.keys[key]
	class := p.decodeClass(k, key, words)
	switch {
	case k.kind == Binary || k.kind == LargeBinary || k.kind == BinaryView:
	case class == ClassNull:
		clear(value)
	case class == ClassNaN:
		inf := k.kind.infinity()
		putWord(value, k.width, inf+inf&-inf>>1)
	case k.encoding == encodingLimbs:
		p.decodeWide(k, key, words, value)
	case k.encoding == encodingBytes:
		p.decodeFixed(k, key, words, value)
	default:
		k.putOrdered(value, k.word.invert(p.decodeWord(k, key, words)))
	}
	return class
}

// decodeClass reads the class from the first field of a key; a key without fields has but one.
func (p *Plan) decodeClass(k *keyPlan, key int, words []uint64) Class {
	for i := range p.fields {
		f := &p.fields[i]
		if f.key != key {
			continue
		}
		switch code := p.fieldCode(i, words); {
		case k.stats.Nulls > 0 && code == f.null:
			return ClassNull
		case k.stats.NaNs > 0 && code == f.nan:
			return ClassNaN
		}
		return ClassValue
	}
	switch {
	case k.stats.Values() > 0:
		return ClassValue
	case k.stats.NaNs > 0:
		return ClassNaN
	}
	return ClassNull
}

// fieldCode collects the bits of a field.
func (p *Plan) fieldCode(field int, words []uint64) (code uint64) {
	for i := range p.groups {
		for _, pc := range p.groups[i].bitRanges {
			if pc.field == field {
				code |= words[p.groups[i].first] >> uint(pc.up) & pc.mask << uint(pc.down)
			}
		}
	}
	return code
}

// decodeWord returns the code of a key's word or leading bytes.
func (p *Plan) decodeWord(k *keyPlan, key int, words []uint64) uint64 {
	for i := range p.fields {
		if f := &p.fields[i]; f.key == key && (f.part == partWord || f.part == partLeadingBytes) {
			return p.fieldCode(i, words)
		}
	}
	return k.word.bias
}

func (p *Plan) decodeWide(k *keyPlan, key int, words []uint64, value []byte) {
	v := uint256(k.stats.Min)
	if k.wide.last == (uint256{}) {
		v = v.add(uint256{k.word.invert(p.decodeWord(k, key, words)) - v[0]})
	} else {
		var code uint256
		for i := range p.fields {
			if f := &p.fields[i]; f.key == key && f.part == partLimb {
				code[f.limb] = p.fieldCode(i, words) - f.bias
			}
		}
		v = k.wide.invert(code)
	}
	n := k.width / 8
	v[n-1] ^= 1 << 63
	for l := range n {
		binary.LittleEndian.PutUint64(value[l*8:], v[l])
	}
}

// decodeFixed joins the bytes that all strings share, the leading bytes and the string words.
func (p *Plan) decodeFixed(k *keyPlan, key int, words []uint64, value []byte) {
	copy(value, k.stats.MinBytes)
	for i := range p.fields {
		if f := &p.fields[i]; f.key == key && f.part == partLeadingBytes {
			n := 8 - int(f.shift)/8
			putBigEndian(value[f.from:][:min(n, len(value)-f.from)], f.invert(p.fieldCode(i, words)))
		}
	}
	rest := value[min(k.next, len(value)):]
	for i := range p.groups {
		s := &p.groups[i]
		if !s.ofStrings || s.key != key {
			continue
		}
		for _, w := range words[s.first : s.first+s.words] {
			if k.Order == Descending {
				w = ^w
			}
			rest = rest[putBigEndian(rest[:min(len(rest), stringWordBytes)], w):]
		}
	}
}

// putBigEndian writes the leading bytes of a word that fit.
func putBigEndian(dst []byte, w uint64) int {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], w)
	return copy(dst, b[:])
}

// putOrdered writes the value of an ordered word.
func (k *keyPlan) putOrdered(value []byte, u uint64) {
	switch sign := k.kind.signBit(); {
	case k.kind.isDictionary():
		putWord(value, 4, u+1)
	case k.kind == Bool:
		putWord(value, 1, u)
	case k.kind == FixedSizeBinary:
		putBigEndian(value[:k.width], u<<(64-8*uint(k.width)))
	case k.kind.isFloat():
		if u ^= sign; u&sign != 0 {
			u = sign - u
		}
		putWord(value, k.width, u)
	default:
		putWord(value, k.width, u^sign)
	}
}

// putWord writes the low width bytes of a word, little-endian.
func putWord(value []byte, width int, u uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], u)
	copy(value[:width], b[:])
}
