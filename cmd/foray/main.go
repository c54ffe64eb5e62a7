// Foray finds bugs in Go packages by using them. It composes sequences of calls on a
// package's own API, runs them at native speed and learns from each run. It keeps the
// sequences that reach new code as a corpus.
//
// Usage:
//
//	foray fuzz [flags] packages...    find failing calls
//	foray fuzz -fuzz regexp package   fuzz a FuzzXxx of the package's tests
//	foray explore [flags] packages... run all short sequences of calls
//	foray replay [flags] packages...  run the stored corpus again
//	foray gen [flags] packages...     write what is stored as Go tests
//	foray diff [flags] OLD NEW        compare two versions of a package
//	foray init [flags] packages...    write a fuzz test beside a package
//	foray twin [flags] Type [pkg]     write a test of all small values of a type
//	foray solve [flags] packages...   solve for arguments that take branches
//	foray report [flags] packages...  show which branch sides no run took
//	foray explain [flags] packages... show why calls and findings count as what they do
//	foray judge SIGNATURE VERDICT ... say whether a finding is real
//	foray list [flags] packages...    show the operations that fuzz would call
//	foray corpus command ...          look at and look after what was stored
//	foray farm command ...            fuzz many targets for hours
//	foray clean                       remove built workers and what killed runs left
//	foray version                     print the version
//	foray help [command]              show the flags of a command
//
// Packages are named as for the go command (., ./..., container/list), or as
// path@version, which needs no go.mod.
//
// The exit status is 1 if a finding of tier error, or a difference, was found. Otherwise it
// is 130 if the command was interrupted, and 2 for wrong usage, or for a package that cannot
// be built or could not be tested. In all other cases it is 0.
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
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/engine/worker"
)

// The exit codes, as the package comment has them.
const (
	exitClean       = 0
	exitFindings    = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells tell of SIGINT
)

func main() {
	if mark := os.Getenv(guardVar); mark != "" {
		guard(mark)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	temps := &temps{goToo: true}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var interrupted atomic.Bool
	go func() {
		<-signals
		interrupted.Store(true)
		cancel()
		<-signals
		endRun(worker.Run())
		temps.removeAll()
		os.Exit(exitInterrupted)
	}()
	// A reader of foray's output that goes away causes a write error, which ends the run
	// but loses no findings.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &process{stdout: os.Stdout, stderr: os.Stderr, temps: temps, stop: cancel}
	code := p.run(ctx, os.Args[1:])
	endRun(worker.Run())
	stopGuard()
	temps.removeAll()
	if interrupted.Load() && code != exitFindings {
		code = exitInterrupted
	}
	os.Exit(code)
}

// process holds the parts of the system that a command uses.
type process struct {
	stdout, stderr io.Writer
	temps          *temps
	stop           func() // ends the command as an interrupt does
}

// command is one subcommand.
type command struct {
	name  string
	args  string
	short string
	doc   string
	// new declares the flags of the command, and returns the function that runs it once they
	// are parsed.
	new   func(*flag.FlagSet, *common) runner
	bare  bool      // it takes no flags and no packages
	files bool      // its arguments are files, and -pkg names the package
	sub   []command // its first argument is one of these
}

// runner runs a command and returns the exit code.
type runner func(context.Context) (int, error)

func commands() []command {
	return slices.Concat([]command{
		{name: "fuzz", args: "[flags] packages...", short: "find failing calls", doc: fuzzDoc, new: newFuzz},
		{name: "explore", args: "[flags] packages...", short: "run all short sequences of calls", doc: exploreDoc, new: newExplore},
		{name: "replay", args: "[flags] packages...", short: "run the stored corpus again", doc: replayDoc, new: newReplay},
		{name: "gen", args: "[flags] packages...", short: "write what is stored as Go tests", doc: genDoc, new: newGen},
		{name: "diff", args: "[flags] OLD NEW", short: "compare two versions of a package", doc: diffDoc, new: newDiff},
		{name: "init", args: "[flags] packages...", short: "write a fuzz test beside a package", doc: initDoc, new: newInit},
		{name: "twin", args: "[flags] Type [pkg]", short: "write a test of all small values of a type", doc: twinDoc, new: newTwin},
		{name: "solve", args: "[flags] packages...", short: "solve for arguments that take branches", doc: solveDoc, new: newSolve},
		{name: "report", args: "[flags] packages...", short: "show which branch sides no run took", doc: reportDoc, new: newReport},
		{name: "explain", args: "[flags] packages...", short: "show why calls and findings count as what they do", doc: explainDoc, new: newExplain},
		{name: "judge", args: "SIGNATURE VERDICT ...", short: "say whether a finding is real", doc: judgeDoc, new: newJudge},
		{name: "list", args: "[flags] packages...", short: "show the operations that fuzz would call", doc: listDoc, new: newList},
		{name: "corpus", args: "command ...", short: "look at and look after what was stored", doc: corpusDoc, sub: corpusCommands()},
		{name: "clean", short: "remove built workers and what killed runs left", doc: cleanDoc, new: newClean, bare: true},
	}, farmCommands(), []command{
		{name: "version", short: "print the version", doc: versionDoc, new: newVersion, bare: true},
	})
}

func (p *process) run(ctx context.Context, args []string) int {
	return p.choose(ctx, command{name: "", sub: commands()}, args)
}

// choose runs the command of c that the first argument names.
func (p *process) choose(ctx context.Context, c command, args []string) int {
	if len(args) == 0 {
		printUsage(p.stderr, &c)
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		if len(args) == 1 || slices.Contains([]string{"-h", "-help", "--help", "help"}, args[1]) {
			printUsage(p.stdout, &c)
			return exitClean
		}
		if len(args) > 2 && c.leaf(args[1]) {
			event.PrintError(p.stderr, &load.Error{Msg: fmt.Sprintf("unexpected %q", args[2]), Hint: "help takes a command: foray help " + args[1]})
			return exitUsage
		}
		args = append(args[1:len(args):len(args)], "-h")
	case "-version", "--version":
		args = []string{"version"}
	}
	for _, sub := range c.sub {
		if sub.name != args[0] {
			continue
		}
		sub.name = strings.TrimSpace(c.name + " " + sub.name)
		if sub.sub != nil {
			return p.choose(ctx, sub, args[1:])
		}
		return p.runCommand(ctx, &sub, args[1:])
	}
	event.PrintError(p.stderr, &load.Error{Msg: fmt.Sprintf("unknown command %q", strings.TrimSpace(c.name+" "+args[0])), Hint: c.commandHint(args)})
	return exitUsage
}

// leaf reports whether a command of c has that name and no commands of its own.
func (c *command) leaf(name string) bool {
	return slices.ContainsFunc(c.sub, func(sub command) bool { return sub.name == name && sub.sub == nil })
}

// commandHint returns the hint for arguments that begin with no command of c. It names a
// command of similar spelling, or fuzz if the arguments are packages or flags.
func (c *command) commandHint(args []string) string {
	place := strings.TrimSpace("foray " + c.name)
	var names []string
	for _, sub := range c.sub {
		names = append(names, sub.name)
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return slices.Contains(names, arg) }); i > 0 {
		return fmt.Sprintf("did you mean %s %s? a command comes first", place, strings.Join(slices.Concat(args[i:i+1], args[:i], args[i+1:]), " "))
	}
	switch near := text.Nearest(args[0], names); {
	case near != "":
		return fmt.Sprintf("did you mean %s %s? %[1]s -h lists the commands", place, near)
	case c.name == "" && strings.ContainsAny(args[0], "./-"):
		return "did you mean foray fuzz " + strings.Join(args, " ") + "? a command comes first, and foray -h lists them"
	}
	return place + " -h lists the commands"
}

