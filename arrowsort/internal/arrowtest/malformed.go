package arrowtest

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// MalformedStrings makes an array of two strings whose offsets, 0, 100, 2, leave its two bytes. The caller releases it.
func MalformedStrings() arrow.Array {
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 100, 2}))
	data := array.NewData(arrow.BinaryTypes.String, 2,
		[]*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
