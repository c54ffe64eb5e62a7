package contract

import (
	"errors"
	"strconv"
	"strings"
)

var rereadPlantings = []Planting{
	{`v0 := planted.NewTray(7); v1, v2 := planted.Encode(v0)`, "inverse-text"},
	{`v0 := planted.NewLid(7); v1, v2 := planted.EncodeLid(v0)`, "inverse-accepts"},
	{`v0 := planted.NewRack(7); v1 := v0.Pack("a")`, "inverse-text"},
}

var rereadCases = []lawCase{
	{"inverse-text", "of an object", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-text", "half of an object", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-text", "of lines", "NewPot Grow", ops("(*T).Pack(int) string", func(a []any) any { return strconv.Itoa(po(a).n) }, "UnpackT([]string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Pack(v0, 1)", false},
	{"inverse-text", "refused", "NewPot Grow", ops("Encode(*p.T) string", func(a []any) any { return "pot" }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-text", "refused, of which another law tells", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-text", "another each time", "NewPot Grow", ops("Encode(*p.T) string", func(a []any) any { po(a).n++; return strconv.Itoa(po(a).n) }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-accepts", "good", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-accepts", "refused", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-accepts", "not written", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", errors.New("no")} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
}

// reads returns an operation that makes a pot of text, with a part of its number.
func reads(part int) func([]any) any {
	return func(a []any) any {
		text, _ := a[0].(string)
		if lines, is := a[0].([]string); is {
			text = strings.Join(lines, "")
		}
		n, err := strconv.Atoi(text)
		return many{&pot{n: n / part}, err}
	}
}
