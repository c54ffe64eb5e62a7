package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/harness/odds"
)

// telling holds the options of how findings are told.
type telling struct {
	strict bool
	likely float64 // the least probability of a bug that an error has
	bar    string  // … as the user gave it; empty if not
}

// common holds the options of all commands: how packages are found and built, which
// operations are called, and where the store is. Each command has its own options
// besides.
type common struct {
	json    bool
	verbose bool
	telling
	dir        string // -C: this process has changed to it
	color      event.Color
	build      []string // flags of the go command, passed on
	env        []string // of the go command; nil: that of this process
	args       []string // packages
	pkg        string   // the package, if the arguments are files
	outdir     string
	ops        *regexp.Regexp
	skip       *regexp.Regexp
	allow      *regexp.Regexp
	unconfined bool
	noTwins    bool // files of foray twin declare no operations
	use        use
	temps      *temps
	out        *event.Printer
}

// use says what is learned from the use of a package.
type use struct {
	mode string   // usageOn, usageOff, or empty for usageOn
	of   []string // patterns of packages whose use of the package is read
}

// fuzzTime is how long to fuzz: a duration or, as Nx, a number of sequences.
type fuzzTime struct {
	duration  time.Duration
	sequences uint64
}

func (f *fuzzTime) set(s string) error {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		v, err := strconv.ParseUint(n, 10, 63)
		if err != nil || v == 0 {
			return errors.New("want a count above zero before x, such as 5000x")
		}
		*f = fuzzTime{sequences: v}
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return errors.New("want a duration such as 60s or a number of sequences such as 5000x")
	}
	*f = fuzzTime{duration: d}
	return nil
}

// maxNumber bounds the numbers of flags that need no bound of their own.
const maxNumber = 65535

// numberFlag declares a flag with a number from 1 to a bound.
func numberFlag(fs *flag.FlagSet, n *int, most int, name, usage string) {
	fs.Func(name, usage, func(s string) error {
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 || v > most {
			return fmt.Errorf("want a number from 1 to %d", most)
		}
		*n = v
		return nil
	})
}

// seed is a number that may be zero and need not be given.
type seed struct {
	n     uint64
	given bool
}

func (s *seed) set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("want a number, zero or above")
	}
	*s = seed{n, true}
	return nil
}

// Flags of the go command that are passed on; see go help build. The go command collects the
// values of per-package flags, of others the last one counts.
var (
	buildBools      = []string{"a", "race", "msan", "asan", "trimpath", "modcacherw", "work", "x", "linkshared"}
	buildStrings    = []string{"p", "tags", "mod", "modfile", "overlay", "buildmode", "buildvcs", "compiler", "installsuffix", "pkgdir", "pgo", "toolexec"}
	buildPerPackage = []string{"gcflags", "ldflags", "asmflags", "gccgoflags"}
)

// buildFlags declares the flags of the go command. It returns the arguments that set them, by flag.
func buildFlags(fs *flag.FlagSet) map[string][]string {
	args := map[string][]string{}
	for _, name := range buildBools {
		fs.BoolFunc(name, "", func(s string) error {
			if _, err := strconv.ParseBool(s); err != nil {
				return errors.New("want true or false")
			}
			args[name] = []string{strings.TrimSuffix("-"+name+"="+s, "=true")}
			return nil
		})
	}
	for _, name := range slices.Concat(buildStrings, buildPerPackage) {
		fs.Func(name, "", func(s string) error {
			if slices.Contains(buildStrings, name) {
				args[name] = nil
			}
			args[name] = append(args[name], "-"+name+"="+s)
			return nil
		})
	}
	return args
}

// regexpFlag declares a flag with a regular expression.
func regexpFlag(fs *flag.FlagSet, re **regexp.Regexp, name, usage string) {
	fs.Func(name, usage, func(s string) (err error) {
		*re, err = regexp.Compile(s)
		return err
	})
}

// jsonFlag and the functions after it declare flags that several commands have.
func (c *common) jsonFlag(fs *flag.FlagSet) {
	fs.BoolVar(&c.json, "json", false, "print one JSON object a line")
}

func (c *common) strictFlag(fs *flag.FlagSet) {
	fs.BoolVar(&c.strict, "strict", false, "exit with status 1 for findings of tier panic, too")
}

