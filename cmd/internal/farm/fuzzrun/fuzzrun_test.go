//go:build unix

package fuzzrun

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"foray.test/cmd/internal/farm/record"
)

// TestMain lets the test be a foray that prints what a file says.
func TestMain(m *testing.M) {
	if out := os.Getenv("FARM_TEST_OUT"); out != "" {
		os.Exit(foray(out))
	}
	os.Exit(m.Run())
}

func foray(out string) int {
	data, err := os.ReadFile(out)
	if err != nil {
		panic(err)
	}
	code := 1
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "stderr: "):
			fmt.Fprint(os.Stderr, strings.TrimPrefix(line, "stderr: "))
		case line == "status 0\n":
			code = 0
		case line == "interrupted\n":
			c := make(chan os.Signal, 1)
			signal.Notify(c, os.Interrupt)
			fmt.Println(`{"event":"ready"}`)
			if err := os.WriteFile(out+".ready", nil, 0o666); err != nil {
				panic(err)
			}
			<-c
		default:
			fmt.Print(line)
		}
	}
	return code
}

// run runs a job of a foray that prints these lines.
func run(t *testing.T, ctx context.Context, target record.Target, lines ...string) (*Output, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(out, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FARM_TEST_OUT", out)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if strings.Contains(strings.Join(lines, "\n"), "interrupted") {
		go func() {
			for {
				if _, err := os.Stat(out + ".ready"); err == nil || ctx.Err() != nil {
					cancel()
					return
				}
			}
		}()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Foray: self, Dir: t.TempDir()}
	return r.Run(timed{ctx}, &record.Job{Target: target, Seconds: 1}, t.TempDir())
}

// timed is a context that ends as if its time were up.
type timed struct{ context.Context }

func (c timed) Err() error {
	if c.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

const (
	finding = `{"schema":1,"event":"finding","tier":"error","kind":"panic","operation":"F","signature":"panic:index:F","message":"index","steps":2,"flaky":true,"package":"m","file":"/no","sequence":"F(1)\n","test":"package m"}`
	pkg     = `{"schema":1,"event":"package","package":"m","sequences":100,"steps":700,"sides":9,"sides_covered":8,"corpus_entries":5,"ended":"time"}`
	summary = `{"schema":1,"event":"summary","cpu_seconds":1.5,"frontier":3}`
)

func TestRun(t *testing.T) {
	target := record.Target{Package: "m", Pattern: "m"}
	o, err := run(t, t.Context(), target, "garbage", finding, finding, `{"event":"frontier","status":"x","side":"true"}`, `{"event":"fixed","signature":"panic:nil:G"}`, pkg, summary, `{"event":1}`)
	if err != nil {
		t.Fatal(err)
	}
	r := o.Run
	if r.Sequences != 100 || r.Steps != 700 || r.Sides != 9 || r.SidesCovered != 8 || r.Entries != 5 || r.CPU != 1.5 || r.Frontier != 3 || r.Ended != "time" || r.Problem != "" {
		t.Errorf("got %+v", r)
	}
	if len(r.Seen) != 1 || !r.Seen[0].Flaky || len(r.Fixed) != 1 || r.Fixed[0] != "panic:nil:G" {
		t.Errorf("seen %+v, fixed %q", r.Seen, r.Fixed)
	}
	if len(o.Reports) != 1 || o.Reports[0].Test != "package m" || o.Reports[0].Steps != 2 {
		t.Errorf("reports %+v", o.Reports)
	}
}

func TestFailed(t *testing.T) {
	target := record.Target{Package: "m", Pattern: "m"}
	o, err := run(t, t.Context(), target, "stderr: foray: warning: no", "stderr: foray: m/b.go:1:2: undefined: x", "stderr:   hint: compile")
	if err != nil || o.Run.Ended != record.EndedFailed || o.Run.Problem != "m/b.go:1:2: undefined: x" {
		t.Errorf("%+v, %v", o.Run, err)
	}
	if o, err = run(t, t.Context(), target); err != nil || o.Run.Ended != record.EndedFailed || o.Run.Problem == "" {
		t.Errorf("nothing printed: %+v, %v", o.Run, err)
	}
	r := Runner{Foray: filepath.Join(t.TempDir(), "none"), Dir: t.TempDir()}
	if _, err := r.Run(t.Context(), &record.Job{Target: target}, t.TempDir()); err == nil {
		t.Error("no error without a program")
	}
}

// An interrupted job returns its results so far. Its exit status does not matter.
func TestInterrupted(t *testing.T) {
	for _, status := range []string{"status 0", ""} {
		o, err := run(t, t.Context(), record.Target{Package: "m", Pattern: "m"}, finding, status, "interrupted", pkg)
		if err != nil || o.Run.Ended != record.EndedInterrupted || len(o.Run.Seen) != 1 || o.Run.Sides != 9 {
			t.Errorf("%q: %+v, %v", status, o, err)
		}
	}
}

// Entries and reports are where foray fuzz -outdir looks for them.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	api := PlacesOf(&record.Target{Package: "m.test/m"}, dir)
	if err := api.AddReport(&record.Report{Signature: "s", Claim: "kept", Sequence: "F()\n", Test: "package m"}); err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "m.test/m/findings/*/finding.json"))
	if data, err := os.ReadFile(strings.Join(found, "")); err != nil || !strings.Contains(string(data), `"claim": "kept"`) {
		t.Errorf("finding %s, %v, want its claim", data, err)
	}
	if len(found) != 1 || api.Entries != filepath.Join(dir, "m.test/m/entries") {
		t.Errorf("findings %q, entries in %s", found, api.Entries)
	}
	fuzz := PlacesOf(&record.Target{Package: "m.test/m", Fuzz: "FuzzF"}, dir)
	for _, r := range []record.Report{{Signature: "s", Input: []byte("x")}, {Signature: "no input"}} {
		if err := fuzz.AddReport(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := fuzz.AddEntry("h", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "m.test/m/testdata/fuzz/FuzzF/*")); len(found) != 1 {
		t.Errorf("failing inputs %q, want one", found)
	}
	if _, err := os.Stat(filepath.Join(dir, "m.test/m/FuzzF/h")); err != nil {
		t.Error(err)
	}
}

// Entries that are added at once do not spoil each other.
func TestAddAtOnce(t *testing.T) {
	places := PlacesOf(&record.Target{Package: "m.test/m"}, t.TempDir())
	content := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d\n", i), 1<<12) }
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if err := places.AddEntry(fmt.Sprint(i), content(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range 100 {
		if got, err := os.ReadFile(filepath.Join(places.Entries, fmt.Sprint(i))); err != nil || !bytes.Equal(got, content(i)) {
			t.Errorf("entry %d: %v, %d bytes, want %d", i, err, len(got), len(content(i)))
		}
	}
}
