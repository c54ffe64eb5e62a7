package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foray.test/cmd/internal/load"
)

// options are what the flags of all commands say.
type options struct {
	fuzzTime     fuzzTime
	parallel     positive
	seed         seed
	fuzz         string // the expression that chooses a fuzz target
	ops          *regexp.Regexp
	skip         *regexp.Regexp
	allow        *regexp.Regexp
	unconfined   bool
	outdir       string
	aim          bool
	past         bool
	leaks        bool
	coverProfile string
	html         string
	format       string // text; of diff markdown, of fuzz and replay github
	typ          string // the struct type that inputs hold values of
	pkg          string // whose corpus it is about, where the arguments are files
	dryRun       bool
	prune        bool
	undo         bool
	rename       renames
	failing      bool   // gen: tests of findings
	regression   bool   // gen: tests of the corpus
	out          string // gen: where tests of packages outside of the main module go
	json         bool
	verbose      bool
	dir          string   // -C: this process has changed to it
	started      string   // where it was before
	build        []string // flags of the go command, passed on
	args         []string // packages
	temps        *temps
}

// fuzzTime is how long to fuzz: a duration or, as Nx, a number of sequences.
type fuzzTime struct {
	duration  time.Duration
	sequences uint64
}

// String implements [flag.Value].
func (f *fuzzTime) String() string {
	if f.sequences > 0 {
		return fmt.Sprintf("%dx", f.sequences)
	}
	if f.duration > 0 {
		return f.duration.String()
	}
	return ""
}

// Set implements [flag.Value].
func (f *fuzzTime) Set(s string) error {
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

// positive is a number above zero; zero if it was not given.
type positive int

// String implements [flag.Value].
func (p *positive) String() string { return strconv.Itoa(int(*p)) }

// Set implements [flag.Value].
func (p *positive) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return errors.New("want a number from 1 to 65535")
	}
	*p = positive(n)
	return nil
}

// seed is a number that may be zero and need not be given.
type seed struct {
	n     uint64
	given bool
}

// String implements [flag.Value].
func (s *seed) String() string { return strconv.FormatUint(s.n, 10) }

// Set implements [flag.Value].
func (s *seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("want a number, zero or above")
	}
	*s = seed{n, true}
	return nil
}

// Flags of the go command that are passed on as they are; see go help build.
var (
	buildBools   = []string{"a", "race", "msan", "asan", "trimpath", "modcacherw", "work", "x", "linkshared"}
	buildStrings = []string{"p", "tags", "mod", "modfile", "overlay", "gcflags", "ldflags", "asmflags", "gccgoflags", "buildmode", "buildvcs", "compiler", "installsuffix", "pkgdir", "pgo", "toolexec"}
)

// regexpValue is a flag that holds a regular expression.
type regexpValue struct{ re **regexp.Regexp }

func (r regexpValue) String() string {
	if r.re == nil || *r.re == nil {
		return ""
	}
	return (*r.re).String()
}

func (r regexpValue) Set(s string) error {
	re, err := regexp.Compile(s)
	*r.re = re
	return err
}

func fuzzFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.fuzz, "fuzz", "", "fuzz the target of the package's tests that matches `regexp`, as\ngo test does: FuzzXxx(f *testing.F), or a func Fuzz(data []byte) int\nof go-fuzz; until interrupted or -fuzztime")
	fs.Var(&o.fuzzTime, "fuzztime", "fuzz for `60s` or, as 5000x, a number of sequences, shared over\nthe packages (default: until nothing new comes, at most 60s)")
	fs.Var(&o.parallel, "parallel", "run `n` workers (default: one for each processor)")
	fs.Var(&o.seed, "seed", "start the random source at `n` (default: from the clock); with\n-parallel 1, equal seed, corpus and -fuzztime Nx give equal runs")
	fs.BoolVar(&o.aim, "frontier", true, "aim at branch sides not taken once composing gets quiet; false\nonly composes")
	fs.BoolVar(&o.past, "past", false, "go on behind calls that panic by their caller's fault; what fails then\nis no more than a suspect")
	fs.BoolVar(&o.leaks, "leaks", false, "look for goroutines that are left waiting for ever, with the leak\nprofile of Go 1.26: it takes some 20 s once to build the standard library")
	operationFlags(fs, o)
	storeFlags(fs, o)
	formatFlag(fs, o)
	fs.StringVar(&o.coverProfile, "coverprofile", "", "write a coverage profile of the corpus and the findings to `file`,\nfor go tool cover")
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, counts of all operations, every suspect")
}

func diffFlags(fs *flag.FlagSet, o *options) {
	allowFlag(fs, o)
	fs.Var(&o.fuzzTime, "fuzztime", "compare for `60s` or, as 5000x, that many sequences (default: until nothing\nnew comes, at most 60s)")
	fs.Var(&o.seed, "seed", "start the random source at `n` (default: from the clock)")
	operationFlags(fs, o)
	fs.StringVar(&o.outdir, "outdir", "", "take the corpus from `dir` (default: the fuzz cache of the go\ncommand)")
	fs.StringVar(&o.format, "format", "text", "print as `text` or markdown, for a pull request")
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line")
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, what does not repeat itself")
}

func genFlags(fs *flag.FlagSet, o *options) {
	allowFlag(fs, o)
	fs.BoolVar(&o.failing, "failing", false, "write tests of the findings only")
	fs.BoolVar(&o.regression, "regression", false, "write regression tests of the corpus only")
	fs.StringVar(&o.out, "o", "", "write a module with the tests of a package outside of the main\nmodule into `dir`; of several packages, a module below it for each")
	fs.StringVar(&o.outdir, "outdir", "", "take corpus and findings from `dir` (default: the fuzz cache of\nthe go command)")
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line")
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, every entry without a test")
}

