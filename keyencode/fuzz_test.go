package keyencode

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzEncode cuts rows out of the input and wants codes that compare as the rows do, whatever the kind and the key.
func FuzzEncode(f *testing.F) {
	for _, kind := range allKinds {
		for mode := range byte(4) {
			f.Add(
				byte(kind),
				mode,
				byte(3),
				uint16(9),
				[]byte(
					"\x00\x00\x80\x7f\xff\xff\xf0\x7f\x00\x00\x00\x80 some bytes "+
						"\x00\x01 to cut values out of \xff\xfe",
				),
			)
		}
	}
	f.Fuzz(func(t *testing.T, kindByte, mode, width byte, seed uint16, data []byte) {
		kind := allKinds[int(kindByte)%len(allKinds)]
		fixed := int(width % 40)
		cells := cutCells(kind, fixed, data)
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		c := build(rng, kind, fixed, rng.IntN(70), []int{rng.IntN(9)}, cells)
		k := Key{Order: Order(mode & 1), Nulls: NullPlacement(mode >> 1 & 1)}
		if err := ValidateKey(&c); err != nil {
			t.Fatalf("kind %d: %v", kind, err)
		}
		p := planOf(t, []Column{c}, []Key{k})
		codes := codesOf(p, len(cells))
		for i := range cells {
			for j := range cells {
				if want, got := sign(compareCells(kind, k, cells[i], cells[j])), compareCodes(p, codes, i,
					j); want != got {
					t.Fatalf(
						"plan %v: rows %d %v and %d %v compare %d, their codes %d", p, i, cells[i], j, cells[j], want,
						got,
					)
				}
			}
		}
	})
}

// cutCells makes up to 40 cells out of bytes.
func cutCells(kind Kind, fixed int, data []byte) []cell {
	var cells []cell
	for len(data) > 0 && len(cells) < 40 {
		control := data[0]
		data = data[1:]
		n := widthOf(kind, fixed)
		if kind == Binary || kind == LargeBinary || kind == BinaryView {
			n = min(int(control>>3), len(data))
		}
		if control%8 == 7 || len(data) < n {
			cells = append(cells, cell{null: true})
			continue
		}
		raw := make([]byte, n)
		copy(raw, data)
		switch {
		case kind == Bool:
			raw[0] &= 1
		case kind.isDictionary():
			raw[3] &= 0x7f
		case kind == Null:
			cells = append(cells, cell{null: true})
			continue
		}
		cells = append(cells, cell{raw: raw})
		data = data[n:]
	}
	return cells
}

// FuzzValidate takes a column apart: what Validate lets through must be read without a panic.
func FuzzValidate(f *testing.F) {
	for _, kind := range allKinds {
		f.Add(byte(kind), 3, 1, 2, []byte{0xff}, make([]byte, 64), []byte("some bytes of a string"))
		f.Add(
			byte(kind), math.MaxInt>>3, math.MaxInt>>1, -7, []byte(nil), []byte{255, 255, 255, 255, 0, 0, 0, 128},
			[]byte{1},
		)
	}
	f.Fuzz(func(t *testing.T, kind byte, rows, offset, width int, validity, values, data []byte) {
		chunk := Chunk{Rows: rows, Offset: offset, Validity: validity, Values: values}
		if len(validity) == 0 {
			chunk.Validity = nil
		}
		if len(data) > 0 {
			chunk.Data = [][]byte{data, data[1:]}
		}
		for ; len(data) >= 4; data = data[4:] {
			chunk.Ranks = append(chunk.Ranks, binary.LittleEndian.Uint32(data))
		}
		c := Column{Kind: Kind(kind), Width: width, Chunks: []Chunk{chunk, chunk}}
		if ValidateKey(&c) != nil || rows > 1<<16 {
			return
		}
		p := planOf(t, []Column{c}, []Key{{}})
		dst := make([]uint64, c.Rows())
		for word := range min(p.Words(), 4) {
			p.encodeWord(dst, word, 0)
			for row := range dst {
				p.EncodeRows(dst[row:row+1], word, []uint32{uint32(row)})
			}
		}
	})
}
