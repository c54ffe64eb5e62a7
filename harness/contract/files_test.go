package contract

import (
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"testing/fstest"
)

var filesPlantings = []Planting{
	{`v0 := planted.NewFiles(); v1, v2 := v0.Open("a.txt")`, "fs-test"},
	{`v0 := planted.NewHandler(); v1 := v0.WithGroup("")`, "handler-group"},
}

var filesCases = []lawCase{
	{"fs-test", "good", "", files(oneFile), `NewFS(); Open(v0, "a.txt")`, true},
	{"fs-test", "opens rooted names", "", files(lax{oneFile}), `NewFS(); Open(v0, "a.txt")`, false},
	{"fs-test", "empty", "", files(lax{fstest.MapFS{}}), `NewFS(); Open(v0, ".")`, true},
	{"handler-group", "good", "", handler(func(a []any) any { return a[0] }), `NewHandler(); WithGroup(v0, "")`, true},
	{"handler-group", "a group of no name", "", handler(func(a []any) any { return &pot{n: 1} }), `NewHandler(); WithGroup(v0, "")`, false},
	{"handler-group", "a group", "", handler(func(a []any) any { return &pot{n: 1} }), `NewHandler(); WithGroup(v0, "g")`, true},
	{"handler-group", "of the standard library", "", slogHandler(), `NewHandler(); WithGroup(v0, "")`, true},
}

// files returns the operations of a file system.
func files(fsys fs.FS) map[string]func([]any) any {
	return ops("NewFS() p.F", func([]any) any { return fsys }, "(F).Open(string) (fs.File, error)", func(a []any) any {
		f, err := a[0].(fs.FS).Open(a[1].(string))
		return many{f, err}
	})
}

// lax opens names that are none.
type lax struct{ fs.FS }

func (l lax) Open(name string) (fs.File, error) { return l.FS.Open(strings.TrimPrefix(name, "/")) }

var oneFile = fstest.MapFS{"a.txt": {Data: []byte("a")}}

func handler(group func(a []any) any) map[string]func([]any) any {
	return ops("NewHandler() *p.Handler", newPot, "(*Handler).Handle()", func([]any) any { return many{} }, "(*Handler).WithGroup(string) slog.Handler", group)
}

// slogHandler has a handler of package slog, and its methods. A group is never the handler itself.
func slogHandler() map[string]func([]any) any {
	return ops("NewHandler() slog.Handler", func([]any) any { return slog.NewTextHandler(io.Discard, nil) }, "(slog.Handler).Handle()", func([]any) any { return many{} },
		"(slog.Handler).WithGroup(string) slog.Handler", func([]any) any { return slog.NewJSONHandler(io.Discard, nil) })
}
