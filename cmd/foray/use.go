package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/profile"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/usage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/blame"
	"foray.test/harness/build"
	"foray.test/harness/contract"
	"foray.test/harness/odds"
)

// The values of -usage.
const (
	usageOn  = "on"
	usageOff = "off"
)

func usageFlag(fs *flag.FlagSet, mode *string) {
	fs.StringVar(mode, "usage", usageOn, "take up the calls of the package's own tests and examples: `on`\nor off")
}

func (c *common) usageOfFlag(fs *flag.FlagSet) {
	fs.Func("usage-of", "take up the calls that these `packages`, separated by commas, make of the\npackage, too; those of its own module always count", func(s string) error {
		c.use.of = append(c.use.of, strings.Split(s, ",")...)
		return nil
	})
}

func checkUsage(mode string) error {
	if mode != usageOn && mode != usageOff {
		return &load.Error{Place: "-usage", Msg: fmt.Sprintf("%q, want on or off", mode)}
	}
	return nil
}

// readUsage begins to read the tests of the package and its users, beside the build.
func (s *subject) readUsage(ctx context.Context, pkg *load.Package) {
	table, tests := s.table, s.checked
	s.usage = sync.OnceValue(func() *usage.Usage {
		if tests == nil {
			tests = pkg.CheckTests(ctx)
		}
		users, problems := pkg.CheckUsers(ctx, s.use.of)
		for _, p := range problems {
			if slices.Contains(s.use.of, p.Path) {
				s.out.Warn("-usage-of "+p.Path+": "+text.OneLine(p.Msg, 200), "")
			}
		}
		u := usage.Read(pkg, tests, users, table)
		if pkg.ReadsOwnModule() {
			u.Profile.Users = append(u.Profile.Users, pkg.Module.Path+"/...")
		}
		return u
	})
	go s.usage()
}

// seeds returns the sequences that the package's tests have in their source.
func (s *subject) seeds() []seq.Sequence {
	if s.found.Usage == nil {
		return nil
	}
	return s.parse(s.found.Usage.Sequences)
}

// parse returns the sequences of texts that the worker can run.
func (s *subject) parse(texts []string) (list []seq.Sequence) {
	parser, err := seq.NewParser(s.table)
	if err != nil {
		return nil // the table has no text: nor has it a corpus, which reports the error
	}
	dropped := s.dropped()
	for _, statements := range texts {
		steps, err := parser.Parse(statements)
		if err == nil && !slices.ContainsFunc(steps, func(st seq.Step) bool { return slices.Contains(dropped, st.Op) }) {
			list = append(list, steps)
		}
	}
	return list
}

// seenOf returns the literals that tests use.
func (s *subject) seenOf(u *usage.Usage) (list []wire.Seen) {
	if u != nil {
		for _, l := range u.Dictionary(s.table) {
			list = append(list, wire.Seen(l))
		}
	}
	return list
}

// noteUsage tells what the tests of the package gave.
func (r *recorder) noteUsage() {
	u := r.s.found.Usage
	switch {
	case r.f.use.mode == usageOff:
	case u == nil || u.Functions+u.Users == 0:
		r.Note(r.s.target.Path + ": usage: no test, example or fuzz target")
	default:
		readers := text.Plural(u.Functions, "test")
		if u.Users > 0 {
			readers += " and " + text.Plural(u.Users, "function") + " of other packages"
		}
		r.Note(fmt.Sprintf("%s: usage: %s of %s give %s; %d cannot be written; %s kept", r.s.target.Path, text.Plural(u.Places, "call"),
			readers, text.Plural(len(u.Sequences), "sequence"), u.Dropped, text.Plural(r.sown, "entry")))
	}
}

// recordKey returns the key under which the use that the tests of a package make when they
// run is kept. It changes with the package and its tests.
func (s *subject) recordKey() string {
	return s.target.TestStamp("record", version(), fmt.Sprint(s.ops), fmt.Sprint(s.skip), fmt.Sprint(s.allow))
}

// recorded returns the use that the package's tests made when they last ran, nil if it is not
// known.
func (s *subject) recorded() *usage.Usage {
	data, ok := build.Kept(s.recordKey())
	u := new(usage.Usage)
	if !ok || json.Unmarshal(data, u) != nil {
		return nil
	}
	return u
}

// recordAfter is how long a run lasts before the package's tests are built beside it: the
// analysis build, which helps more, begins before.
const recordAfter = time.Second

