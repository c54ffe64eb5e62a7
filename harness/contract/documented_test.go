package contract

import (
	"slices"
	"strings"
	"testing"
)

// Of operations without documentation the sentence of a law or contract is told alone.
func TestUndocumented(t *testing.T) {
	for _, test := range lawCases {
		b, _ := lawTable(t, test.ops, test.bad)
		for i := range b.Table.Ops {
			b.Table.Ops[i].Doc = ""
		}
		for _, l := range Laws(&b.Table) {
			if strings.HasSuffix(l.Doc, " ") {
				t.Errorf("law %s: %q", l.Name, l.Doc)
			}
		}
		for _, c := range Bind(&b.Table) {
			if strings.HasSuffix(c.Doc, " ") {
				t.Errorf("contract %s: %q", c.Name, c.Doc)
			}
		}
	}
}

// A method that is documented not to implement an interface keeps no promise of it.
func TestDenied(t *testing.T) {
	for doc, want := range map[string]bool{
		"": true,
		"ReadByte is as io.ByteReader says. It does not skip anything.":                               true,
		"ReadByte does not return an error. It implements io.ByteReader.":                             true,
		"ReadByte is analogous to ReadUint8. NOTE: this is *not* an implementation of io.ByteReader.": false,
		"ReadByte does not implement io.ByteReader.":                                                  false,
		"ReadByte does not implement io.Reader.":                                                      true,
	} {
		b, _ := lawTable(t, "", with(reader(text3), readByte(1)))
		b.Table.Ops[b.Find("ReadByte")].Doc = doc
		if got := slices.ContainsFunc(Laws(&b.Table), func(l Law) bool { return l.Name == "read-byte" }); got != want {
			t.Errorf("%q: law %t, want %t", doc, got, want)
		}
	}
}
