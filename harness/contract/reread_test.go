package contract

import (
	"errors"
	"strconv"
	"strings"
)

var rereadPlantings = []Planting{
	{`v0 := planted.NewLid(7); v1, v2 := planted.EncodeLid(v0)`, "inverse-accepts"},
}

var rereadCases = []lawCase{
	{"inverse-accepts", "good", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-accepts", "refused", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT(string) (*p.T, error)", reads), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-accepts", "refused as a line", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT([]string) (*p.T, error)", reads), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-accepts", "not written", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", errors.New("no")} }, "DecodeT(string) (*p.T, error)", reads), "NewPot(); Grow(v0, 3); Encode(v0)", true},
}

// reads makes a pot of text or of lines.
func reads(a []any) any {
	text, _ := a[0].(string)
	if lines, is := a[0].([]string); is {
		text = strings.Join(lines, "")
	}
	n, err := strconv.Atoi(text)
	return many{&pot{n: n}, err}
}
