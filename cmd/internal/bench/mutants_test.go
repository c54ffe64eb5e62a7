package main

import (
	"slices"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	const src = `package p

const limit = 3

func F(a []int, n int) bool {
	if n < 0 || a == nil {
		return n >= limit
	}
	return a[0] != 0x10
}
`
	list, err := mutants("p", "p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		changed := strings.Split(string(m.apply([]byte(src))), "\n")
		for i, line := range strings.Split(src, "\n") {
			if line != changed[i] {
				got = append(got, strings.TrimSpace(changed[i]))
			}
		}
	}
	want := []string{
		"if n <= 0 || a == nil {", "if n >= 0 || a == nil {", "if n < 1 || a == nil {", "if n < 0 || a != nil {",
		"return n > limit", "return n < limit", "return a[0] == 0x10", "return a[1] != 0x10", "return a[0] != 17",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMutantSummary(t *testing.T) {
	columns := []string{"package", "result"}
	rows := mutantSummary([]record{{columns, []string{"container/list", killed}}, {columns, []string{"container/list", alive}}, {columns, []string{redBlackTree, killed}}})
	want := [][]string{{redBlackTree, "1", "1"}, {"container/list", "2", "1"}, {"github.com/google/btree@v1.1.3", "0", "0"}, {keyTotal, "3", "2"}}
	for i, w := range want {
		if !slices.Equal(rows[i+1][:3], w) {
			t.Errorf("row %d: %q, want %q", i, rows[i+1], w)
		}
	}
}
