//go:build !nofarm

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/load"
)

// Commands of a farm that take no arguments say so.
func TestFarmArguments(t *testing.T) {
	for _, name := range []string{"farm init", "farm status", "farm report", "farm worker", "farm pause", "farm drain"} {
		var stderr bytes.Buffer
		p := &process{stdout: t.Output(), stderr: &stderr, temps: &temps{}}
		code := p.run(t.Context(), append(strings.Fields(name), "sarif"))
		if want := "foray: " + name + ": takes no arguments\n  hint: foray " + name + " -h says what it does\n"; code != exitUsage || stderr.String() != want {
			t.Errorf("exit %d, %s\nwant %s", code, &stderr, want)
		}
	}
}

// Farms with different stores run jobs in different directories, however a store is named.
func TestWorkDir(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	abs, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for _, address := range []string{"a", "b", "./a", abs, "s3://a/b", "s3://a/c"} {
		if dirs[address], err = workDir(address); err != nil {
			t.Fatal(err)
		}
	}
	if dirs["a"] != dirs["./a"] || dirs["a"] != dirs[abs] {
		t.Errorf("one store, several directories: %v", dirs)
	}
	if dirs["a"] == dirs["b"] || dirs["s3://a/b"] == dirs["s3://a/c"] {
		t.Errorf("two stores, one directory: %v", dirs)
	}
}

// An error of a store that denies something has a hint that fits the store.
func TestFarmHints(t *testing.T) {
	denied := fmt.Errorf("store: put runs/a/1: %w", fs.ErrPermission)
	for _, tt := range []struct {
		store string
		err   error
		want  string
	}{
		{"s3://bucket/night", denied, "AWS_ACCESS_KEY_ID"},
		{"dir", denied, "this user may write"},
		{"dir", &farm.OwnedError{}, "foray farm status"},
		{"dir", errors.New("other"), ""},
	} {
		o := &farmOptions{store: tt.store}
		if hint := o.hint(tt.err); tt.want == "" && hint != "" || !strings.Contains(hint, tt.want) {
			t.Errorf("%s, %v: hint %q, want %q", tt.store, tt.err, hint, tt.want)
		}
		explained := (*load.Error)(nil)
		if err := o.explain(tt.err); errors.As(err, &explained) != (tt.want != "") || !strings.Contains(err.Error(), tt.err.Error()) {
			t.Errorf("%s: %v becomes %v", tt.store, tt.err, err)
		}
	}
	if err := (&farmOptions{}).explain(nil); err != nil {
		t.Error(err)
	}
}

// A farm file may name the only targets that are fuzzed, and targets that are not.
func TestWants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(file, []byte("only: [queue]\nskip: ['\\.FuzzSlow$']\nretention: 240h\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &farmRunOptions{farmOptions: &farmOptions{common: &common{}}}
	if !o.wants("m/parse") {
		t.Error("without a file a target is left out")
	}
	o.file = file
	if err := o.readFile(func(string) bool { return false }, false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"m/queue": true, "m/queue.FuzzFast": true, "m/queue.FuzzSlow": false, "m/parse": false} {
		if got := o.wants(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if o.retention != 240*time.Hour {
		t.Errorf("retention %v", o.retention)
	}
}
