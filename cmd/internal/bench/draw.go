package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A draw is a sample of packages that nobody has tuned foray for, with its findings, for a
// person to judge. Its number is the seed of the sample.
type draw struct {
	seed     uint64
	packages int           // that it fuzzes
	each     time.Duration // that it fuzzes one for
	parallel int           // workers
}

// minMembers is how many exported functions and methods a package of a draw has at least
// that foray can call.
const minMembers = 5

func setupDraw(fs *flag.FlagSet) func(context.Context, *bench) error {
	var d draw
	fs.Uint64Var(&d.seed, "seed", 1, "draw by `n`, and start the random source there")
	fs.IntVar(&d.packages, "n", 15, "draw so many `packages`")
	fs.DurationVar(&d.each, "t", 25*time.Second, "fuzz each package for so `long`")
	fs.IntVar(&d.parallel, "parallel", 1, "run so many `workers`")
	return func(ctx context.Context, b *bench) error { return b.draw(ctx, d) }
}

func (d draw) name() string { return fmt.Sprintf("draw-%d", d.seed) }

// draw fuzzes packages of docs/bench/modules.txt in the order of the draw, until it has as
// many as it wants, and writes the table to be judged.
func (b *bench) draw(ctx context.Context, d draw) error {
	runs, err := b.table(d.name()+"-runs", 1, "package", "drawn", "skipped", "members", "error", "suspect", "sequences", "exit", "wall_s", "load", "errors")
	if err != nil {
		return err
	}
	found, err := b.table(d.name(), 1, drawColumns...)
	if err != nil {
		return err
	}
	written, err := readWritten(b.dir, d.name(), []string{"package", "signature", "tier"}, handColumns...)
	if err != nil {
		return err
	}
	list, err := readModules(filepath.Join(b.dir, "modules.txt"))
	if err != nil {
		return err
	}
	before, err := readBefore(b.dir)
	if err != nil {
		return err
	}
	n := 0
	for i, path := range shuffled(list, d.seed) {
		if n == d.packages {
			break
		}
		ok, err := b.drawOne(ctx, d, drawn{path: path, place: i + 1, before: before[path], written: written}, runs, found)
		if err != nil {
			return err
		}
		if ok {
			n++
		}
	}
	return b.finish(drawSummary, found, runs)
}

// drawn is a package that was drawn.
type drawn struct {
	path    string
	place   int      // in the order of the draw, from 1
	before  []string // the draws that have had it
	written map[string][]string
}

// address and moduleCache match places in messages of the go command.
var (
	address     = regexp.MustCompile(`https?://[^ "]+`)
	moduleCache = regexp.MustCompile(`/[^ "]*/pkg/mod/`)
)

// placeless returns a message without places: a table says nothing of where it was measured.
func placeless(message string) string {
	return moduleCache.ReplaceAllString(address.ReplaceAllString(message, "the module proxy"), "")
}

