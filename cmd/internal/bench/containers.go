package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"foray.test/cmd/internal/event"
)

// paperContainers are Go versions of the containers of [Pacheco09 figures 8-1 and 8-2], in
// testdata/containers. BinTree is the BST of figure 8-2, too.
var paperContainers = []string{"bintree", "binheap", "fibheap", "treemap", "intstack", "ubstack", "linkedlist", "heaparray"}

// containerModes are ways to make sequences for them, or, with no command, structures.
var containerModes = []struct {
	name, command string
	args          []string
}{
	{"explore", "explore", []string{"-objects=2", "-values=4", "-depth=8", "-states=30000"}},
	{"one object", "explore", []string{"-objects=1", "-values=8", "-depth=9", "-states=30000"}},
	{"shapes", "explore", []string{"-objects=2", "-values=8", "-depth=10", "-states=30000", "-abstract=shape"}},
	{"search", "", nil},
	{"fuzz", "fuzz", nil},
}

func setupContainers(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 3*time.Second, "fuzz so `long`")
	seeds := fs.Int("seeds", 3, "fuzz from seeds 1 to `n`")
	return func(ctx context.Context, b *bench) error { return benchContainers(ctx, b, *each, *seeds) }
}

// benchContainers covers small containers by all short sequences, by the methods on all small
// structures, and by fuzzing, with one worker each.
func benchContainers(ctx context.Context, b *bench, each time.Duration, seeds int) error {
	t, err := b.table("containers", 3, "container", "mode", "seed", "sides_covered", "sides", "depth", "states", "sequences", "cpu_s", "reached_s", "findings", "ended", "errors")
	if err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	for _, name := range b.choose(paperContainers) {
		for _, m := range containerModes {
			for seed := 1; seed <= seeds; seed++ {
				key := []string{name, m.name, count(seed)}
				args := append([]string{"-parallel=1"}, m.args...)
				if m.command == "fuzz" {
					args = append(args, "-fuzztime="+each.String(), fmt.Sprintf("-seed=%d", seed))
				} else if seed > 1 {
					break // equal runs are equal
				}
				if t.done(key...) {
					continue
				}
				row, err := b.container(ctx, root, name, job{command: m.command, args: append(args, "./"+name), limit: each + buildTime})
				if err != nil {
					return err
				}
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s: %s", strings.Join(key, ", "), strings.Join(row, " "))
			}
		}
	}
	return b.finish(containerSummary, t)
}

// container returns the row of one run on a container.
func (b *bench) container(ctx context.Context, root, name string, j job) ([]string, error) {
	if j.command == "" {
		f, err := searchStructures(ctx, root, name)
		return f.row(), err
	}
	j.dir, j.env = filepath.Join(root, "cmd", "internal", "bench", "testdata", "containers"), []string{"GOWORK=off"}
	r, err := b.foray.fuzz(ctx, j)
	if err != nil {
		return nil, err
	}
	return containerRow(r), nil
}

// containerRow returns the cells of one run, after its key. The time to the last new side is
// in proportion to the sequences.
func containerRow(r *report) []string {
	s, p := r.summary, r.pkg()
	reached := s.CPUSeconds * float64(p.LastNewSide) / float64(max(p.Sequences, 1))
	x := cmp.Or(p.Explored, new(event.Explored))
	return []string{
		count(p.SidesCovered), count(p.Sides), count(x.Depth), count(x.States), count(p.Sequences), decimal(s.CPUSeconds, 2), decimal(reached, 3),
		count(s.Findings.Total()), p.Ended, r.problem(),
	}
}

// containerSummary has a row for each container, with the sides covered in each mode, and the
// processor time to the last of them.
func containerSummary(records []record) [][]string {
	head := []string{"container", "sides"}
	for _, m := range containerModes {
		head = append(head, m.name, "s")
	}
	rows := [][]string{head}
	for _, name := range paperContainers {
		row := []string{name, ""}
		for _, m := range containerModes {
			var covered, seconds []string
			for _, r := range records {
				if r.get("container") == name && r.get("mode") == m.name {
					row[1] = r.get("sides")
					covered, seconds = append(covered, r.get("sides_covered")), append(seconds, r.get("reached_s"))
				}
			}
			row = append(row, strings.Join(covered, " "), strings.Join(seconds, " "))
		}
		rows = append(rows, row)
	}
	return rows
}
