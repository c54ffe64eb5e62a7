package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longScripts are about a third of the processor time of all scripts. They hold details: of commands
// that other scripts run, too, or that have unit tests. FORAY_LONG says which of them run: none if
// it is not set, "all", or a part such as "2/4". Parts are divided by the places in this list, and
// take about the same time.
var longScripts = []string{
	"solve-structures", "coverprofile", "target-gofuzz", "fuzz-telling",
	"fuzz-version", "fuzz-usage", "corpus-raw", "twin-fuzz",
	"farm-bisect", "target-version", "fuzz-kept", "target-deaths",
	"github", "fuzz-known", "corpus-gofuzz", "target-headers",
	"corpus-headers", "fuzz-go125", "drift", "solve",
	"corpus-commands", "fuzz-interfaces", "fuzz-conditions", "fuzz-hostile-laws",
	"fuzz-beside",
}

// longPart is the part of long tests that run: those with a number that is part modulo of.
type longPart struct{ part, of int }

// parseLong reads FORAY_LONG.
func parseLong(text string) (longPart, error) {
	switch text {
	case "":
		return longPart{}, nil
	case "all":
		return longPart{0, 1}, nil
	}
	part, of, _ := strings.Cut(text, "/")
	k, err := strconv.Atoi(part)
	n, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || k < 0 || k >= n {
		return longPart{}, fmt.Errorf("FORAY_LONG=%s: want all, or a part such as 0/4", text)
	}
	return longPart{k, n}, nil
}

// has reports whether the long test of a number is in the part.
func (p longPart) has(i int) bool { return p.of > 0 && i%p.of == p.part }

// runs reports whether a script is to be run.
func (p longPart) runs(script string) bool {
	i := slices.Index(longScripts, script)
	return i < 0 || p.has(i)
}

// long returns the part of long tests that run.
func long(t *testing.T) longPart {
	t.Helper()
	p, err := parseLong(os.Getenv("FORAY_LONG"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each long script runs in one part, and those that are named are there.
func TestLong(t *testing.T) {
	for i, script := range longScripts {
		if _, err := os.Stat("testdata/script/" + script + ".txtar"); err != nil {
			t.Error(err)
		}
		in := ""
		for _, text := range []string{"", "all", "0/4", "1/4", "2/4", "3/4"} {
			p, err := parseLong(text)
			if err != nil {
				t.Fatal(err)
			}
			if p.runs(script) {
				in += text + " "
			}
			if !p.runs("fuzz") {
				t.Errorf("FORAY_LONG=%s: script fuzz does not run", text)
			}
		}
		if want := fmt.Sprintf("all %d/4 ", i%4); in != want {
			t.Errorf("%s runs in the parts %q, want %q", script, in, want)
		}
	}
	for _, text := range []string{"4/4", "-1/4", "1", "some", "1/0", "/"} {
		if _, err := parseLong(text); err == nil {
			t.Errorf("FORAY_LONG=%s is no error", text)
		}
	}
}