// drawOne fuzzes a package, or says why not. It reports whether the package counts.
func (b *bench) drawOne(ctx context.Context, d draw, p drawn, runs, found *table) (bool, error) {
	if i := slices.IndexFunc(runs.rows, func(r []string) bool { return r[0] == p.path && runs.current(r) }); i >= 0 {
		return record{runs.columns, runs.rows[i]}.get("skipped") == "", nil
	}
	skip := func(why string, members int) (bool, error) {
		why = placeless(why)
		b.logf("%d: %s: skipped: %s", p.place, p.path, why)
		return false, runs.put([]string{p.path}, []string{count(p.place), why, count(members), "", "", "", "", "", "", ""})
	}
	// draw-1, suspects-1 and illegal-1 are of one draw.
	same := func(name string) bool { return strings.HasSuffix(name, fmt.Sprintf("-%d", d.seed)) }
	if other := slices.DeleteFunc(slices.Clone(p.before), same); len(other) > 0 {
		return skip("known from "+strings.Join(other, ", "), 0)
	}
	name, members, problem, err := b.foray.members(ctx, p.path+"@latest")
	if err != nil {
		return false, err
	}
	if problem != "" {
		return skip(problem, members)
	}
	if members < minMembers {
		return skip("too few operations", members)
	}
	load := loadAverage()
	r, err := b.foray.fuzz(ctx, job{
		args:  []string{"-fuzztime=" + d.each.String(), fmt.Sprintf("-seed=%d", d.seed), fmt.Sprintf("-parallel=%d", d.parallel), name},
		limit: d.each + buildTime,
	})
	if err != nil {
		return false, err
	}
	if len(r.packages) == 0 {
		return skip(cmp.Or(r.problem(), "no run"), members)
	}
	if err := found.put([]string{name}, drawRows(r.findings, r.shown(), name, p.written)...); err != nil {
		return false, err
	}
	b.logf("%d: %s: %d error, %d suspect, exit %d, %.0f s %s", p.place, name, r.summary.Findings.Error, r.summary.Findings.Suspect, r.exit, r.wall.Seconds(), r.problem())
	return true, runs.put([]string{p.path}, []string{
		count(p.place), "", count(members), count(r.summary.Findings.Error), count(r.summary.Findings.Suspect),
		count(r.pkg().Sequences), count(r.exit), decimal(r.wall.Seconds(), 1), load, placeless(r.problem()),
	})
}

// readModules reads a list of import paths, one a line; a line that begins with # is a comment.
func readModules(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.ContainsAny(line, " \t@") || !strings.Contains(line, ".") {
			return nil, fmt.Errorf("%s:%d: want the import path of a package of a module, without a version, got %q", path, i+1, line)
		}
		if slices.Contains(list, line) {
			return nil, fmt.Errorf("%s:%d: %s is there before", path, i+1, line)
		}
		list = append(list, line)
	}
	return list, nil
}

