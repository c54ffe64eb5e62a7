package blame

import (
	"reflect"
	"testing"
)

func TestAnyNumber(t *testing.T) {
	type pair struct{ a, b int }
	seven := 7
	for name, tt := range map[string]struct {
		v    any
		want bool
	}{
		"itself":            {7, true},
		"field":             {pair{0, 7}, true},
		"field of a field":  {struct{ p pair }{pair{7, 0}}, true},
		"element":           {struct{ a [2]int8 }{[2]int8{0, 7}}, true},
		"none":              {pair{1, 2}, false},
		"behind a pointer":  {struct{ p *int }{&seven}, false},
		"past the elements": {[insideElems + 1]int{insideElems: 7}, false},
	} {
		if got := anyNumber(reflect.ValueOf(tt.v), func(n int64) bool { return n == 7 }); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
