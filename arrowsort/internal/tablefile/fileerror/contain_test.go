package tablefile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainTurnsPanicsIntoErrors(t *testing.T) {
	own := errors.New("own")
	require.NoError(t, contain(func() error { return nil }))
	require.Equal(t, own, contain(func() error { return own }))
	require.ErrorIs(t, contain(func() error { panic(own) }), own)
	require.ErrorIs(t, contain(func() error { panic("text") }), ErrCorrupt)
	var empty []int
	require.ErrorIs(t, contain(func() error { return errors.New(string(rune(empty[3]))) }), ErrCorrupt)
}
