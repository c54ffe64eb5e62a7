package catalog

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func goldenSubject(t *testing.T, name string) subject {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".go")
	if err != nil {
		t.Fatal(err)
	}
	return checkSource(t, "example.com/"+name, string(text))
}

// TestDeterministic finds a catalog twice, each time from a fresh type check.
func TestDeterministic(t *testing.T) {
	for _, name := range []string{"queue", "generics", "interfaces", "funcs"} {
		var texts [2]string
		for i := range texts {
			data, err := json.Marshal(find(t, goldenSubject(t, name).Input))
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(data)
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: two catalogs differ", name)
		}
	}
}

// TestWithoutImporter finds the same calls when nothing is known of packages outside
// the import closure. Their values are converted to the types they are for.
func TestWithoutImporter(t *testing.T) {
	for _, name := range []string{"queue", "interfaces", "variadics"} {
		s := goldenSubject(t, name)
		with := find(t, s.Input)
		s.Importer = nil
		without := find(t, s.Input)
		checkTable(t, &without.Table)
		checkAdapters(t, s, without)
		if a, b := calls(&with.Table), calls(&without.Table); !slices.Equal(a, b) {
			t.Errorf("%s: with importer %v, without %v", name, a, b)
		}
	}
}

func calls(tab *seq.Table) []string {
	var list []string
	for i := range tab.Ops {
		if tab.Ops[i].API {
			list = append(list, tab.Ops[i].Name)
		}
	}
	return list
}

func TestOpsAndSkip(t *testing.T) {
	tests := []struct {
		name, ops, skip string
		want            string
	}{
		{"all", "", "", "(*Queue).Get (*Queue).Merge (*Queue).Put (*Queue).Stats (Queue).String (error).Error New"},
		{"one method", `^\(\*Queue\)\.Put$`, "", "(*Queue).Put"},
		{"skip wins", "Queue|New", `Merge|String`, "(*Queue).Get (*Queue).Put (*Queue).Stats New"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := goldenSubject(t, "queue").Input
			if test.ops != "" {
				in.Ops = regexp.MustCompile(test.ops)
			}
			if test.skip != "" {
				in.Skip = regexp.MustCompile(test.skip)
			}
			c := find(t, in)
			var got []string
			for i := range c.Table.Ops {
				if m := c.Table.Ops[i].Member; m != "" && !slices.Contains(got, m) {
					got = append(got, m)
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("members %s, want %s", s, test.want)
			}
			if len(c.Members) != 6 {
				t.Errorf("%d members, want all 6: %v", len(c.Members), c.Members)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	doc := "F does it. It panics\nif n is 0, e.g. now.\n\nSee 1.5 too"
	got := strings.Join(sentences(doc), "|")
	if want := "F does it.|It panics if n is 0, e.g. now.|See 1.5 too"; got != want {
		t.Errorf("sentences(%q) = %q, want %q", doc, got, want)
	}
}

func TestDocAndNames(t *testing.T) {
	tab := &find(t, goldenSubject(t, "queue").Input).Table
	docs, names := map[string]string{}, map[string]string{}
	for i := range tab.Ops {
		op := &tab.Ops[i]
		docs[op.Short], names[op.Short] = op.Doc, strings.Join(op.Names, " ")
	}
	for short, want := range map[string]struct{ doc, names string }{
		"New":          {"New returns an empty queue. It panics if n is negative.", "n"},
		"(*Queue).Put": {"Put appends s.", "q s"},
		"Drop":         {"", ""},
	} {
		if docs[short] != want.doc || names[short] != want.names {
			t.Errorf("%s: documentation %q, names %q, want %q and %q", short, docs[short], names[short], want.doc, want.names)
		}
	}
}
