package errkind

import (
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
