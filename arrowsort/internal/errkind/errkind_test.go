package errkind

import (
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

func TestWordsKeepTheKind(t *testing.T) {
	require.ErrorIs(t, ErrLimit, engine.ErrMemory)
	require.ErrorIs(t, ErrBudget, ErrMemory)
	require.NotErrorIs(t, ErrBudget, ErrLimit, "they are told apart")

	err := fmt.Errorf("%w: Threads is -1", Reword(ErrOption, "beamsort: invalid option"))
	require.EqualError(t, err, "beamsort: invalid option: Threads is -1")
	require.ErrorIs(t, err, ErrOption)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.NotErrorIs(t, err, ErrSchema)
}

func TestFileErrorIsOneLine(t *testing.T) {
	err := &FileError{Path: "a.arrow", Err: fmt.Errorf("%w:\n runtime error: index", ErrCorrupt)}
	require.EqualError(t, err, "a.arrow: corrupted file: index")
	require.ErrorIs(t, err, ErrCorrupt)
}

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
