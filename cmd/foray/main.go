// Foray finds bugs in Go packages by using them: it composes sequences of calls
// on a package's own API, runs them at native speed, learns from each run, and
// keeps what it learns as a corpus.
//
// Usage:
//
//	foray fuzz [flags] packages...    find failing calls
//	foray replay [flags] packages...  run the stored corpus again
//	foray list [flags] packages...    show the operations that fuzz would call
//	foray version
//
// Packages are what the go command takes (., ./..., container/list) and also
// path@version, which needs no go.mod around it.
//
// The exit status is 0 if nothing of tier error was found, 1 if something was,
// 2 for wrong usage or a package that cannot be built.
package main

import (
	"context"
	"errors"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is one subcommand.
type command struct {
	name  string
	args  string
	short string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error)
}

func commands() []command {
	return []command{
		{"fuzz", "[flags] packages...", "find failing calls", runFuzz},
		{"replay", "[flags] packages...", "run the stored corpus again", runReplay},
		{"list", "[flags] packages...", "show the operations that fuzz would call", runList},
		{"version", "", "print the version", runVersion},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		usage(stdout)
		return exitClean
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		code, err := c.run(ctx, args[1:], stdout, stderr)
		if errors.Is(err, flag.ErrHelp) {
			return exitClean
		}
		if err != nil {
			printError(stderr, err)
			return exitUsage
		}
		return code
	}
	printError(stderr, &load.Error{Place: "foray", Msg: fmt.Sprintf("unknown command %q", args[0]), Hint: "run foray -h for the list of commands"})
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "foray finds bugs in Go packages by calling them in sequences it makes up.\n\nUsage:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  foray %-8s%-22s%s\n", c.name, c.args, c.short)
	}
	fmt.Fprint(w, `
Packages are what the go command takes (., ./..., container/list) and also
path@version, which needs no go.mod around it. For a first look:

  foray fuzz -fuzztime 10s container/list

Run foray COMMAND -h for the flags of a command.
`)
}

// printError prints an error and, if it has one, its hint on a line of its own.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "foray: %v\n", err)
	if e, ok := errors.AsType[*load.Error](err); ok && e.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", e.Hint)
	}
}

func runVersion(_ context.Context, _ []string, stdout, _ io.Writer) (int, error) {
	fmt.Fprintf(stdout, "foray %s\n", version())
	return exitClean, nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version + " " + info.GoVersion
	}
	return "(devel)"
}