// addRecorded adds the recorded use of the package's tests to c. It does so at once if the use
// is known, or if a count of sequences ends the run: no clock is to decide when it comes.
// Otherwise it comes while the run goes on. stop ends the recording.
func (f *fuzzing) addRecorded(ctx context.Context, s *subject, c *coordinator.Config) (stop func()) {
	stop = func() {}
	if len(s.target.TestGoFiles)+len(s.target.XTestGoFiles) == 0 || f.scope != nil {
		return stop
	}
	u := s.recorded()
	if u == nil && f.fuzzTime.sequences > 0 {
		u = f.record(ctx, s)
	}
	if u != nil {
		s.ran = u
		f.out.Note(s.recordedNote(u))
		c.Seeds = append(s.parse(u.Sequences), c.Seeds...)
		c.Seen = append(c.Seen, s.seenOf(u)...)
		return stop
	}
	ctx, cancel := context.WithCancel(ctx)
	late, ended := make(chan coordinator.Late, 1), make(chan struct{})
	c.Late = late
	go func() {
		defer close(ended)
		defer close(late)
		select {
		case <-ctx.Done():
			return
		case <-time.After(recordAfter):
		}
		if u := f.record(build.Behind(ctx), s); u != nil {
			s.ran = u
			late <- coordinator.Late{Seeds: s.parse(u.Sequences), Seen: s.seenOf(u), Note: s.recordedNote(u)}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// record runs the package's tests and returns the use that they make. It keeps it for later
// runs, unless ctx ends it.
func (f *fuzzing) record(ctx context.Context, s *subject) *usage.Usage {
	u, err := f.runTests(ctx, s)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		u = &usage.Usage{Note: "its tests are not recorded: " + err.Error()}
	}
	if _, ok := errors.AsType[*build.CompileError](err); err == nil || ok {
		if data, err := json.Marshal(u); err == nil {
			_ = build.Keep(s.recordKey(), data) // or the next run records anew
		}
	}
	return u
}

func (f *fuzzing) runTests(ctx context.Context, s *subject) (*usage.Usage, error) {
	dir, err := f.temps.make()
	if err != nil {
		return nil, err
	}
	defer f.temps.remove(dir)
	pkg, r, err := f.startTests(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	u := r.Use(pkg, pkg.CheckTests(ctx), s.table, s.dropped())
	u.Profile.SetStamp(sourceStamp(s.target))
	u.Ran = time.Since(began)
	return u, nil
}

// startTests starts the package's tests, when no other build is under way.
func (f *fuzzing) startTests(ctx context.Context, s *subject, dir string) (*load.Package, *usage.Recording, error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	pkg, err := load.One(ctx, s.target)
	if err != nil {
		return nil, nil, err
	}
	r, err := usage.StartRecording(ctx, pkg, dir, s.free)
	return pkg, r, err
}

// recordedNote says what running the tests gave.
func (s *subject) recordedNote(u *usage.Usage) string {
	if u.Recorded == 0 && u.Note != "" {
		return s.target.Path + ": usage: " + u.Note
	}
	line := fmt.Sprintf("%s: usage: %d of %s that tests make in %v give %s", s.target.Path, u.Written, text.Plural(u.Recorded, "call"),
		u.Ran.Round(10*time.Millisecond), text.Plural(len(u.Sequences), "sequence"))
	if u.Note != "" {
		line += "; " + u.Note
	}
	return line
}

// sourceStamp returns a checksum of the sources of a package and its tests, the same on every
// machine.
func sourceStamp(t *build.Target) string {
	h := sha256.New()
	for _, name := range slices.Concat(t.GoFiles, t.TestGoFiles, t.XTestGoFiles) {
		if build.Emitted(name) {
			continue
		}
		data, _ := t.ReadFile(name) // a file that is gone counts by its name
		sum := sha256.Sum256(data)
		h.Write([]byte(filepath.Base(name) + "\x00"))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// profileNow returns the use of the package: places as the source has them now, the rest as earlier
// runs have left it. It is nil for a package without tests that nothing uses.
func (s *subject) profileNow(ctx context.Context, pkg *load.Package) *profile.Profile {
	read := usage.Read(pkg, pkg.CheckTests(ctx), nil, s.table)
	old := s.loadProfile()
	if old == nil && read.Functions == 0 {
		return nil
	}
	if old != nil {
		read.Profile.Merge(old)
	}
	return read.Profile
}

// loadProfile returns the stored use of the package, nil if there is none. An unreadable one is set
// aside, with a warning.
func (s *subject) loadProfile() *profile.Profile {
	p := &profile.Profile{Package: s.target.Path}
	err := s.store.LoadProfile(p)
	if err == nil {
		return p
	}
	if !errors.Is(err, fs.ErrNotExist) {
		s.warn(err)
	}
	return nil
}

// rememberProfile merges the use that this run has seen with that of earlier ones, and saves it.
func (s *subject) rememberProfile() {
	used := s.found.Usage
	if used == nil || used.Functions+used.Users == 0 {
		return
	}
	now := used.Profile.Clone()
	if s.ran != nil && s.ran.Profile != nil {
		now.Merge(s.ran.Profile)
	}
	old := &profile.Profile{Package: s.target.Path}
	s.keep(s.store.LoadProfile(old), func() { now.Merge(old) }, func() error { return s.store.SaveProfile(now) })
}

// explainTypes prints the use of the types that have methods.
func (s *subject) explainTypes(used *profile.Profile, stamp string) {
	if used == nil {
		return
	}
	seen := map[string]bool{}
	for i := range s.table.Ops {
		name := profile.TypeName(s.table, &s.table.Ops[i])
		if !s.table.Ops[i].API || seen[name] || !used.HasType(name) {
			continue
		}
		seen[name] = true
		t := used.Type(name)
		if lines := t.Lines(stamp); len(lines) > 0 {
			s.out.Print(&event.TypeUse{Package: s.name(), Type: name, Use: lines, Profile: t})
		}
	}
}

// kinds returns the kinds of calls that the tests of the package make.
func (s *subject) kinds() *usage.Kinds {
	if s.tests == nil {
		s.tests = s.found.Usage.Kinds(s.table)
	}
	return s.tests
}

// compareTests sets how the tests of the package use the last call of a finding, and its odds.
func (s *subject) compareTests(e *event.Finding, f *engine.Finding) {
	v, steps := &f.Verdict, f.Steps
	if s.fuzz == "" {
		u, name := s.kinds().Use(steps), "it"
		if last := steps[len(steps)-1].Op; s.table.Ops[last].Short != e.Operation {
			name = s.table.Ops[last].Short // a contract of another operation, which this one showed
		}
		e.Use, e.Near = u.Of(name), u.String()
	}
	e.Odds = s.odds(v, steps)
	e.Text.Lowered = v.Tier == engine.Panic && v.Claim.Tier() == engine.Error && v.Rule != ruleOdds
	e.Text.Unlikely = e.Text.Lowered || e.Odds < s.likely
}

// odds returns the probability that a finding is a bug, to two digits: see package odds. It is 1 if
// the user or the package has said what is right, or the race detector objects.
func (s *subject) odds(v *engine.Verdict, steps seq.Sequence) float64 {
	said := v.Claim == engine.ClaimOwn || v.Kind == engine.KindContract && v.Signature.Class == contract.Invariant
	if s.fuzz != "" || said || v.Kind == engine.KindRace || v.Kind == engine.KindLeak {
		return 1
	}
	p := odds.Of(odds.Finding{Claim: v.Claim, Calls: s.table.String(steps), At: v.Signature, Near: s.kinds().Use(steps).String()})
	return math.Round(100*p) / 100
}

// weigh lowers a minimized finding: see [blame.Told] and package odds. And it does so by facts that workers do not
// have. A person has judged another crash in the same function false, or a function panics by
// itself as a test expects.
func (s *subject) weigh(f *engine.Finding) {
	v := &f.Verdict
	if s.fuzz == "" {
		v.Settle(v.Ruling(), blame.Told(s.table, v, f.Steps))
	}
	if s.judged == nil {
		k, _ := known.Read(s.target.Dir) // who begins the run warns of bad lines
		s.judged = k.False
	}
	if v.Kind != engine.KindContract && s.judged[v.Signature.Where] {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "judged", Reason: known.File + " calls a finding in " + v.Signature.Where + " false"})
	}
	if v.Claim == engine.ClaimCrash && v.Signature.Class == engine.ClassExplicit && s.kinds().Catches(f.Steps) {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "expected", Reason: "a test of the package expects " + s.table.Ops[v.Op].Short + " to panic"})
	}
	if v.Tier == engine.Error && s.odds(v, f.Steps) < s.likely {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Panic, Rule: ruleOdds, Reason: v.Reason})
	}
}

// ruleOdds is the rule of a finding that is lowered because of its odds.
const ruleOdds = "odds"

// readKnown reads the list of known findings of a package, and warns of lines that it cannot read.
func (s *subject) readKnown() known.List {
	k, bad := known.Read(s.target.Dir)
	for _, err := range bad {
		s.warn(err)
	}
	return k
}
