package contract

import "errors"

var hashingPlantings = []Planting{
	{`v0 := planted.NewHashed(1, 2); v1 := planted.NewHashed(1, 3)`, "equal-hash"},
	{`v0 := planted.NewUnstable(1)`, "hash-stable"},
	{`v0 := planted.NewPicky(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1)`, "hash-write"},
	{`v0 := planted.NewSum(); v1 := planted.Bytes(2); v2, v3 := v0.Write(v1)`, "hash-split"},
	{`v0 := planted.NewSum()`, "hash-reset"},
	{`v0 := planted.NewHash(); v1 := planted.Room(4); v2 := v0.Sum(v1)`, "hash-sum"},
	{`v0 := planted.NewLong(); v1 := planted.Bytes(2); v2 := v0.Sum(v1)`, "hash-sum"},
}

var hashingContracts = []contractCase{
	{"one hash", "hash-stable", ops("(*T).Hash() uint64", hash(1)), values(th(1)), true},
	{"a hash of chance", "hash-stable", ops("(*T).Hash() uint64", func(a []any) any { a[0].(*thing).n++; return uint64(num(a[0])) }), values(th(1)), false},
	{"equal hashes", "equal-hash", ops("(*T).Hash() uint64", hash(1), "(*T).Equal(*p.T) bool", equalFake), values(th(1), th(1)), true},
	{"hash of too much", "equal-hash", ops("(*T).Hash() uint64", hash(1), "(*T).Equal(*p.T) bool", bools(func(x, y int) bool { return true })), values(th(1), th(2)), false},
	{"different values may have different hashes", "equal-hash", ops("(*T).Hash() uint64", hash(1), "(*T).Equal(*p.T) bool", equalFake), values(th(1), th(2)), true},
}

var hashingCases = []lawCase{
	{"hash-split", "good", "", hashOf(0, 0), `NewHash(); Bytes("ab"); Write(v0, v1)`, true},
	{"hash-split", "counts writes", "", hashOf(1, 0), `NewHash(); Bytes("ab"); Write(v0, v1)`, false},
	{"hash-split", "nothing written", "", hashOf(1, 0), `NewHash(); Bytes(""); Write(v0, v1)`, true},
	{"hash-reset", "good", "", hashOf(0, 0), `NewHash()`, true},
	{"hash-reset", "another state", "", hashOf(0, 1), `NewHash()`, false},
	{"hash-reset", "around one that was written to", "", with(hashOf(0, 0), ops("Around(*p.H) *p.H", func(a []any) any { return a[0] })), `NewHash(); Bytes("ab"); Write(v0, v1); Around(v0)`, true},
	{"hash-reset", "around one, to another state", "", with(hashOf(0, 1), ops("Around(*p.H) *p.H", func(a []any) any { return a[0] })), `NewHash(); Around(v0)`, false},
	{"hash-sum", "good", "NewPot Bytes Sum Size BlockSize", nil, `NewPot(); Bytes("ab"); Sum(v0, v1)`, true},
	{"hash-sum", "changes state", "NewPot Bytes Size BlockSize", ops("(*T).Sum([]byte) []byte", func(a []any) any { po(a).n++; return append(a[1].([]byte), byte(po(a).n)) }), `NewPot(); Bytes("ab"); Sum(v0, v1)`, false},
	{"hash-sum", "another size", "NewPot Bytes Sum BlockSize", ops("(*T).Size() int", func([]any) any { return 2 }), `NewPot(); Bytes("ab"); Sum(v0, v1)`, false},
	{"hash-write", "good", "NewPot Bytes Write Sum BlockSize", nil, `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"hash-write", "fails", "NewPot Bytes Sum BlockSize", ops("(*T).Write([]byte) (int, error)", func([]any) any { return many{0, errors.New("full")} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
}

// hashOf returns the operations of a hash with errors: each write adds perWrite to
// its sum, and a reset leaves perReset.
func hashOf(perWrite, perReset int) map[string]func([]any) any {
	return ops("NewHash() *p.H", func([]any) any { return &pot{} },
		"(*H).Write([]byte) (int, error)", func(a []any) any {
			for _, b := range a[1].([]byte) {
				po(a).n = 31*po(a).n + int(b)
			}
			po(a).n += perWrite
			return many{len(a[1].([]byte)), nil}
		},
		"(*H).Sum([]byte) []byte", func(a []any) any { return append(a[1].([]byte), byte(po(a).n)) },
		"(*H).Reset()", func(a []any) any { po(a).n = perReset; return many{} },
		"(*H).BlockSize() int", func([]any) any { return 4 },
		"Bytes(string) []byte", good["Bytes(string) []byte"])
}
