//go:build cuda

package kernels

import _ "embed"

// Image is the built kernels, a fatbin: machine code for several architectures, and PTX for later ones.
//
//go:embed image/arrowsort.fatbin
var Image []byte
