package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// The command works as printed: it has the flags that decide what is run, quoted for a shell.
func TestRerun(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file string
		c          common
		s          subject
		where      build.Where
		want       string
	}{
		{"package", "f_test.go", common{args: []string{"."}}, subject{}, build.MainModule, "PROGRAM replay m.test/p"},
		{"all flags", "", common{dir: "a b", outdir: "o'", allow: regexp.MustCompile("^Run$"), unconfined: true, telling: telling{bar: "0.8"}, build: []string{"-race", "-tags=a b"}}, subject{}, build.MainModule,
			`PROGRAM replay -C 'a b' -outdir 'o'\''' -likely 0.8 -allow '^Run$' -unconfined -race '-tags=a b' m.test/p`},
		{"version", "", common{}, subject{version: "v1.2.3"}, build.ModuleCache, "PROGRAM replay m.test/p@v1.2.3"},
		{"version of the main module", "", common{}, subject{version: "v1.2.3"}, build.MainModule, "PROGRAM replay m.test/p"},
		{"input in testdata", "p/testdata/fuzz/FuzzF/12ab", common{dir: "d", args: []string{"./p"}, build: []string{"-race"}}, subject{existing: existing{fuzz: "FuzzF"}}, build.MainModule,
			"go test -C d -race -run=FuzzF/12ab ./p"},
		{"input elsewhere", "cache/12ab", common{args: []string{"./p"}}, subject{existing: existing{fuzz: "FuzzF"}}, build.MainModule, "PROGRAM fuzz -fuzz '^FuzzF$' -fuzztime 1x m.test/p"},
		{"input of another module", "p/testdata/fuzz/FuzzF/12ab", common{}, subject{existing: existing{fuzz: "FuzzF"}}, build.ModuleCache, "PROGRAM fuzz -fuzz '^FuzzF$' -fuzztime 1x m.test/p"},
		{"go-fuzz function", "p/testdata/fuzz/Fuzz/12ab", common{}, subject{existing: existing{fuzz: "Fuzz", goFuzz: []string{"Fuzz"}}}, build.MainModule, "PROGRAM fuzz -fuzz '^Fuzz$' -fuzztime 1x m.test/p"},
		{"file as argument", "p/testdata/fuzz/FuzzF/1", common{pkg: "./q", args: []string{"f"}}, subject{existing: existing{fuzz: "FuzzF"}}, build.Workspace, "go test -run=FuzzF/1 ./q"},
	} {
		s := tt.s
		s.common, s.target = &tt.c, &build.Target{Path: "m.test/p", Where: tt.where}
		if got, want := s.rerun(tt.file), strings.Replace(tt.want, "PROGRAM", program(), 1); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, want)
		}
	}
	if got := program(); got != "go run foray.test/cmd/foray" && got != text.Quote(os.Args[0]) {
		t.Errorf("program %s of %s", got, exe)
	}
}

// A failing input that cannot be written beside the package is kept with those found. If that is
// not possible either, the finding names no file.
func TestKeepFailing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	table := &seq.Table{
		Types: []seq.Type{{Name: "int", Literal: seq.Int}},
		Ops:   []seq.Operation{{Name: "p.FuzzF(int)", Short: "FuzzF", Params: []seq.TypeID{0}}},
	}
	one, err := table.ParseLiteral(0, "1")
	if err != nil {
		t.Fatal(err)
	}
	steps := seq.Sequence{{Args: []seq.Arg{seq.Lit(one)}}}
	for _, tt := range []struct{ failing, found, want string }{
		{"a", "b", "a"}, {"file/a", "b", "b"}, {"file/a", "file/b", ""},
	} {
		c := &common{out: event.NewPrinter(io.Discard, io.Discard, event.Options{})}
		r := &targetRecorder{recorder: &recorder{f: &fuzzing{fuzzOptions: &fuzzOptions{common: c}}, s: &subject{common: c, target: &build.Target{}, table: table}, warned: map[string]bool{}}}
		r.dirs.Failing, r.dirs.Found = filepath.Join(dir, tt.failing), filepath.Join(dir, tt.found)
		got := r.keepFailing(engine.Finding{Steps: steps}, "")
		if want := filepath.Join(dir, tt.want); got != "" && filepath.Dir(got) != want || (got == "") != (tt.want == "") {
			t.Errorf("%s, %s: kept as %q, want it in %q", tt.failing, tt.found, got, tt.want)
		}
	}
}