func replayFlags(fs *flag.FlagSet, o *options) {
	storeFlags(fs, o)
	formatFlag(fs, o)
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, every suspect")
}

func reportFlags(fs *flag.FlagSet, o *options) {
	storeFlags(fs, o)
	fs.StringVar(&o.html, "html", "", "write the source with what was not taken to `file` as well, as a page\nof HTML")
	fs.BoolVar(&o.verbose, "v", false, "say more: sides that were taken without being searched for")
}

func explainFlags(fs *flag.FlagSet, o *options) {
	operationFlags(fs, o)
	storeFlags(fs, o)
	fs.BoolVar(&o.verbose, "v", false, "say more: operations of which nothing is known, too")
}

func listFlags(fs *flag.FlagSet, o *options) {
	allowFlag(fs, o)
	operationFlags(fs, o)
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line")
	fs.BoolVar(&o.verbose, "v", false, "say more: the operations that only make values, all that makes a type")
}

func initFlags(fs *flag.FlagSet, o *options) {
	allowFlag(fs, o)
	operationFlags(fs, o)
	fs.BoolVar(&o.verbose, "v", false, "say more: all members that are not listed")
}

func operationFlags(fs *flag.FlagSet, o *options) {
	fs.Var(regexpValue{&o.ops}, "ops", "call only operations that match `regexp`, such as '^New|Put$',\nand what makes values for them")
	fs.Var(regexpValue{&o.skip}, "skip", "never call operations that match `regexp`")
}

func allowFlag(fs *flag.FlagSet, o *options) {
	fs.Var(regexpValue{&o.allow}, "allow", "call operations that match `regexp` though they may run programs,\nchange files or use the network")
	fs.BoolVar(&o.unconfined, "unconfined", false, "let what is called write files anywhere, not only in a temporary\ndirectory, and open connections")
}

func storeFlags(fs *flag.FlagSet, o *options) {
	allowFlag(fs, o)
	fs.StringVar(&o.outdir, "outdir", "", "keep corpus and findings under `dir` (default: the fuzz cache of\nthe go command, which go clean -fuzzcache empties)")
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line")
}

func formatFlag(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.format, "format", formatText, "print as `text` or github: with annotations for its workflows, too")
}

// parseFlags reads the arguments of a command and changes to the directory that
// -C names, after which file names count from there, as for the go command.
func parseFlags(c *command, args []string, stdout io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("foray "+c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	own := map[string]bool{}
	if c.flags != nil {
		c.flags(fs, o)
		fs.VisitAll(func(f *flag.Flag) { own[f.Name] = true })
		fs.StringVar(&o.dir, "C", "", "")
		own["C"] = true
		for _, b := range buildBools {
			fs.Bool(b, false, "")
		}
		for _, s := range buildStrings {
			fs.String(s, "", "")
		}
	}
	err := fs.Parse(args)
	if err == flag.ErrHelp {
		commandUsage(stdout, c)
		return nil, err
	}
	if err != nil {
		return nil, &load.Error{Msg: err.Error(), Hint: "foray " + c.name + " -h lists the flags"}
	}
	fs.Visit(func(f *flag.Flag) {
		if !own[f.Name] {
			o.build = append(o.build, buildFlag(f))
		}
	})
	o.args = fs.Args()
	if c.flags != nil && len(o.args) == 0 && !c.files {
		o.args = []string{"."}
	}
	for _, arg := range o.args {
		switch {
		case strings.HasPrefix(arg, "-"):
			return nil, &load.Error{Msg: fmt.Sprintf("flag %s stands behind the packages", arg), Hint: "flags go before packages"}
		case strings.HasSuffix(arg, ".go") && c.flags != nil && !c.files:
			return nil, &load.Error{Place: arg, Msg: "a file, want packages", Hint: "name the directory of the file: ./dir"}
		}
	}
	if o.started, err = os.Getwd(); err != nil {
		return nil, err
	}
	if o.dir != "" {
		if err := os.Chdir(o.dir); err != nil {
			return nil, &load.Error{Place: "-C", Msg: err.Error()}
		}
	}
	return o, nil
}

// buildFlag returns a flag as the go command reads it.
func buildFlag(f *flag.Flag) string {
	if v := f.Value.String(); v != "true" || !slices.Contains(buildBools, f.Name) {
		return "-" + f.Name + "=" + v
	}
	return "-" + f.Name
}

// commandUsage prints what there is to know of a command.
func commandUsage(w io.Writer, c *command) {
	fmt.Fprintf(w, "%s\n\n%s\n", strings.TrimSpace("usage: foray "+c.name+" "+c.args), c.doc)
	if c.flags == nil {
		return
	}
	fmt.Fprint(w, "\nFlags:\n\n")
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c.flags(fs, &options{})
	const width = 17 // of the column of flags
	line := func(flag, text string) {
		if len(flag) >= width {
			flag += "\n" + strings.Repeat(" ", width+2)
		}
		fmt.Fprintf(w, "  %-*s%s\n", width, flag, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", width+2)))
	}
	fs.VisitAll(func(f *flag.Flag) {
		arg, text := flag.UnquoteUsage(f)
		line("-"+strings.TrimSpace(f.Name+" "+arg), text)
	})
	line("-C dir", "change to dir first")
	line("build flags", "-race, -tags, -mod … as in go help build")
}

// patterns are what the packages were named by.
func (o *options) patterns() []string {
	if o.pkg != "" {
		return []string{o.pkg}
	}
	return o.args
}

// relative shortens the absolute name of a file that is not far from where the
// user stands.
func (o *options) relative(name string) string {
	if rel, err := filepath.Rel(o.started, name); err == nil && !strings.HasPrefix(rel, filepath.Join("..", "..")) {
		return rel
	}
	return name
}
