package errkind

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainTurnsPanicsIntoErrors(t *testing.T) {
	own := errors.New("own")
	require.NoError(t, Contain(func() error { return nil }))
	require.Equal(t, own, Contain(func() error { return own }))
	require.ErrorIs(t, Contain(func() error { panic(own) }), own)
	require.ErrorIs(t, Contain(func() error { panic("text") }), ErrCorrupt)
	var empty []int
	err := Contain(func() error { return errors.New(string(rune(empty[3]))) })
	require.ErrorIs(t, err, ErrCorrupt)
	require.NotContains(t, err.Error(), "runtime error", "it is the file that is wrong")
}

func TestContainWritingBlamesNoFile(t *testing.T) {
	own := errors.New("own")
	require.NoError(t, ContainWriting(func() error { return nil }))
	require.Equal(t, own, ContainWriting(func() error { return own }))
	require.Equal(t, own, ContainWriting(func() error { panic(own) }))
	require.EqualError(t, ContainWriting(func() error { panic("text") }), "text")
	var empty []int
	err := ContainWriting(func() error { return errors.New(string(rune(empty[3]))) })
	require.NotErrorIs(t, err, ErrCorrupt)
	require.NotContains(t, err.Error(), "runtime error")
}
