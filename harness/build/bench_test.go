package build_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// BenchmarkBuild builds workers of tables of a few sizes. Only the table is
// new; the rest comes from the go command's cache.
func BenchmarkBuild(b *testing.B) {
	l, err := build.List(context.Background(), build.Query{Patterns: []string{"container/list"}})
	if err != nil || len(l.Targets) != 1 {
		b.Fatal(err)
	}
	for _, n := range []int{30, 300, 3000} {
		b.Run(fmt.Sprintf("ops=%d", n), func(b *testing.B) {
			for b.Loop() {
				a := listAPI()
				a.Decls = []seq.Decl{{Name: "forayFresh", Text: fmt.Sprintf("const forayFresh = %q", os.Args[0]+fmt.Sprint(b.N, b.Elapsed()))}}
				for len(a.Ops) < n {
					a.op(seq.Method, "$0.InsertBefore($1, $2)", "*list.List; any; *list.Element", "*list.Element")
				}
				if _, err := build.Build(context.Background(), config(*l.Targets[0], a)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHit is a start with nothing changed: List, Stamp and Lookup.
func BenchmarkHit(b *testing.B) {
	q := build.Query{Patterns: []string{"container/list"}}
	l, err := build.List(context.Background(), q)
	if err != nil || len(l.Targets) != 1 {
		b.Fatal(err)
	}
	c := config(*l.Targets[0], listAPI())
	c.Stamp = c.Target.Stamp()
	if _, err := build.Build(context.Background(), c); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l, err := build.List(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, ok := build.Lookup(cache, l.Targets[0].Stamp()); !ok {
			b.Fatal("no worker")
		}
	}
}
