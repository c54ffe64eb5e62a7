package exhaustive_test

import (
	"bytes"
	"strings"
	"testing"

	"foray.test/harness/exhaustive"
)

// word generates a string of up to n letters.
func word(c *exhaustive.C, letters string, n int) string {
	b := make([]byte, c.Int(0, n))
	for i := range b {
		b[i] = letters[c.Choose("letter", len(letters))]
	}
	return string(b)
}

func words(letters string, n int) *exhaustive.Cases[string] {
	return exhaustive.Generate(func(c *exhaustive.C) string { return word(c, letters, n) })
}

// Two functions of the standard library with one meaning.
func TestCompareAgrees(t *testing.T) {
	type split struct{ text, sep string }
	s := exhaustive.Generate(func(c *exhaustive.C) split {
		return split{word(c, "ab", 5), word(c, "ab", 2)}
	})
	exhaustive.Compare(t, s,
		func(v split) []string { return strings.Split(v.text, v.sep) },
		func(v split) []string {
			var list []string
			for _, b := range bytes.Split([]byte(v.text), []byte(v.sep)) {
				list = append(list, string(b))
			}
			if list == nil {
				list = []string{}
			}
			return list
		})
}

func TestCompareFindsTheSmallestDifference(t *testing.T) {
	// The first removes a prefix, the second a set of letters.
	s := words("abc", 4)
	f := &fake{}
	exhaustive.Compare(f, s,
		func(v string) string { return strings.TrimPrefix(v, "ab") },
		func(v string) string { return strings.TrimLeft(v, "ab") })
	want := "exhaustive: case 1.0 fails: the first returns a, the second returns \n    value: a\n"
	if got := strings.Join(f.errors, "\n"); !strings.HasPrefix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestComparePanics(t *testing.T) {
	s := words("ab", 3)
	at := func(i int) func(string) byte { return func(v string) byte { return v[i] } }
	f := &fake{}
	exhaustive.Compare(f, s, at(1), func(v string) byte {
		if len(v) < 2 {
			panic("too short")
		}
		return v[1]
	})
	expect(t, "errors if both panic", len(f.errors), 0)
	exhaustive.Compare(f, s, at(0), at(1))
	got := line.ReplaceAllString(strings.Join(f.errors, "\n"), ".go:N")
	want := "exhaustive: case 1.0 fails: the first returns 97, the second panics at compare_test.go:N: runtime error: index out of range [1] with length 1\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Each implementation gets a value of its own.
func TestCompareOfFunctionsThatChangeTheirArgument(t *testing.T) {
	s := exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 4)) })
	take := func(v *tree) int {
		n := v.size()
		if v != nil {
			v.left, v.right = nil, nil
		}
		return n
	}
	exhaustive.Compare(t, s, take, take)
}
