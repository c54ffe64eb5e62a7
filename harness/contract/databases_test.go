package contract

import (
	"bytes"
	"errors"
	"fmt"
)

var databasesPlantings = []Planting{
	{`v0 := planted.NewRow(3); v1, v2 := v0.Value()`, "scan-value"},
	{`v0 := planted.NewFolder(3); v1, v2 := v0.Value()`, "scan-value"},
	{`v0 := planted.NewBlob(3); v1, v2 := v0.Value()`, "scan-copies"},
	{`v0 := planted.NewLevel(); v1 := v0.Set("a")`, "flag-zero"},
}

var databasesCases = []lawCase{
	{"scan-value", "good", "", row(asBytes, fromBytes), "NewRow(7); Value(v0)", true},
	{"scan-value", "cannot read", "", row(asBytes, func(*pot, any) error { return errors.New("no") }), "NewRow(7); Value(v0)", false},
	{"scan-value", "reads another", "", row(asBytes, func(p *pot, _ any) error { p.text = []byte{1}; return nil }), "NewRow(7); Value(v0)", false},
	{"scan-value", "text that is mended", "", row(func(p *pot) any { return bytes.ToValidUTF8(p.text, []byte("?")) }, fromMended), "NewRow(200); Value(v0)", true},
	{"scan-value", "text that is well", "", row(func(p *pot) any { return bytes.ToValidUTF8(p.text, []byte("?")) }, fromMended), "NewRow(65); Value(v0)", false},
	{"scan-value", "null", "", row(func(*pot) any { return nil }, func(*pot, any) error { return errors.New("no") }), "NewRow(7); Value(v0)", true},
	{"scan-value", "by chance", "", row(func(p *pot) any { p.n++; return []byte{byte(p.n)} }, func(p *pot, _ any) error { p.n = 5; return nil }), "NewRow(7); Value(v0)", true},
	{"scan-copies", "good", "", row(asBytes, fromBytes), "NewRow(7); Value(v0)", true},
	{"scan-copies", "keeps", "", row(asBytes, func(p *pot, v any) error { p.text = v.([]byte); return nil }), "NewRow(7); Value(v0)", false},
	{"flag-zero", "good", "NewPot", flagValue(func(p *pot) any { return "" }), `NewPot(); Set(v0, "a")`, true},
	{"flag-zero", "panics", "NewPot", flagValue(func(p *pot) any { return fmt.Sprint(p.keys[0]) }), `NewPot(); Set(v0, "a")`, false},
	{"flag-zero", "not called", "NewPot", flagValue(func(*pot) any { panic(ErrRefused) }), `NewPot(); Set(v0, "a")`, true},
}

// row is a type with the methods of package database/sql: value is the value
// written, scan reads one.
func row(value func(p *pot) any, scan func(p *pot, v any) error) map[string]func([]any) any {
	return ops("zero() *p.Row", func([]any) any { return &pot{} }, "NewRow(int) *p.Row", func(a []any) any { return &pot{text: []byte{byte(at(a, 0))}} },
		"(*Row).Value() (driver.Value, error)", func(a []any) any { return many{value(po(a)), nil} },
		"(*Row).Scan(any) error", func(a []any) any { return many{scan(po(a), a[1])} })
}

func asBytes(p *pot) any { return bytes.Clone(p.text) }

func fromBytes(p *pot, v any) error { p.text = bytes.Clone(v.([]byte)); return nil }

// fromMended reads a text as another one.
func fromMended(p *pot, v any) error {
	p.text = append(bytes.Clone(v.([]byte)), '!')
	return nil
}

func flagValue(str func(p *pot) any) map[string]func([]any) any {
	return ops("(*T).Set(string) error", func([]any) any { return many{nil} }, "(*T).String() string", func(a []any) any { return str(po(a)) })
}
