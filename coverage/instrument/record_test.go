package instrument_test

import (
	"strings"
	"testing"

	"foray.test/coverage/instrument"
)

func TestRecord(t *testing.T) {
	const src = `package p

import "io"

var Limit, small = 3, 1

type T[K any] struct{ k K }

func (t *T[K]) Get(_ int, ks ...K) (K, error) { return t.k, nil }

func (T[K]) None() {}

func (t T[K]) hidden() {}

func Name(string, int) (a string, _ error) {
	return "", nil
}

func One(foray_call io.Reader) int { return 1 }

//go:nosplit
func Bare() {}
`
	const want = `package p; import foray_record "forayrt/harness/record"

import "io"

var Limit, small = 3, 1

type T[K any] struct{ k K }

func (t *T[K]) Get(foray_call__1 int, ks ...K) (foray_call__2 K, foray_call__3 error) { if foray_call_ := foray_record.Enter(0); foray_call_ != nil { foray_call_.Take(t, foray_call__1, ks); defer func() { foray_call_.Leave(foray_call__2, foray_call__3) }() }; return t.k, nil }

func (foray_call__4 T[K]) None() { if foray_call_ := foray_record.Enter(1); foray_call_ != nil { foray_call_.Take(foray_call__4); defer func() { foray_call_.Leave() }() };}

func (t T[K]) hidden() {}

func Name(foray_call__5 string, foray_call__6 int) (a string, foray_call__7 error) { if foray_call_ := foray_record.Enter(2); foray_call_ != nil { foray_call_.Take(foray_call__5, foray_call__6); defer func() { foray_call_.Leave(a, foray_call__7) }() };
	return "", nil
}

func One(foray_call io.Reader) (foray_call__8 int) { if foray_call_ := foray_record.Enter(3); foray_call_ != nil { foray_call_.Take(foray_call); defer func() { foray_call_.Leave(foray_call__8) }() }; return 1 }

//go:nosplit
func Bare() {}

func init() { foray_record.Variable("Limit", &Limit) }
`
	p := parse(t, "go1.26", src)
	sources, functions := instrument.Record(p, "forayrt/harness/record")
	if got := string(sources[p.Names[0]]); got != want {
		t.Errorf("source:\n%s\nwant:\n%s", got, want)
	}
	var names []string
	for _, f := range functions {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "(*T).Get T.None Name One" {
		t.Errorf("functions %s", got)
	}
}
