package contract

import (
	"errors"
	"slices"
)

var streamsPlantings = []Planting{
	{`v0 := planted.NewPipe(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1); v4, v5 := v0.Write(v1)`, "io-count"},
	{`v0 := planted.NewDirty(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1)`, "io-count"},
	{`v0 := planted.NewShort(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1)`, "io-count"},
	{`v0 := planted.NewShort(); v1, v2 := v0.Seek(3, 0)`, "io-count"},
	{`v0 := planted.NewHeld(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1)`, "write-copies"},
	{`v0 := planted.NewText("abc"); v1, v2 := v0.ReadByte(); v3, v4 := v0.ReadByte()`, "unread-read"},
	{`v0 := planted.NewRover("abc"); v1, v2, v3 := v0.ReadRune(); v4, v5, v6 := v0.ReadRune()`, "unread-read"},
}

var streamsCases = []lawCase{
	{"io-count", "good", "NewPot Bytes Write", nil, `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"io-count", "short and silent", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{1, nil} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"io-count", "short with an error", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{1, errors.New("short")} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"io-count", "too many", "NewPot Bytes", ops("(*T).Read([]byte) (int, error)", func(a []any) any { return many{3, nil} }), `NewPot(); Bytes("ab"); Read(v0, v1)`, false},
	{"io-count", "short read", "NewPot Bytes Read", nil, `NewPot(); Bytes("ab"); Read(v0, v1)`, true},
	{"io-count", "writes into what it writes", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0] = 0; return many{2, nil} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"io-count", "writes into its own buffer", "NewPot", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0]++; return many{2, nil} },
		"(*T).Room() []byte", func(a []any) any { return []byte("ab") }), "NewPot(); Room(v0); Write(v0, v1)", true},
	{"io-count", "writes into the buffer of another, which was called since", "NewPot Push", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0]++; return many{2, nil} },
		"(*T).Room() []byte", func(a []any) any { return []byte("ab") }), "NewPot(); NewPot(); Room(v1); Push(v1, 1); Write(v0, v2)", true},
	{"io-count", "writes into the buffer of another", "NewPot", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0]++; return many{2, nil} },
		"(*T).Room() []byte", func(a []any) any { return []byte("ab") }), "NewPot(); NewPot(); Room(v1); Write(v0, v2)", false},
	{"io-count", "before the start", "NewPot", ops("(*T).Seek(int64, int) (int64, error)", func(a []any) any { return many{int64(-1), nil} }), `NewPot(); Seek(v0, 1, 1)`, false},
	{"unread-read", "good", "NewPot ReadByte UnreadByte", nil, "NewPot(); ReadByte(v0)", true},
	{"unread-read", "does not go back", "NewPot ReadByte", ops("(*T).UnreadByte() error", func([]any) any { return many{nil} }), "NewPot(); ReadByte(v0)", false},
	{"unread-read", "refuses", "NewPot ReadByte", ops("(*T).UnreadByte() error", func([]any) any { return many{errors.New("no")} }), "NewPot(); ReadByte(v0)", true},
	{"write-copies", "good", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { po(a).text = slices.Clone(a[1].([]byte)); return many{2, nil} },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"write-copies", "keeps the buffer", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { po(a).text = a[1].([]byte); return many{2, nil} },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"write-copies", "keeps the buffer, which a function took before", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { po(a).text = a[1].([]byte); return many{2, nil} },
		"Pool([]byte)", func([]any) any { return many{} }, "(*T).String() string", func(a []any) any { return string(po(a).text) }), `NewPot(); Bytes("ab"); Pool(v1); Write(v0, v1)`, true},
	{"write-copies", "its own bytes, by way of another call", "NewPot", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{2, nil} },
		"(*T).Raw() []byte", func(a []any) any { po(a).text = []byte("ab"); return po(a).text }, "Trim([]byte) []byte", func(a []any) any { return a[0] },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), "NewPot(); Raw(v0); Trim(v1); Write(v0, v2)", true},
}
