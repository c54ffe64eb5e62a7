package build_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// cache is shared by the tests of a run, as it is by the runs of a user. downloads is the
// directory of [download].
var cache, downloads string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "foray-build-")
	if err != nil {
		panic(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		panic(err)
	}
	cache, downloads = filepath.Join(dir, "cache"), filepath.Join(dir, "downloads")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// standIn stands in for the harness: it runs the steps that its arguments
// name and prints their results. A step is an operation and its arguments, which
// are slots (v0), literals in JSON, or nil.
var standIn = map[string][]byte{
	"coverage/probe/probe.go": []byte(`// Package probe counts.
package probe

var counts [Size]int

func Hit(i int) bool { counts[i]++; return true }
func Same[T any](v T) T { counts[0]++; return v }
func Total() int { n := 0; for _, c := range counts { n += c }; return n }
`),
	"coverage/probe/size.go": []byte("package probe\n\nconst Size = 1\n"),
	"harness/executor/executor.go": []byte(`// Package executor is a stand-in.
package executor

import "reflect"

type Adapter func(in, out []any)

type Bindings struct {
	Hash  string
	Ops   []Adapter
	Types []reflect.Type
}
`),
	"harness/process/process.go": []byte(`// Package process is a stand-in.
package process

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	probe "foray.test/coverage/probe"
	"foray.test/harness/executor"
)

func Main(b executor.Bindings) {
	var slots []any
	for _, step := range os.Args[1:] {
		f := strings.Fields(step)
		var op, results int
		fmt.Sscanf(f[0], "%d/%d", &op, &results)
		var in []any
		for _, a := range f[1:] {
			var v any
			if a[0] == 'v' {
				var n int
				fmt.Sscan(a[1:], &n)
				v = slots[n]
			} else if err := json.Unmarshal([]byte(a), &v); err != nil {
				panic(err)
			}
			if x, ok := v.(float64); ok {
				v = int(x)
			}
			in = append(in, v)
		}
		out := make([]any, results)
		if b.Ops[op] == nil {
			fmt.Printf("no adapter %d\n", op)
		} else {
			b.Ops[op](in, out)
			fmt.Println(out...)
		}
		slots = append(slots, out...)
	}
	fmt.Println("types", b.Types)
	fmt.Println("hits", probe.Total())
}
`),
}

// api builds tables for tests: types by name, operations as templates.
type api struct {
	seq.Table
	ids map[string]seq.TypeID
}

func newAPI(path, name string, imports ...string) *api {
	a := &api{ids: make(map[string]seq.TypeID)}
	a.Package, a.Name = path, name
	a.Imports = []seq.Import{{Name: name, Path: path}}
	for _, p := range imports {
		a.Imports = append(a.Imports, seq.Import{Name: filepath.Base(p), Path: p})
	}
	a.Types = make([]seq.Type, 1)
	return a
}

// typ returns the type of that name. A name that starts with a tilde is hidden,
// one with a question mark is an interface.
func (a *api) typ(name string) seq.TypeID {
	if id := a.ids[name]; id != 0 {
		return id
	}
	t := seq.Type{Name: strings.TrimLeft(name, "~?")}
	t.Hidden = strings.HasPrefix(name, "~")
	t.Interface = strings.HasPrefix(name, "?") || name == "any" || name == "error"
	t.Nilable = t.Interface || strings.HasPrefix(t.Name, "*") || strings.HasPrefix(t.Name, "[]")
	id := seq.TypeID(len(a.Types))
	t.Assignable = []seq.TypeID{id}
	a.Types = append(a.Types, t)
	a.ids[name] = id
	return id
}

// op adds an operation; types are names separated by semicolons. A template with
// $* is variadic.
func (a *api) op(kind seq.Kind, template, params, results string) *seq.Operation {
	op := seq.Operation{Name: template, Short: template, Kind: kind, Template: template, Variadic: strings.Contains(template, "$*")}
	list := func(s string) (ids []seq.TypeID) {
		for name := range strings.SplitSeq(s, ";") {
			if name = strings.TrimSpace(name); name != "" {
				ids = append(ids, a.typ(name))
			}
		}
		return ids
	}
	op.Params, op.Results = list(params), list(results)
	a.Ops = append(a.Ops, op)
	return &a.Ops[len(a.Ops)-1]
}

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unchanged fails the test if names or contents of files below dir differ at its end.
func unchanged(t *testing.T, dir string) {
	t.Helper()
	hash := func() string {
		h := sha256.New()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(h, "%s %d %s\n", path, len(data), data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	before := hash()
	t.Cleanup(func() {
		if hash() != before {
			t.Errorf("files in %s have changed", dir)
		}
	})
}

func list(t *testing.T, q build.Query) *build.Listing {
	t.Helper()
	l, err := build.List(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func target(t *testing.T, q build.Query) build.Target {
	t.Helper()
	l := list(t, q)
	if len(l.Problems) > 0 || len(l.Targets) != 1 {
		t.Fatalf("list %v: %d packages, problems %v", q.Patterns, len(l.Targets), l.Problems)
	}
	return *l.Targets[0]
}

func config(tg build.Target, a *api) build.Config {
	return build.Config{Target: tg, Table: &a.Table, Cache: cache, Runtime: standIn}
}

func mustBuild(t *testing.T, c build.Config) *build.Worker {
	t.Helper()
	w, err := build.Build(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs steps in a worker and returns its output.
func run(t *testing.T, w *build.Worker, steps ...string) []string {
	t.Helper()
	out, err := exec.Command(w.Path, steps...).CombinedOutput()
	if err != nil {
		t.Fatalf("worker %q: %v\n%s", steps, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("line %d:\ngot  %q\nwant %q", i+1, got, want)
		}
	}
}
