package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longTests are scripts, by their names in testdata/script, and other tests. They are about a third of
// the processor time of this package. They hold details: of commands that other tests run, too, or that
// have unit tests. FORAY_LONG says which of them run: none if it is not set, "all", or a part such as
// "2/4". Parts are divided by the places in this list, and take about the same time. With -update all run.
var longTests = []string{
	"solve-structures", "coverprofile", "target-gofuzz", "fuzz-telling",
	"fuzz-version", "fuzz-usage", "corpus-raw", "twin-fuzz",
	"farm-bisect", "target-version", "fuzz-kept", "target-deaths",
	"github", "fuzz-known", "corpus-gofuzz", "target-headers",
	"corpus-headers", "fuzz-go125", "drift", "solve",
	"corpus-commands", "fuzz-interfaces", "fuzz-conditions", "fuzz-hostile-laws",
	"fuzz-beside", "fuzz-race-leaks", "gen-tags", "TestAnalysisAgrees/regexp/syntax",
	"TestHistories/deaths", "TestInstall", "solve-impossible",
	"TestAnalysisAgrees/github.com/Masterminds/semver/v3@v3.5.0", "TestAnalysisAgrees/github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha",
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

// runs reports whether a test of the name is to be run.
func (p longPart) runs(name string) bool {
	i := slices.Index(longTests, name)
	return i < 0 || p.has(i)
}

// skipLong skips a long test outside the part that runs.
func skipLong(t *testing.T) {
	t.Helper()
	if !long(t).runs(t.Name()) {
		t.Skip("make long runs it")
	}
}

// long returns the part of long tests that run.
func long(t *testing.T) longPart {
	t.Helper()
	text := os.Getenv("FORAY_LONG")
	if *update {
		text = "all"
	}
	p, err := parseLong(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each long test runs in one part of four, and each name is that of a test.
func TestLong(t *testing.T) {
	for i, name := range longTests {
		if !isTest(t, name) {
			t.Errorf("no long test is named %s", name)
		}
		in := ""
		for _, text := range []string{"", "all", "0/4", "1/4", "2/4", "3/4"} {
			p, err := parseLong(text)
			if err != nil {
				t.Fatal(err)
			}
			if p.runs(name) {
				in += text + " "
			}
			if !p.runs("fuzz") {
				t.Errorf("FORAY_LONG=%s: script fuzz does not run", text)
			}
		}
		if want := fmt.Sprintf("all %d/4 ", i%4); in != want {
			t.Errorf("%s runs in the parts %q, want %q", name, in, want)
		}
	}
	for _, text := range []string{"4/4", "-1/4", "1", "some", "1/0", "/"} {
		if _, err := parseLong(text); err == nil {
			t.Errorf("FORAY_LONG=%s is no error", text)
		}
	}
}

// isTest reports whether there is a script of that name, or a test that calls skipLong and has the case.
func isTest(t *testing.T, name string) bool {
	t.Helper()
	if !strings.HasPrefix(name, "Test") {
		_, err := os.Stat("testdata/script/" + name + ".txtar")
		return err == nil
	}
	test, sub, _ := strings.Cut(name, "/")
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, found := strings.Cut(string(text), "\nfunc "+test+"(t *testing.T) {\n")
		if body, _, _ = strings.Cut(body, "\n}\n"); found {
			return strings.Contains(body, "skipLong(t)") && (strings.Contains(body, sub+`"`) || sub == "")
		}
	}
	return false
}
