package writer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextsAreNumbered(t *testing.T) {
	table := new(textTable)
	rows := []string{"b", "", "a", "b", "not there", "a", ""}
	at := func(row int) []byte { return []byte(rows[row]) }
	v := &flatValues{rows: len(rows), validity: []byte{0b1101111}, nulls: 1}
	for range 2 { // the table is used again
		numbers := make([]int32, len(rows))
		require.Equal(t, []int32{0, 1, 2}, table.number(at, v, numbers, 3))
		require.Equal(t, []int32{0, 1, 2, 0}, numbers[:4])
		require.Equal(t, []int32{2, 1}, numbers[5:])
		require.Nil(t, table.number(at, v, numbers, 2))
		require.NotNil(t, table.number(at, v, nil, 2))
	}
	long := func(row int) []byte { return fmt.Appendf(nil, "%d%s", row, strings.Repeat("x", 1000)) }
	all := &flatValues{rows: 2000}
	require.Nil(t, table.number(long, all, make([]int32, 2000), 2000), "the dictionary passes its bytes")
	require.Len(t, table.number(long, all, make([]int32, 1000), 2000), 1000)
}
