// Package usage finds out how the tests and examples of a package use it. [Read] reads their
// source, and [StartRecording] runs them. From
//
//	func TestQueue(t *testing.T) {
//		for _, n := range []int{0, 2} {
//			q := queue.New(n)
//			q.Put("x")
//			if got := q.Len(); got != 1 {
//				t.Errorf("Len = %d", got)
//			}
//		}
//	}
//
// it makes the sequences
//
//	v0 := queue.New(0); v0.Put("x"); v1 := v0.Len()
//	v0 := queue.New(2); v0.Put("x"); v1 := v0.Len()
//
// It walks through the body of each test as a program would, with values as far as it knows
// them: constants, composite literals, rows of tables, results of earlier calls. It follows
// subtests and helpers that the tests declare, and takes no branch that only reports a
// failure. A call with an argument that cannot be written as a step is left out, and so is
// all that later happens to the values it may have changed.
//
// Calls in which a test expects a panic are listed, and are part of no sequence.
package usage

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/profile"
	"foray.test/engine/seq"
	"foray.test/harness/record"
)

// A Usage is the use that tests make of a package.
type Usage struct {
	Functions int        `json:",omitempty"` // tests, examples and fuzz targets that were read
	Users     int        `json:",omitempty"` // functions of other packages that were read
	Sequences []string   `json:",omitempty"` // in the text form of the table, each once, in the order of the source
	Literals  []Literals `json:",omitempty"` // by operation and parameter
	// Profile tells how the calls are made.
	Profile *profile.Profile `json:",omitempty"`
	// Places is how many calls of operations the tests have in their source, and Dropped how
	// many of them cannot be written as a step.
	Places, Dropped int `json:",omitempty"`
	// Recorded is how many calls a run of the tests made, Written how many of them are steps
	// of a sequence.
	Recorded int `json:",omitempty"`
	Written  int `json:",omitempty"`
	// Ran is the time of running the tests, Note says what went wrong.
	Ran  time.Duration `json:",omitempty"`
	Note string        `json:",omitempty"`
}

// Literals are the constants that tests hand to one parameter of an operation.
type Literals struct {
	Op    seq.OpID
	Param int
	Texts []string // Go literals, as in seq.Type.Mined, in the order of the source
}

// Bounds on a reading. Numbers of real packages are some hundred sequences at most.
const (
	maxSequences  = 4000
	maxSteps      = 64             // of a sequence; longer ones are cut
	maxDraft      = 1024           // steps of a test before it is parted into sequences
	maxText       = record.MaxText // bytes of a literal
	maxIterations = 48             // of a loop within one sequence
	maxRows       = 400            // of a table
	maxVisits     = 60_000         // statements and rounds of loops that are read in all
	maxOfOne      = 10_000         // … in one test
	maxDepth      = 6              // of helpers that call helpers
	maxLiterals   = 64             // of one parameter
	maxBytes      = 4 << 20        // of all sequences, and of all literals: each worker gets them
)

// Read reads the tests of a package, and then all functions of its users.
func Read(p *load.Package, tests, users []load.Tests, t *seq.Table) *Usage {
	c := newCollection(t, maxSteps)
	left := maxVisits
	for i, unit := range slices.Concat(tests, users) {
		r := newReader(c, p, nil)
		r.declare(unit)
		if i < len(tests) {
			c.readLiterals(p.Path, unit)
		} else {
			c.usage.Profile.Users = append(c.usage.Profile.Users, unit.Types.Path())
		}
		for _, f := range unit.Files {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && (i >= len(tests) || isTest(fd.Name.Name)) {
					if i < len(tests) {
						c.usage.Functions++
						r.from = fromOf(fd.Name.Name)
					} else {
						c.usage.Users++
						r.from = unit.Types.Path()
					}
					r.visits = min(left, maxOfOne)
					left -= r.visits
					r.readFunction(fd)
					left += max(r.visits, 0)
				}
			}
		}
	}
	return c.result()
}

// isTest reports whether a function of that name is a test, an example or a fuzz target.
func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Example") || strings.HasPrefix(name, "Fuzz")
}

// A collection gathers the results of a reading.
type collection struct {
	table     *seq.Table
	usage     Usage
	seen      map[string]bool    // sequences
	places    map[token.Pos]bool // calls of operations
	expressed map[token.Pos]bool // calls that are steps
	calls     map[seq.OpID]*profile.Operation
	literals  map[parameter][]string
	maxSteps  int // of a sequence
	bytes     struct{ sequences, literals int }
}

