package blame

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// A panic breaks a promise if the documentation says, without a condition, that the call has none.
func TestDeniesPanics(t *testing.T) {
	for doc, promised := range map[string]bool{
		"Pick picks. It never panics.":                                        true,
		"Pick picks, and never panics: if i is no index, it returns zero.":    true,
		"Pick does not panic.":                                                true,
		"Pick will not panic on negative i.":                                  false,
		"Pick picks. It does not panic when xs is empty.":                     false,
		"Pick picks. If xs is empty, it does not panic.":                      false,
		"Pick picks. Unlike At, it doesn't panic if i is no index, but fail.": false,
		"Pick picks. The function f must not panic.":                          false,
		"Pick picks.": false,
	} {
		b := seqtest.NewBuilder()
		b.Add(seq.Func, "Pick(int) int", func(op *seq.Operation) { op.Doc = doc })
		v := Panic(facts(b, "Pick(9)", nil, index9of9, "Pick"))
		if got := v.Tier == engine.Error && v.Claim == engine.ClaimPromise && strings.Contains(v.Reason, "panic"); got != promised {
			t.Errorf("%q: tier %v, claim %s, reason %q; want a promise: %v", doc, v.Tier, v.Claim, v.Reason, promised)
		}
	}
}

// A call that fails of the type of a value breaks a promise if its documentation speaks of an error
// for such values, or that of package database/sql does.
func TestPromisedTypeErrors(t *testing.T) {
	b, rows := seqtest.NewBuilder(), seqtest.NewBuilder()
	add := func(sig, doc string) { b.Add(seq.Method, sig, func(op *seq.Operation) { op.Doc = doc }) }
	b.Add(seq.Func, "New(int) *p.T")
	b.Add(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
	add("(*T).Put(any) error", "Put puts x into t. An error is returned if its value cannot be\nstored, or an unsupported type is encountered. It is fast.")
	add("(*T).Each(any) error", "Each returns an error if fn is not a pointer.")
	add("(*T).Load(any) error", "Load returns an error of type *ParseError if the text is malformed.")
	add("(*T).Run(any) error", "Run calls fn. It returns the error of the function.")
	add("(*T).Keep(any) error", "Keep keeps x. Its type must not be an interface.")
	add("(*T).Walk(any) error", "Walk calls f with x. If f returns a non-nil error, Walk returns the error, not what the function that is last says.")
	add("(*T).Told(any)", "Told tells of an error if x has an unsupported type.")
	b.Add(seq.Func, "NewCell(int) *p.Cell")
	add("(*Cell).Scan(any) error", "")
	add("(*Cell).Value() (driver.Value, error)", "")
	rows.Add(seq.Func, "Query(int) *p.Rows")
	rows.Add(seq.Method, "(*Rows).Scan(any) error")
	reflects := "/reflect.Value.Set < "
	for _, tt := range []struct {
		name, steps string
		value       any
		stack       string
		want        engine.Tier
		reason      string // a part of it
	}{
		{"a type that is documented to be refused", "New(1); Put(v0, 1)", "reflect.Set: value of type int is not assignable to type string", reflects + "(*T).Put", engine.Error, "An error is returned if its value cannot be stored, or an unsupported type is encountered."},
		{"an assertion", "New(1); Put(v0, \"x\")", asserted, "(*T).Put", engine.Error, "unsupported type"},
		{"nil is not a pointer", "New(1); Each(v0, nil)", nilText, "(*T).Each", engine.Error, "not a pointer"},
		{"nil dereferenced without a nil", "New(1); Each(v0, 1)", nilText, "(*T).Each", engine.Panic, ""},
		{"a zero receiver", "Zero(); Each(v0, nil)", nilText, "(*T).Each", engine.Suspect, ""},
		{"an index", "New(1); Put(v0, 1)", index9of9, "(*T).Put", engine.Panic, ""},
		{"the type of the error", "New(1); Load(v0, \"x\")", asserted, "(*T).Load", engine.Suspect, ""},
		{"a function without a condition", "New(1); Run(v0, \"x\")", asserted, "(*T).Run", engine.Suspect, ""},
		{"no error for the type", "New(1); Keep(v0, \"x\")", asserted, "(*T).Keep", engine.Suspect, ""},
		{"an error of something else", "New(1); Walk(v0, \"x\")", asserted, "(*T).Walk", engine.Suspect, ""},
		{"no error result", "New(1); Told(v0, \"x\")", asserted, "(*T).Told", engine.Suspect, ""},
		{"a Scanner", "NewCell(1); Scan(v0, \"x\")", asserted, "(*Cell).Scan", engine.Error, "package database/sql"},
		{"a Scanner of NULL", "NewCell(1); Scan(v0, nil)", nilText, "(*Cell).Scan", engine.Error, "package database/sql"},
		{"a Scanner of what no driver gives", "NewCell(1); Scan(v0, 1)", rt("interface conversion: interface {} is int, not string"), "(*Cell).Scan", engine.Suspect, ""},
		{"Scan of another package", "Query(1); Scan(v0, \"x\")", asserted, "(*Rows).Scan", engine.Suspect, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := b
			if strings.HasPrefix(tt.steps, "Query") {
				of = rows
			}
			v := Panic(facts(of, tt.steps, nil, tt.value, tt.stack))
			if v.Tier != tt.want || !strings.Contains(v.Reason, tt.reason) {
				t.Errorf("tier %v, want %v: %s", v.Tier, tt.want, v.Reason)
			}
		})
	}
}
