package keyencode_test

import (
	"encoding/binary"
	"fmt"

	"github.com/arrowsort/arrowsort/keyencode"
)

// delays returns a column of five 64-bit integers, the fourth of them null.
func delays() keyencode.Column {
	var values []byte
	for _, v := range []int64{30, -5, 120, 0, 45} {
		values = binary.LittleEndian.AppendUint64(values, uint64(v))
	}
	return keyencode.Column{
		Kind:   keyencode.Int64,
		Chunks: []keyencode.Chunk{{Rows: 5, Values: values, Validity: []byte{0b10111}}},
	}
}

func plan() *keyencode.Plan {
	columns := []keyencode.Column{delays()}
	key := keyencode.Key{Name: "delay", Type: "int64", Order: keyencode.Descending}
	s := keyencode.Measure(&columns[0], key, 0, 2)
	rest := keyencode.Measure(&columns[0], key, 2, 5)
	s.Merge(&rest)
	p, err := keyencode.NewPlan(columns, []keyencode.Key{key}, []keyencode.Statistics{s})
	if err != nil {
		panic(err)
	}
	return p
}

func Example() {
	p := plan()
	codes := make([]uint64, 5)
	p.Encode(codes, 0)
	fmt.Println(p)
	fmt.Println(codes)
	// Output:
	// delay: int64, 5 live bits of 64, descending, 1 null at the end, stride 5; one 5-bit code, 1 digit
	// [18 25 0 26 15]
}

func ExamplePlan_Decode() {
	p := plan()
	code, value := make([]uint64, 1), make([]byte, 8)
	for row := range 5 {
		p.Encode(code, row)
		if p.Decode(0, code, value) == keyencode.ClassNull {
			fmt.Println("null")
			continue
		}
		fmt.Println(int64(binary.LittleEndian.Uint64(value)))
	}
	// Output:
	// 30
	// -5
	// 120
	// null
	// 45
}

func ExamplePlan_Borders() {
	fmt.Println(plan().Borders(), "is the last code of a value")
	// Output: [25] is the last code of a value
}

func ExampleValidate() {
	c := delays()
	c.Chunks[0].Rows = 6
	fmt.Println(keyencode.Validate(&c))
	// Output: keyencode: invalid column: chunk 0: values of 40 bytes for 6 rows
}
