// Bench measures foray and writes the results as tables of tab-separated
// values, which make targets keep under docs/bench:
//
//	go run ./cmd/internal/bench packages -t 15s
//
// writes docs/bench/packages-2026-01-31.tsv. An interrupted run goes on where
// it stopped: rows of today's file with the same foray and the same flags are
// not measured again, unless -again is given. Progress goes to stderr, a
// summary to stdout. Bench runs one foray at a time; other load on the machine
// shows in the figures.
//
// Bench sees foray as any user does, through its flags and its JSON output. The
// benchmarks of single packages are Go benchmarks and live beside their code.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// command is one benchmark. setup declares its flags and returns its run
// function.
type command struct {
	name, short string
	setup       func(fs *flag.FlagSet) func(context.Context, *bench) error
}

func commands() []command {
	return []command{
		{"packages", "coverage and findings on a list of real packages", setupPackages},
		{"loop", "steps, values and sequences per second of CPU time", setupLoop},
		{"profile", "where the time of a run goes, printed only", setupProfile},
		{"balance", "how default flags divide the time, against composing only", setupBalance},
		{"waiting", "packages that wait or end their process", setupWaiting},
		{"containers", "small containers: all short sequences, all small structures and fuzzing", setupContainers},
		{"frontier", "sides of the frontier that are flipped, against composing on", setupFrontier},
		{"memory", "resident memory of foray and its workers over time", setupMemory},
		{"draw", "findings in packages drawn from a list, for a person to judge", setupDraw},
		{"labels", "tiers of the judged findings by the program of now", setupLabels},
		{"bugs", "bugs of released versions that foray finds, by tests that pass once they are fixed", setupBugs},
	}
}

// bench is the state that all benchmarks share.
type bench struct {
	dir    string // of the tables
	date   string
	flags  string // those that affect the results
	again  bool
	only   *regexp.Regexp // nil for all
	foray  program
	stdout io.Writer
	stderr io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	i := -1
	if len(args) > 0 {
		i = slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	}
	if i < 0 {
		usage(stderr)
		return fmt.Errorf("want the name of a benchmark, got %q", args)
	}
	c := commands()[i]
	b := &bench{date: time.Now().Format(time.DateOnly), stdout: stdout, stderr: stderr}
	fs := flag.NewFlagSet("bench "+c.name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	start := c.setup(fs)
	own := flagNames(fs)
	fs.BoolVar(&b.again, "again", false, "measure again the rows of today's table")
	fs.StringVar(&b.dir, "dir", "", "write tables to `dir` (default docs/bench)")
	path := fs.String("foray", "", "measure this `program` (default: built from the source)")
	fs.Func("only", "measure only subjects that match `regexp`", func(s string) (err error) {
		b.only, err = regexp.Compile(s)
		return err
	})
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("want flags only, got %q", fs.Args())
	}
	b.flags = flagText(fs, own)
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	b.dir = cmp.Or(b.dir, filepath.Join(root, "docs", "bench"))
	if b.foray, err = openProgram(ctx, root, *path); err != nil {
		return err
	}
	return start(ctx, b)
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: bench NAME [flags]; -h lists the flags\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-12s %s\n", c.name, c.short)
	}
}

// flagNames returns the flags of a benchmark, without programs: a row names its own.
func flagNames(fs *flag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name != "before" {
			names = append(names, f.Name)
		}
	})
	return names
}

// flagText returns the flags of the given names with their values, whether or not
// they were set: rows are comparable if it is the same.
func flagText(fs *flag.FlagSet, names []string) string {
	var text []string
	for _, n := range names {
		text = append(text, "-"+n+"="+fs.Lookup(n).Value.String())
	}
	return strings.Join(text, " ")
}

// wants reports whether -only leaves name in.
func (b *bench) wants(name string) bool { return b.only == nil || b.only.MatchString(name) }

// choose returns the names that -only leaves in.
func (b *bench) choose(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !b.wants(n) })
}

// logf reports progress.
func (b *bench) logf(format string, args ...any) { fmt.Fprintf(b.stderr, format+"\n", args...) }

// summary prints rows of cells in columns.
func (b *bench) summary(rows [][]string) {
	w := tabwriter.NewWriter(b.stdout, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	// It writes to stdout, so there is no place to report an error.
	_ = w.Flush()
}

// header is the comment line that a table starts with.
func (b *bench) header(name string) string {
	return fmt.Sprintf("# bench %s, %s, %s %s/%s, %d cores, foray %s, %s", name, b.date, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.foray.version, b.flags)
}