func (c *common) likelyFlag(fs *flag.FlagSet) {
	c.likely = odds.Likely
	fs.Func("likely", "tell a broken promise as a panic, in a line, if it is a bug with a\nprobability below `p`, by what people judged; 0 tells all as errors\n(default 0.55)", func(text string) error {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return errors.New("want a probability from 0 to 1")
		}
		c.likely, c.bar = p, text
		return nil
	})
}

// fails reports whether a finding of a tier makes a command fail.
func (c *common) fails(t engine.Tier) bool { return t == engine.Error || c.strict && t == engine.Panic }

func (c *common) verboseFlag(fs *flag.FlagSet, more string) {
	fs.BoolVar(&c.verbose, "v", false, "print more: "+more)
}

func (c *common) operationFlags(fs *flag.FlagSet) {
	regexpFlag(fs, &c.ops, "ops", "only operations that match `regexp`, such as '^New|Put$', and\noperations that make values for them")
	regexpFlag(fs, &c.skip, "skip", "no operations that match `regexp`")
}

func (c *common) allowFlag(fs *flag.FlagSet) {
	regexpFlag(fs, &c.allow, "allow", "call operations that match `regexp` though they may run programs,\nchange files or use the network")
}

// runFlags are the flags of a command that runs calls.
func (c *common) runFlags(fs *flag.FlagSet) {
	c.allowFlag(fs)
	fs.BoolVar(&c.unconfined, "unconfined", false, "let the package write files anywhere, not only in a temporary\ndirectory, and open connections")
}

// viewFlags are the flags of a command that reads a store.
func (c *common) viewFlags(fs *flag.FlagSet) {
	fs.StringVar(&c.outdir, "outdir", "", "take corpus and findings from `dir` (default: the fuzz cache of\nthe go command)")
	c.jsonFlag(fs)
}

// readFlags are the flags of a command that runs what a store has.
func (c *common) readFlags(fs *flag.FlagSet) {
	c.runFlags(fs)
	c.viewFlags(fs)
}

// storeFlags are the flags of a command that writes a store, too.
func (c *common) storeFlags(fs *flag.FlagSet) {
	c.runFlags(fs)
	fs.StringVar(&c.outdir, "outdir", "", "keep corpus and findings in `dir` (default: the fuzz cache of\nthe go command, which go clean -fuzzcache empties)")
	c.jsonFlag(fs)
}

// The values of -format of several commands.
const (
	formatText   = "text"
	formatGithub = "github"
)

func formatFlag(fs *flag.FlagSet, format *string) {
	fs.StringVar(format, "format", formatText, "print as `text` or github, with annotations for GitHub workflows")
}

// setFormat has findings printed in a format.
func (c *common) setFormat(format string) error {
	c.out.GitHub = format == formatGithub
	switch {
	case format != formatText && !c.out.GitHub:
		return &load.Error{Place: "-format", Msg: fmt.Sprintf("%q, want text or github", format)}
	case c.out.GitHub && c.json:
		return &load.Error{Msg: "-json and -format github exclude each other"}
	}
	return nil
}

