package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCSVKeepsItsText(t *testing.T) {
	const in = `price,day,yes,at,name,n
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
,2024-01-02,,,,7
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
`
	for keys, want := range map[string]string{
		"price": `price,day,yes,at,name,n
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
,2024-01-02,,,,7
`,
		"#3:desc price:desc": `price,day,yes,at,name,n
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
,2024-01-02,,,,7
`,
		"n:nulls-first": `price,day,yes,at,name,n
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
,2024-01-02,,,,7
`,
	} {
		args := []string{"sort", "-q", "--output-format", "csv", "-o", "-", file(t, "x.csv", in)}
		for _, k := range strings.Fields(keys) {
			args = append(args, "-k", k)
		}
		require.Equal(t, result{out: want}, cli(t, nil, args...), keys)
	}
}

func TestCSVKeepsItsRows(t *testing.T) {
	for in, want := range map[string]string{
		"k,t\r\n2,\"x\r\ny\"\r\n1,\"a\rb\"\r\n":             "k,t\n1,\"a\rb\"\n2,\"x\r\ny\"\n",
		"k,t\r2,x\r1,y\r":                                   "k,t\n1,y\n2,x\n",
		"k\n2\n\n1\n":                                       "k\n1\n2\n\"\"\n",
		"k\n18446744073709551615\n9223372036854775808\n3\n": "k\n3\n9223372036854775808\n18446744073709551615\n",
	} {
		args := []string{"sort", "-q", "-k", "k", "--output-format", "csv", "-o", "-", file(t, "x.csv", in)}
		require.Equal(t, result{out: want}, cli(t, nil, args...), in)
	}
}
