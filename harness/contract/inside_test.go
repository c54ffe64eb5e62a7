package contract

import (
	"reflect"
	"testing"
)

func TestInside(t *testing.T) {
	type box struct {
		n   int
		any any
		p   *int
	}
	seven := 7
	is7 := func(v reflect.Value) bool { return v.CanInt() && v.Int() == 7 }
	for name, tt := range map[string]struct {
		v    any
		want bool
	}{
		"field":             {box{n: 7}, true},
		"interface":         {box{any: 7}, true},
		"pointer":           {box{p: &seven}, true},
		"element":           {[]box{{}, {n: 7}}, true},
		"none":              {box{n: 8}, false},
		"nil":               {nil, false},
		"past the elements": {append(make([]int, insideElems), 7), false},
		"too deep":          {box{any: box{any: box{any: box{n: 7}}}}, false},
	} {
		if got := inside(reflect.ValueOf(tt.v), is7); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
