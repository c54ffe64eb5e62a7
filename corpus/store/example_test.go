package store_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"foray.test/corpus/store"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Put(store.Entry{Statements: "v0 := queue.New(2)\nv1, v1b := v0.Get()\n", Sides: 3}); err != nil {
		log.Fatal(err)
	}
	// An entry written by hand, under any name.
	mine := filepath.Join(dir, "entries", "mine")
	if err := os.WriteFile(mine, []byte("foray corpus v1\nv0 := queue.New(-1)\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	entries, problems, err := s.Load()
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Printf("%s\n%s", e.ID, e.Statements)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// 35fd6f9dc44cd7211d85a03aa638cba1
	// v0 := queue.New(2)
	// v1, v1b := v0.Get()
	// 5d99f38d12b2275901c4ad58bc81589c
	// v0 := queue.New(-1)
	// entries/mine: the name is not the hash of the statements, 5d99f38d12b2275901c4ad58bc81589c: moved to entries/5d99f38d12b2275901c4ad58bc81589c
}