func newCollection(t *seq.Table, maxSteps int) *collection {
	c := &collection{
		table: t, seen: map[string]bool{}, places: map[token.Pos]bool{}, expressed: map[token.Pos]bool{}, literals: map[parameter][]string{}, maxSteps: maxSteps,
	}
	c.usage.Profile, c.calls = profile.New(t)
	return c
}

// A parameter is one of an operation.
type parameter struct {
	op    seq.OpID
	index int
}

func (c *collection) result() *Usage {
	u := &c.usage
	u.Places = len(c.places)
	for pos := range c.places {
		if !c.expressed[pos] {
			u.Dropped++
		}
	}
	for p, texts := range c.literals {
		u.Literals = append(u.Literals, Literals{p.op, p.index, texts})
	}
	slices.SortFunc(u.Literals, func(a, b Literals) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Param, b.Param))
	})
	return u
}

// addLiteral notes a constant that is handed to a parameter.
func (c *collection) addLiteral(p parameter, text string) {
	list := c.literals[p]
	if len(list) < maxLiterals && c.bytes.literals+len(text) <= maxBytes && !slices.Contains(list, text) {
		c.literals[p] = append(list, text)
		c.bytes.literals += len(text)
	}
}

// emit adds the sequences of a draft: the parts of it that share no value. Only those count
// that have a step from step number from on.
func (c *collection) emit(steps seq.Sequence, from int) {
	for _, part := range parts(c.table, steps, from) {
		if part = part[:min(len(part), c.maxSteps)]; part.Calls(c.table) == 0 || len(c.usage.Sequences) >= maxSequences {
			continue
		}
		if text := c.table.OneLine(part); !c.seen[text] && c.bytes.sequences+len(text) <= maxBytes {
			c.seen[text] = true
			c.bytes.sequences += len(text)
			c.usage.Sequences = append(c.usage.Sequences, text)
		}
	}
}

// parts returns the parts of s that share no value with each other, in the order of their
// first steps, without steps that make values for nothing. It leaves out those that end
// before step from.
func parts(t *seq.Table, s seq.Sequence, from int) []seq.Sequence {
	s, from = useful(t, s, from)
	same := newPartition(len(s))
	var maker []int // by slot
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit == nil {
				same.join(maker[a.Slot], i)
			}
		}
		for range t.Ops[s[i].Op].Results {
			maker = append(maker, i)
		}
	}
	var list []seq.Sequence
	for first := range s {
		if same.first(first) != first {
			continue
		}
		keep, late := make([]bool, len(s)), false
		for i := first; i < len(s); i++ {
			keep[i] = same.first(i) == first
			late = late || keep[i] && i >= from
		}
		if late {
			part, _ := seq.Filter(t, s, keep)
			list = append(list, part)
		}
	}
	return list
}

// A partition divides numbers into sets. It has a number of the same set for each, itself for the
// first.
type partition []int

func newPartition(n int) partition {
	p := make(partition, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// first returns the first number of the set of i.
func (p partition) first(i int) int {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

// join makes one set of those of two numbers.
func (p partition) join(i, j int) {
	i, j = p.first(i), p.first(j)
	p[max(i, j)] = min(i, j)
}

// useful returns s without steps that make values that nothing takes, and the new number
// of step from.
func useful(t *seq.Table, s seq.Sequence, from int) (seq.Sequence, int) {
	for {
		taken := make([]bool, s.Slots(t))
		for i := range s {
			for _, a := range s[i].Args {
				if a.Lit == nil {
					taken[a.Slot] = true
				}
			}
		}
		keep, slot, before := make([]bool, len(s)), 0, 0
		for i := range s {
			op := &t.Ops[s[i].Op]
			effect := len(op.Results) == 0 || op.Outside() && op.Kind == seq.Method
			keep[i] = op.API || effect || slices.Contains(taken[slot:slot+len(op.Results)], true)
			slot += len(op.Results)
			if !keep[i] && i < from {
				before++
			}
		}
		if !slices.Contains(keep, false) {
			return s, from
		}
		s, _ = seq.Filter(t, s, keep)
		from -= before
	}
}
