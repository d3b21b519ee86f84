package cpu
import ("testing";"fmt";"slices")
func TestZZ(t *testing.T) { var ps, ls []float64; for range 40 { l,p := timeScatters(); ps=append(ps,float64(p)/scatteredRows); ls=append(ls,float64(l)/scatteredRows) }; slices.Sort(ps); slices.Sort(ls); fmt.Printf("lines %.1f\nlines: plain %.1f\n", ls, ps) }
