// Metrics prints figures of the size and the English of the tree. For each room it
// counts lines of code and of tests, and the lengths of functions. For the whole tree
// it counts structs with many fields, and hard words and long sentences in comments.
//
//	go run ./cmd/internal/metrics        # one table a room, then the sums
//	go run ./cmd/internal/metrics -long  # also list every place past a limit
//
// Generated files and testdata are left out. All counts come from go/parser, so
// equal trees print equal figures.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	dir := flag.String("C", ".", "measure the tree under `dir`")
	long := flag.Bool("long", false, "list every function, struct and sentence past its limit")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	err := run(out, *dir, *long)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "metrics: %v\n", err)
		os.Exit(1)
	}
}

func run(out io.Writer, dir string, long bool) error {
	t, err := measure(dir)
	if err != nil {
		return err
	}
	t.print(out)
	if long {
		t.printPast(out)
	}
	return nil
}
