package main

import "testing"

// All structures of a heap take all its sides, and each container has such a test.
func TestSearchStructures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, sides := range map[string]int{"heaparray": 18, "bintree": 36} {
		f, err := searchStructures(t.Context(), root, name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Sides != sides || f.all != sides || f.Structures == 0 || f.Candidates < f.Structures || f.Calls < f.Structures || f.At > f.Seconds {
			t.Errorf("%s: %+v, want %d sides of %d", name, f, sides, sides)
		}
	}
}
