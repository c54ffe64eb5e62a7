package contract

import (
	"errors"
	"strconv"
)

var decodedPlantings = []Planting{
	{`v0 := planted.NewNotice(); v1 := planted.Bytes(2); v2, v3 := v0.Unmarshal(v1)`, "decode-encode"},
}

// packed are methods that read a pot from bytes and write it as text.
func packed(unpack func(p *pot, data string) error, pack func(p *pot) string) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return &pot{} },
		"(*T).Unpack([]byte) error", func(a []any) any { return many{unpack(po(a), string(a[1].([]byte)))} },
		"(*T).Pack() []byte", func(a []any) any { return []byte(pack(po(a))) })
}

var (
	unpackAll  = func(p *pot, data string) error { p.text = []byte(data); return nil }
	unpackSize = func(p *pot, data string) error { p.n = len(data); return nil }
	packAll    = func(p *pot) string { return string(p.text) }
	packSize   = func(p *pot) string { return strconv.Itoa(p.n) }
)

// unpackOnly reads one text.
func unpackOnly(text string, unpack func(p *pot, data string) error) func(p *pot, data string) error {
	return func(p *pot, data string) error {
		if data != text {
			return errors.New("no")
		}
		return unpack(p, data)
	}
}

var decodedCases = []lawCase{
	decodedCase("good", packed(unpackAll, packAll), true),
	decodedCase("less, once", packed(func(p *pot, data string) error { return unpackAll(p, data[:1]) }, packAll), true),
	decodedCase("another value", packed(unpackSize, func(p *pot) string { return "a" + packAll(p) + packSize(p) }), false),
	decodedCase("refused", packed(unpackOnly("abc", unpackSize), packSize), false),
	decodedCase("refused as it is", packed(unpackOnly("", unpackSize), packSize), true),
	decodedCase("refused of data that say nothing", packed(unpackOnly("abc", func(*pot, string) error { return nil }), packSize), true),
	decodedCase("in an order of chance", packed(unpackSize, func(p *pot) string { p.n++; return packSize(p) }), true),
}

func decodedCase(name string, bad map[string]func([]any) any, holds bool) lawCase {
	return lawCase{"decode-encode", name, "NewPot Bytes", bad, `NewPot(); Bytes("abc"); Unpack(v0, v1)`, holds}
}