func (p *process) runCommand(ctx context.Context, c *command, args []string) int {
	run, err := p.parse(c, args)
	if err == flag.ErrHelp {
		return exitClean
	}
	code := exitUsage
	if err == nil {
		err = p.temps.open()
	}
	if err == nil {
		code, err = run(ctx)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if err != nil {
		event.PrintError(p.stderr, c.hinted(err))
		return exitUsage
	}
	return code
}

// hinted gives a hint to an error about a flag of c, and to those joined in it, if they have none.
func (c *command) hinted(err error) error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range j.Unwrap() {
			_ = c.hinted(err)
		}
	}
	if e, ok := err.(*load.Error); ok && e.Hint == "" && strings.HasPrefix(e.Error(), "-") {
		e.Hint = c.flagList()
	}
	return err
}

// printUsage prints the commands of c.
func printUsage(w io.Writer, c *command) {
	if c.name != "" {
		fmt.Fprintf(w, "usage: foray %s %s\n\n%s\n\nCommands:\n\n", c.name, c.args, c.doc)
		for _, sub := range c.sub {
			fmt.Fprintf(w, "  foray %s %-8s%-24s%s\n", c.name, sub.name, sub.args, sub.short)
		}
		fmt.Fprintf(w, "\nforay %s command -h shows the flags of one.\n", c.name)
		return
	}
	fmt.Fprint(w, "foray finds bugs in Go packages by calling their functions in random sequences.\n\nUsage:\n\n")
	for _, sub := range c.sub {
		fmt.Fprintf(w, "  foray %-8s%-22s%s\n", sub.name, sub.args, sub.short)
	}
	fmt.Fprintf(w, "  foray %-8s%-22s%s\n", "help", "[command]", "show the flags of a command")
	fmt.Fprint(w, `
Packages are what the go command takes (., ./..., container/list) and also
path@version, which needs no go.mod around it. For a first look:

  foray fuzz -fuzztime 10s container/list

The exit status is 0 if nothing of tier error was found, 1 if something was, 2
for wrong usage, a package that cannot be built or tested, and 130 if the command was
interrupted before it found something.
`)
}

const versionDoc = `Version prints the version of foray and of the Go that it was built with.`

func newVersion(_ *flag.FlagSet, c *common) runner {
	return func(context.Context) (int, error) {
		c.out.Printf("foray %s", version())
		return exitClean, nil
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version + " " + info.GoVersion
	}
	return "(devel)"
}
