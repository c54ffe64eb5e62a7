package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestMatchFunctions(t *testing.T) {
	functions := []string{"Fuzz", "FuzzParse", "FuzzPrint", "Sum"}
	for expr, want := range map[string]string{
		"Fuzz": "Fuzz", "^Fuzz$": "Fuzz", "FuzzP": "FuzzParse FuzzPrint", "Parse": "FuzzParse", ".": "Fuzz FuzzParse FuzzPrint",
		"Sum": "Sum", "^Su": "", "Other": "",
	} {
		if got := strings.Join(matchFunctions(functions, regexp.MustCompile(expr), expr), " "); got != want {
			t.Errorf("%s matches %q, want %q", expr, got, want)
		}
	}
}

// The tag is added to those that are set, by a flag or by the go command's environment.
func TestWithTag(t *testing.T) {
	for _, tt := range []struct {
		goflags string
		build   []string
		want    []string
	}{
		{"", nil, []string{"-tags=gofuzz"}},
		{"", []string{"-race", "-tags=a,b"}, []string{"-race", "-tags=a,b,gofuzz"}},
		{"-mod=mod -tags=c", nil, []string{"-tags=c,gofuzz"}},
		{"-tags=c", []string{"-tags=a"}, []string{"-tags=a,gofuzz"}},
	} {
		t.Setenv("GOFLAGS", tt.goflags)
		o := &common{build: tt.build}
		tagged, err := withTag(t.Context(), o, goFuzzTag)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tagged.build, tt.want) || !slices.Equal(o.build, tt.build) {
			t.Errorf("GOFLAGS=%s, %q: %q, want %q", tt.goflags, tt.build, tagged.build, tt.want)
		}
	}
}

// Each word stands in the dictionary as it is and with its length.
func TestEncodeWords(t *testing.T) {
	table := &seq.Table{Types: []seq.Type{
		{}, {Name: "[]byte", Literal: seq.String, Mined: []string{`"word"`}}, {Name: "int", Literal: seq.Int, Mined: []string{"7"}},
	}}
	encodeWords(table)
	want := []string{`"` + strings.Repeat(`\x00`, zeroRun) + `"`, `"word"`, `"\x00\x00\x00\x04word"`}
	if got := table.Types[1].Mined; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	if got := table.Types[2].Mined; !slices.Equal(got, []string{"7"}) {
		t.Errorf("numbers %q", got)
	}
}
