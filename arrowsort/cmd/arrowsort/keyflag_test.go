package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysThatNameNoColumnAreUsageErrors(t *testing.T) {
	for _, text := range []string{"", ":asc", "#0"} {
		_, err := parseKey(text, 2)
		require.ErrorAs(t, err, new(usageError), text)
	}
}
