package arrow18

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// A foreign type stands for a type of v18 that v15 does not have, so that messages name that type. It is not
// registered.
type foreign struct {
	v15.ExtensionBase
	of arrow.DataType
}

func newForeign(of arrow.DataType, stored v15.DataType) *foreign {
	return &foreign{v15.ExtensionBase{Storage: stored}, of}
}

// foreignArray is exported by its methods only: MakeFromData of v15 makes it by reflection.
type foreignArray struct{ array15.ExtensionArrayBase }

func (a *foreignArray) ValueStr(i int) string { return a.Storage().ValueStr(i) }

func (*foreign) ArrayType() reflect.Type { return reflect.TypeFor[foreignArray]() }

func (t *foreign) ExtensionName() string { return t.of.Name() }

func (t *foreign) String() string { return t.of.String() }

func (*foreign) Serialize() string { return "" }

func (t *foreign) Deserialize(stored v15.DataType, _ string) (v15.ExtensionType, error) {
	return newForeign(t.of, stored), nil
}

func (t *foreign) ExtensionEquals(other v15.ExtensionType) bool {
	o, ok := other.(*foreign)
	return ok && arrow.TypeEqual(t.of, o.of)
}
