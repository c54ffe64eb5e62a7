// Foray finds bugs in Go packages by using them: it composes sequences of calls
// on a package's own API, runs them at native speed, learns from each run, and
// keeps what it learns as a corpus.
//
// Usage:
//
//	foray fuzz [flags] packages...    find failing calls
//	foray fuzz -fuzz regexp package   fuzz a FuzzXxx of the package's tests
//	foray replay [flags] packages...  run the stored corpus again
//	foray diff [flags] OLD NEW        compare two versions of a package
//	foray init [flags] packages...    write a fuzz test beside a package
//	foray report [flags] packages...  show which branch sides no run took
//	foray list [flags] packages...    show the operations that fuzz would call
//	foray version                     print the version
//	foray help [command]              show the flags of a command
//
// Packages are what the go command takes (., ./..., container/list) and also
// path@version, which needs no go.mod around it.
//
// The exit status is 0 if nothing of tier error, or no difference, was found, 1 if something was,
// 2 for wrong usage or, unless something was found, a package that cannot be
// built.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"foray.test/cmd/internal/load"
)

// The exit codes, as the package comment has them.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	temps := &temps{}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		cancel()
		<-signals
		temps.removeAll()
		os.Exit(exitUsage)
	}()
	// A reader of our output that goes away is an error of a write, which ends the
	// run but does not lose what was found.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &process{stdout: os.Stdout, stderr: os.Stderr, temps: temps, stop: cancel}
	code := p.run(ctx, os.Args[1:])
	temps.removeAll()
	os.Exit(code)
}

// process is what a command has of the system.
type process struct {
	stdout, stderr io.Writer
	temps          *temps
	stop           func() // ends what runs as an interrupt does
}

// command is one subcommand.
type command struct {
	name  string
	args  string
	short string
	doc   string
	flags func(*flag.FlagSet, *options) // nil if it takes none, nor packages
	run   func(context.Context, *options, *output) (int, error)
}

func commands() []command {
	return []command{
		{"fuzz", "[flags] packages...", "find failing calls", fuzzDoc, fuzzFlags, runFuzz},
		{"replay", "[flags] packages...", "run the stored corpus again", replayDoc, replayFlags, runReplay},
		{"diff", "[flags] OLD NEW", "compare two versions of a package", diffDoc, diffFlags, runDiff},
		{"init", "[flags] packages...", "write a fuzz test beside a package", initDoc, initFlags, runInit},
		{"report", "[flags] packages...", "show which branch sides no run took", reportDoc, reportFlags, runReport},
		{"list", "[flags] packages...", "show the operations that fuzz would call", listDoc, listFlags, runList},
		{"version", "", "print the version", versionDoc, nil, runVersion},
	}
}

func (p *process) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		usage(p.stderr)
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		if len(args) == 1 {
			usage(p.stdout)
			return exitClean
		}
		args = []string{args[1], "-h"}
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		o, err := parseFlags(&c, args[1:], p.stdout)
		if err == flag.ErrHelp {
			return exitClean
		}
		code := exitUsage
		if err == nil {
			o.temps = p.temps
			code, err = c.run(ctx, o, newOutput(o, p))
		}
		if err != nil {
			printError(p.stderr, err)
			return exitUsage
		}
		return code
	}
	printError(p.stderr, &load.Error{Msg: fmt.Sprintf("unknown command %q", args[0]), Hint: "foray -h lists the commands"})
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "foray finds bugs in Go packages by calling them in sequences it makes up.\n\nUsage:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  foray %-8s%-22s%s\n", c.name, c.args, c.short)
	}
	fmt.Fprintf(w, "  foray %-8s%-22s%s\n", "help", "[command]", "show the flags of a command")
	fmt.Fprint(w, `
Packages are what the go command takes (., ./..., container/list) and also
path@version, which needs no go.mod around it. For a first look:

  foray fuzz -fuzztime 10s container/list

The exit status is 0 if nothing of tier error was found, 1 if something was, and
2 for wrong usage or a package that cannot be built.
`)
}

// printError prints an error, each of several that are joined in it, with its
// hint, if it has one, on a line of its own. It returns how many there were.
func printError(w io.Writer, err error) int {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		n := 0
		for _, err := range j.Unwrap() {
			n += printError(w, err)
		}
		return n
	}
	fmt.Fprintf(w, "foray: %v\n", err)
	if e, ok := err.(*load.Error); ok && e.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", e.Hint)
	}
	return 1
}

const versionDoc = `Version prints the version of foray and of the Go that it was built with.`

func runVersion(_ context.Context, o *options, out *output) (int, error) {
	if len(o.args) > 0 {
		return exitUsage, &load.Error{Msg: "foray version: takes no arguments"}
	}
	fmt.Fprintf(out.stdout, "foray %s\n", version())
	return exitClean, nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version + " " + info.GoVersion
	}
	return "(devel)"
}
