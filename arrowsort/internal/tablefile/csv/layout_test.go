package csv

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLayouts(t *testing.T) {
	for _, c := range []struct{ layout, text, want string }{
		{"%b %d %Y", "Apr 1 2000", "2000-04-01T00:00:00Z"},
		{"%b %d %Y", "apr  01 2000", "2000-04-01T00:00:00Z"},
		{"%B %e, %Y", "September 30, 1999", "1999-09-30T00:00:00Z"},
		{"%d.%m.%y", "1.2.69", "1969-02-01T00:00:00Z"},
		{"%D", "02/01/68", "2068-02-01T00:00:00Z"},
		{"%F", "2024-02-29", "2024-02-29T00:00:00Z"},
		{"%a, %d %b %Y %T GMT", "Thu, 26 Nov 2026 16:20:18 GMT", "2026-11-26T16:20:18Z"},
		{"%d/%b/%Y:%T %z", "26/Nov/2026:16:20:18 -0330", "2026-11-26T19:50:18Z"},
		{"%m/%d/%Y %I:%M %p", "1/2/2026 12:05 am", "2026-01-02T00:05:00Z"},
		{"%m/%d/%Y %I:%M %p", "1/2/2026 12:05 PM", "2026-01-02T12:05:00Z"},
		{"%FT%T.%f%z", "2026-01-02T03:04:05.25Z", "2026-01-02T03:04:05.25Z"},
		{"%Y%m%d%%", "20260102%", "2026-01-02T00:00:00Z"},
		{"%Y年%m月%d日", "2026年1月2日", "2026-01-02T00:00:00Z"},
	} {
		l, err := parseLayout(c.layout, true)
		require.NoError(t, err, c.layout)
		at, err := l.parse(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, at.UTC().Format(time.RFC3339Nano), c.text)
	}
	for _, layout := range []string{"", "%Y", "%Y-%m-%d %d", "%Y %m %b %d", "%F %", "%F %j"} {
		_, err := parseLayout(layout, true)
		require.Error(t, err, layout)
	}
}
