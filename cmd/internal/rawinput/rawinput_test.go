package rawinput

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/gofuzz"
)

// tree writes files, named by paths with slashes, below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(data), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tree(t, map[string]string{"corpus.zip": b.String()})
}

func TestRead(t *testing.T) {
	large := strings.Repeat("x", MaxBytes+1)
	for _, tt := range []struct {
		name         string
		place        string
		want         string // inputs, in order
		suppressions string
		large        int
	}{
		{"a file", filepath.Join(tree(t, map[string]string{"in": "one"}), "in"), "one", "", 0},
		{"a directory", tree(t, map[string]string{"a": "one", "sub/b": "two", ".hidden": "no", "README.txt": "no"}), "one two", "", 0},
		{"a large file", tree(t, map[string]string{"a": large, "b": "two"}), "two", "", 1},
		{"a zip file", filepath.Join(zipped(t, map[string]string{"a": "one", "d/b": "two"}), "corpus.zip"), "one two", "", 0},
		{"AFL", tree(t, map[string]string{"fuzzer_stats": "no", "queue/1": "one", "crashes/2": "two", "plot_data": "no"}), "one two", "", 0},
		{"go-fuzz", tree(t, map[string]string{
			gofuzz.Corpus + "/1": "one", gofuzz.Crashers + "/2": "two", gofuzz.Crashers + "/" + gofuzz.Name(nil) + ".output": "no", gofuzz.Suppressions + "/3": "panic",
		}), "one two", "panic", 0},
	} {
		var inputs, suppressions []string
		r := &Reader{
			Input:       func(data []byte) error { inputs = append(inputs, string(data)); return nil },
			Suppression: func(text []byte) error { suppressions = append(suppressions, string(text)); return nil },
		}
		err := r.Read(tt.place)
		slices.Sort(inputs)
		if got := strings.Join(inputs, " "); err != nil || got != tt.want || r.Large != tt.large || strings.Join(suppressions, " ") != tt.suppressions {
			t.Errorf("%s: %q, suppressions %q, %d large, %v; want %q, %q, %d", tt.name, got, suppressions, r.Large, err, tt.want, tt.suppressions, tt.large)
		}
	}
}

func TestReadErrors(t *testing.T) {
	fail := errors.New("disk full")
	r := &Reader{Input: func([]byte) error { return fail }}
	dir := tree(t, map[string]string{"a": "one", "no.zip": "no zip file"})
	if err := r.Read(filepath.Join(dir, "a")); !errors.Is(err, fail) {
		t.Errorf("an input that cannot be kept: %v", err)
	}
	if err := r.Read(filepath.Join(dir, "no.zip")); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("no zip file: %v", err)
	}
	if err := r.Read(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), dir) {
		t.Errorf("a missing file: %v", err)
	}
	if err := r.ReadWorkdir(dir); !errors.Is(err, ErrNoWorkdir) {
		t.Errorf("no workdir: %v", err)
	}
}
