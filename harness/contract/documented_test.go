package contract

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Of operations without documentation the sentence of a law or contract is told alone.
func TestUndocumented(t *testing.T) {
	for _, test := range slices.Concat(lawCases, interfaceCases, decodedCases, writtenCases) {
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
		"ReadByte doesn't satisfy the contract of io.ByteReader.":                                     false,
		"ReadByte does not implement io.Reader.":                                                      true,
	} {
		b, _ := lawTable(t, "", with(reader(text3), readByte(1)))
		b.Table.Ops[b.Find("ReadByte")].Doc = doc
		if got := slices.ContainsFunc(Laws(&b.Table), func(l Law) bool { return l.Name == "read-byte" }); got != want {
			t.Errorf("%q: law %t, want %t", doc, got, want)
		}
	}
}

// What an empty key means, and what a key is, is for the documentation to say.
func TestPutGetDocumentedKeys(t *testing.T) {
	b, f := lawTable(t, "NewPot", ops("(*T).Put(string, int)", func([]any) any { return many{} }, "(*T).Get(string) (int, bool)", func([]any) any { return many{7, true} }))
	get := &b.Table.Ops[b.Find("Get")]
	for _, test := range []struct {
		doc, key string
		broken   bool
	}{
		{"Get returns the value at key.", "", true},
		{"Get returns the value at key. If key is of length zero, it is 7.", "", false},
		{"Get returns the value at key. If key is of length zero, it is 7.", "a", true},
	} {
		get.Doc = test.doc
		v, held := uphold(b, f, boxed(b, `NewPot(); Put(v0, "`+test.key+`", 2)`), "put-get")
		if !held || (v != nil) != test.broken {
			t.Errorf("%q, key %q: held %v, verdict %+v, want broken: %v", test.doc, test.key, held, v, test.broken)
		}
	}
	get.Doc = "Get returns the value at key."
	put := &b.Table.Ops[b.Find("Put")]
	put.Doc = "An empty key is ignored."
	if v, held := uphold(b, f, boxed(b, `NewPot(); Put(v0, "", 2)`), "put-get"); !held || v != nil {
		t.Errorf("an empty key that is ignored: held %v, verdict %+v", held, v)
	}
}

// Text is promised to be parsed again if one documentation names the other function.
func TestParsingPromised(t *testing.T) {
	for doc, want := range map[string]engine.Claim{
		"String parses t into a text for people.":                                engine.ClaimName,
		"String returns the text that ParseT reads.":                             engine.ClaimPromise,
		"String is for ParseTree.":                                               engine.ClaimName,
		"String returns a text, which ParseT need not read. It ends with a dot.": engine.ClaimName,
		"String returns the text that ParseT reads, if the pot is full.":         engine.ClaimName,
	} {
		b, f := lawTable(t, "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }))
		b.Table.Ops[b.Find("String")].Doc = doc
		b.Table.Ops[b.Find("ParseT")].Doc = "ParseT returns a T."
		v, _ := uphold(b, f, boxed(b, `ParseT("7")`), "parse-string")
		if v == nil || v.Claim != want {
			t.Errorf("%s: verdict %+v, want claim %v", doc, v, want)
		}
	}
}

// TestQuote: a finding quotes the first sentences of a long documentation, and the one that decides.
func TestQuote(t *testing.T) {
	first := "Keys lists the keys. "
	many := strings.Repeat("It takes care of this and of that, too. ", 40)
	head := first + many[:(maxQuote-len(first))/40*40-1]
	for _, tt := range []struct{ name, doc, want string }{
		{"short", first + "It returns a copy.", first + "It returns a copy"},
		{"the end decides", first + many + "It returns a copy. It sorts.", head + " … It returns a copy"},
		{"the beginning decides", "It returns a copy. " + many + "It returns a copy, too.", "It returns a copy. " + many[:(maxQuote-19)/40*40-1] + " …"},
		{"one sentence", strings.Repeat("very ", 200) + "long.", strings.Repeat("very ", maxQuote/5-1) + "very …"},
	} {
		o := operation{Operation: &seq.Operation{Short: "Keys", Declaration: seq.Declaration{Doc: tt.doc}}}
		if got := o.quote(copyPhrases...); got != `Keys: "`+tt.want+`"` {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