// shuffled returns list in the order of the draw of a seed.
func shuffled(list []string, seed uint64) []string {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// readBefore returns the draws that have had each package: those of its labels, and those that
// fuzzed it, whether or not there was a finding.
func readBefore(dir string) (map[string][]string, error) {
	draws := map[string][]string{}
	add := func(pkg, name string) {
		if !slices.Contains(draws[pkg], name) {
			draws[pkg] = append(draws[pkg], name)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "draw-*-runs-*.tsv"))
	if err != nil {
		return nil, err
	}
	for _, file := range append(files, filepath.Join(dir, "labels.tsv")) {
		rows, err := rowsOf(file, "package", "draw", "skipped")
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(filepath.Base(file), "-runs-")
		for _, r := range rows {
			if r[2] == "" {
				add(r[0], cmp.Or(r[1], name))
			}
		}
	}
	return draws, nil
}

// drawColumns are the columns of the table to be judged. It has all findings; rank counts those
// that are shown without -v, and same_as names the one that foray joins a finding with.
var drawColumns = slices.Concat(
	[]string{"package", "signature", "tier"}, handColumns,
	[]string{"rank", "rule", "claim", "operation", "message", "document", "same_as", "flaky", "near", "odds", "statements"},
)

// handColumns are filled by a person. cause is the signature of an earlier finding of the
// package that has the same cause.
var handColumns = []string{"verdict", "sentence", "cause"}

// drawRows returns rows, without the package's name, with the cells that were written by hand
// before. The rank of a finding is its place among the signatures shown. A signature that is told
// again has a higher tier then, which counts.
func drawRows(findings []finding, shown []string, pkg string, written map[string][]string) [][]string {
	var rows [][]string
	for i, f := range findings {
		if slices.ContainsFunc(findings[i+1:], func(later finding) bool { return later.Signature == f.Signature }) {
			continue
		}
		hand := written[strings.Join([]string{pkg, cell(f.Signature), f.Tier}, "\t")]
		if hand == nil {
			hand = make([]string, len(handColumns))
		}
		rows = append(rows, slices.Concat([]string{f.Signature, f.Tier}, hand,
			[]string{place(shown, f), f.Rule, f.Claim, f.Operation, f.Message, f.Document, f.SameCauseAs, fmt.Sprint(f.Flaky), f.Near, fmt.Sprint(f.Odds), f.Sequence}))
	}
	return rows
}

// place returns the rank of a finding, empty if it is not shown.
func place(shown []string, f finding) string {
	if i := slices.Index(shown, f.Signature); i >= 0 && f.SameCauseAs == "" {
		return count(i + 1)
	}
	return ""
}

// Verdicts of a person on a finding. The sentence beside it quotes the documentation that it
// rests on.
const (
	verdictReal  = "real"  // the package breaks a promise of its own or of the language
	verdictMinor = "minor" // a defect, at which most maintainers shrug
	verdictFalse = "false" // it does not: foray cried wolf
)

// A tally counts verdicts.
type tally struct{ real, minor, false, open int }

func (t *tally) add(verdict string) {
	switch verdict {
	case verdictReal:
		t.real++
	case verdictMinor:
		t.minor++
	case verdictFalse:
		t.false++
	default:
		t.open++
	}
}

// row gives the counts, and the share of real ones with its interval.
func (t tally) row(name string) []string {
	n := t.real + t.minor + t.false
	low, high := wilson(t.real, n)
	return []string{
		name, count(n + t.open), count(t.real), count(t.minor), count(t.false), count(t.open),
		share(float64(t.real), float64(n)), decimal(100*low, 0) + "–" + decimal(100*high, 0),
	}
}

// drawSummary counts the verdicts on the first finding of each package, of those shown and of
// those above suspects, and by tier on findings that stand for their cause.
func drawSummary(records []record) [][]string {
	var shown, first tally
	byTier, best := map[string]*tally{}, map[string]int{}
	for _, r := range records {
		if r.get("rank") != "" && r.get("tier") != "suspect" {
			if n := best[r.get("package")]; n == 0 || r.rank() < n {
				best[r.get("package")] = r.rank()
			}
		}
	}
	for _, r := range records {
		tier, verdict := r.get("tier"), r.get("verdict")
		if r.rank() == 1 {
			shown.add(verdict)
		}
		if tier != "suspect" && r.rank() > 0 && r.rank() == best[r.get("package")] {
			first.add(verdict)
		}
		if r.get("same_as")+r.get("cause") != "" {
			continue
		}
		if byTier[tier] == nil {
			byTier[tier] = &tally{}
		}
		byTier[tier].add(verdict)
	}
	rows := [][]string{
		{"causes", "all", "real", "minor", "false", "to judge", "real %", "95 % interval"},
		first.row("first error or panic of a package"), shown.row("first shown of a package"),
	}
	for _, name := range []string{"error", "panic", "suspect"} {
		if t := byTier[name]; t != nil {
			rows = append(rows, t.row("tier "+name))
		}
	}
	return rows
}

// rank is the place of a finding among those of its package that are shown, 0 if it is not.
func (r record) rank() int { return int(r.num("rank")) }

// wilson returns the interval of a share of n, in which the true share lies with 95 %
// certainty [Wilson27].
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

// members returns the name of a package with its version, and how many of its exported
// functions and methods foray can call. problem says why foray cannot load it.
func (p program) members(ctx context.Context, pkg string) (name string, members int, problem string, err error) {
	cmd := exec.CommandContext(ctx, p.path, "list", "-json", pkg)
	if cmd.Dir, err = emptyDir(); err != nil {
		return "", 0, "", err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", 0, cmp.Or(firstLine(strings.Join(problems(stderr.String()), "\n")), err.Error()), nil
	}
	if err != nil {
		return "", 0, "", err
	}
	name, members, err = callable(stdout.Bytes())
	return name, members, "", err
}

// callable returns the name of a package and the number of its members, from the output
// of foray list -json.
func callable(output []byte) (name string, members int, err error) {
	seen := map[string]bool{}
	for line := range bytes.Lines(output) {
		var e struct {
			Event, Package, Member string
			Call                   bool
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return "", 0, fmt.Errorf("foray list printed %.80q: %w", line, err)
		}
		name = cmp.Or(name, e.Package)
		if e.Event == "operation" && e.Call && e.Member != "" {
			seen[e.Member] = true
		}
	}
	return name, len(seen), nil
}
