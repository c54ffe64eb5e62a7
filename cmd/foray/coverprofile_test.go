package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A profile that cannot be written fails before the run. One that is there is kept.
func TestCheckProfile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.out")
	if err := os.WriteFile(file, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file string
		build      []string
		err        string
	}{
		{"none", "", []string{"-overlay=x"}, ""},
		{"new", filepath.Join(dir, "new.out"), nil, ""},
		{"there", file, nil, ""},
		{"no directory", filepath.Join(dir, "no", "c.out"), nil, "-coverprofile: "},
		{"overlay", file, []string{"-overlay=x"}, "-coverprofile: does not go with -overlay"},
	} {
		o := &fuzzOptions{coverProfile: tt.file, common: &common{build: tt.build}}
		err := o.checkProfile()
		if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "kept" {
		t.Errorf("the file that was there: %q, %v", data, err)
	}
}