// parse reads the arguments of a command and returns its run function. It changes to the
// directory that -C names; as for the go command, file names are relative to it.
func (p *process) parse(c *command, args []string) (runner, error) {
	o := &common{temps: p.temps}
	fs := flag.NewFlagSet("foray "+c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	run := c.new(fs, o)
	var passed map[string][]string
	if !c.bare {
		fs.StringVar(&o.dir, "C", "", "")
		fs.Func("color", "", o.color.Set)
		passed = buildFlags(fs)
	}
	rest, err := parseFlags(fs, args)
	if err == flag.ErrHelp {
		commandUsage(p.stdout, c)
		return nil, err
	}
	if err != nil {
		return nil, &load.Error{Msg: err.Error(), Hint: c.flagHint(fs, err)}
	}
	for _, name := range slices.Sorted(maps.Keys(passed)) {
		o.build = append(o.build, passed[name]...)
	}
	if o.args, err = c.arguments(rest); err != nil {
		return nil, err
	}
	started, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if o.dir != "" {
		if err := os.Chdir(o.dir); err != nil {
			return nil, &load.Error{Place: "-C", Msg: err.Error(), Hint: "-C names the directory to change to first"}
		}
	}
	o.out = event.NewPrinter(p.stdout, p.stderr, event.Options{JSON: o.json, Verbose: o.verbose, Color: o.color, Dir: started, Stop: p.stop})
	return run, nil
}

// parseFlags reads flags before, between and after the other arguments, which it returns. The
// argument -- ends the flags.
func parseFlags(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if read := len(args) - len(left); read > 0 && args[read-1] == "--" || len(left) == 0 {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// goTestFlags are flags that users of go test -fuzz are used to give.
var goTestFlags = []string{"run", "count", "timeout", "short", "bench", "cpu", "fuzzminimizetime"}

// flagHint returns the hint for an error in the flags of a command. For an unknown flag it
// names a flag of similar spelling, or the commands that have the flag, go test among them.
func (c *command) flagHint(fs *flag.FlagSet, err error) string {
	all := c.flagList()
	if strings.HasPrefix(err.Error(), "invalid boolean value") {
		return "a flag without a value is set, -name=false is not; " + all
	}
	_, name, ok := strings.Cut(err.Error(), "not defined: -")
	if !ok {
		return all
	}
	name = strings.TrimPrefix(name, "-")
	var have, others []string
	fs.VisitAll(func(f *flag.Flag) { have = append(have, f.Name) })
	for _, other := range commands() {
		if other.new == nil {
			continue
		}
		ofs := flag.NewFlagSet("", flag.ContinueOnError)
		other.new(ofs, &common{})
		if ofs.Lookup(name) != nil {
			others = append(others, "foray "+other.name)
		}
	}
	if len(others) > 0 {
		return "-" + name + " is a flag of " + strings.Join(others, ", ") + "; " + all
	}
	if near := text.Nearest(name, have); near != "" {
		return "did you mean -" + near + "? " + all
	}
	if slices.Contains(goTestFlags, strings.TrimPrefix(name, "test.")) {
		return "-" + name + " is a flag of go test, and foray has no use for it; " + all
	}
	return all
}

// flagList says where the flags of a command are listed.
func (c *command) flagList() string { return "foray " + c.name + " -h lists the flags" }

// arguments checks the arguments after the flags. Where they are packages, the default is the
// package in the current directory.
func (c *command) arguments(args []string) ([]string, error) {
	if len(args) > 0 && (c.args == "" || c.args == "[flags]") {
		return nil, &load.Error{Place: c.name, Msg: "takes no arguments", Hint: "foray " + c.name + " -h says what it does"}
	}
	if len(args) == 0 && strings.HasSuffix(c.args, "packages...") {
		return []string{"."}, nil
	}
	for _, arg := range args {
		if strings.HasSuffix(arg, ".go") && !c.bare && !c.files {
			return nil, &load.Error{Place: arg, Msg: "a file, want packages", Hint: "name the directory of the file: ./dir"}
		}
	}
	return args, nil
}

// commandUsage prints the help of a command.
func commandUsage(w io.Writer, c *command) {
	fmt.Fprintf(w, "%s\n\n%s\n", strings.TrimSpace("usage: foray "+c.name+" "+c.args), c.doc)
	if c.bare {
		return
	}
	fmt.Fprint(w, "\nFlags:\n\n")
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c.new(fs, &common{})
	const width = 17 // of the column of flags
	line := func(flag, text string) {
		if len(flag) >= width {
			flag += "\n" + strings.Repeat(" ", width+2)
		}
		fmt.Fprintf(w, "  %-*s%s\n", width, flag, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", width+2)))
	}
	fs.VisitAll(func(f *flag.Flag) {
		arg, text := flag.UnquoteUsage(f)
		if f.DefValue == "true" {
			text += "\n(the default; -" + f.Name + "=false turns it off)"
		}
		line("-"+strings.TrimSpace(f.Name+" "+arg), text)
	})
	line("-C dir", "change to dir first")
	line("-color when", "print in colour: auto (on a terminal, unless NO_COLOR is set), always or never")
	line("build flags", "-race, -tags, -mod … as in go help build")
}

// patterns returns the patterns that name the packages.
func (c *common) patterns() []string {
	if c.pkg != "" {
		return []string{c.pkg}
	}
	return c.args
}

// setSeed draws a seed from the clock unless one was given.
func (s *seed) setSeed() {
	if !s.given {
		s.n = uint64(time.Now().UnixNano()) >> 10 & (1<<32 - 1)
	}
}
