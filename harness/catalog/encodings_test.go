package catalog

import (
	"slices"
	"testing"

	"foray.test/engine/seq"
)

// TestEncodings shows the JSON of types with their own encoding, by methods of the
// values or only of pointers, and of no other types.
func TestEncodings(t *testing.T) {
	const text = `package enc

import "sync"

type ByPointer struct{ n int }
func NewByPointer() *ByPointer { return nil }
func (p *ByPointer) MarshalJSON() ([]byte, error) { return nil, nil }

type ByValue [2]byte
func NewByValue() ByValue { return ByValue{} }
func (v ByValue) MarshalText() (text []byte, err error) { return nil, nil }

type Plain struct{ N int }
func NewPlain() *Plain { return nil }

type Other struct{ n int }
func NewOther() *Other { return nil }
func (o *Other) MarshalJSON(indent int) ([]byte, error) { return nil, nil }

type Locked struct{ mu sync.Mutex }
func NewLocked() *Locked { return nil }
func (l *Locked) MarshalJSON() ([]byte, error) { return nil, nil }
`
	for _, tt := range []struct {
		encodings bool
		want      []string
	}{
		{true, []string{"*enc.ByPointer", "enc.ByValue"}},
		{false, nil},
	} {
		s := checkSource(t, "example.com/enc", text)
		s.Encodings = tt.encodings
		c := find(t, s.Input)
		checkTable(t, &c.Table)
		checkAdapters(t, s, c)
		var got []string
		for i := range c.Table.Ops {
			if op := &c.Table.Ops[i]; op.Short == "json.Marshal" {
				got = append(got, c.Table.Types[op.Params[0]].Name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("encodings %v: of %v, want %v", tt.encodings, got, tt.want)
		}
		if has := slices.ContainsFunc(c.Table.Imports, func(im seq.Import) bool { return im.Path == "encoding/json" }); has != tt.encodings {
			t.Errorf("encodings %v: encoding/json is imported: %v", tt.encodings, has)
		}
	}
}
