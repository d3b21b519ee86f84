package nearest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHint(t *testing.T) {
	names := []string{"origin", "date", "", "Delay"}
	for typed, want := range map[string]string{
		"orign": `; did you mean "origin"?`, "delay": `; did you mean "Delay"?`, "dtae": `; did you mean "date"?`,
		"weight": `; there are "origin", "date", "", "Delay"`, "": `; there are "origin", "date", "", "Delay"`,
	} {
		require.Equal(t, want, Hint(names, typed), typed)
	}
	require.Equal(t, `; there is "origin" only`, Hint(names[:1], "weight"))
	require.Empty(t, Hint(nil, "weight"))
	many := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2"}
	require.Equal(t, `; there are "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", and others`,
		Hint(many, "weight"))
}
