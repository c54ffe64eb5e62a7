package usage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine/seq"
)

// A Profile is how tests call an operation when they run.
type Profile struct {
	Op     seq.OpID
	Calls  int
	Caught int          `json:",omitempty"` // of these end in a panic that a test survives
	Args   []ArgProfile // by parameter, the receiver first; the last is of all variadic ones
	// Before are the operations that were the last call on the same receiver.
	Before []Preceding `json:",omitempty"`
}

// An ArgProfile counts the calls with arguments of a kind.
type ArgProfile struct {
	Nil, Zero, Empty, Negative, Positive int   `json:",omitempty"`
	Min, Max                             int64 `json:",omitempty"` // of integers
	MinLen, MaxLen                       int   `json:",omitempty"` // of texts and lists
	Integers, Lengths                    int   `json:",omitempty"` // arguments with a value, with a length
}

// A Preceding is an operation before another, and how often.
type Preceding struct {
	Op    seq.OpID
	Times int
}

// profiles gathers the profiles of a table's operations.
type profiles struct {
	table *seq.Table
	of    map[seq.OpID]*Profile
	last  map[uint64]seq.OpID // the last call on an object
}

func newProfiles(t *seq.Table) *profiles {
	return &profiles{table: t, of: map[seq.OpID]*Profile{}, last: map[uint64]seq.OpID{}}
}

func (p *profiles) list() (list []Profile) {
	for _, id := range slices.Sorted(maps.Keys(p.of)) {
		list = append(list, *p.of[id])
	}
	return list
}

// profile counts the recorded calls.
func (c *converter) profile() {
	for i := range c.calls {
		call := &c.calls[i]
		for _, id := range c.operationsOf(call.function) {
			if op := &c.table.Ops[id]; !op.Spread {
				c.profiles.add(id, op, call)
				break
			}
		}
	}
}

func (p *profiles) add(id seq.OpID, op *seq.Operation, call *recordedCall) {
	of := p.of[id]
	if of == nil {
		of = &Profile{Op: id, Args: make([]ArgProfile, len(op.Params))}
		p.of[id] = of
	}
	of.Calls++
	if call.panicked {
		of.Caught++
	}
	for i := range call.args {
		if i < len(of.Args) {
			of.Args[i].add(&call.args[i])
		}
	}
	if len(call.args) == 0 || op.Kind != seq.Method || call.args[0].object == 0 {
		return
	}
	object := call.args[0].object
	if before, ok := p.last[object]; ok {
		of.follow(before)
	}
	p.last[object] = id
}

func (p *Profile) follow(before seq.OpID) {
	i := slices.IndexFunc(p.Before, func(b Preceding) bool { return b.Op == before })
	if i < 0 {
		i = len(p.Before)
		p.Before = append(p.Before, Preceding{Op: before})
	}
	p.Before[i].Times++
}

// add counts an argument.
func (a *ArgProfile) add(v *recordedValue) {
	switch v.tag {
	case tagNil:
		a.Nil++
	case tagInt, tagUint, tagFloat:
		n := int64(v.num)
		if v.tag == tagFloat {
			n = int64(max(min(v.float(), 1<<62), -1<<62))
		}
		switch {
		case v.num == 0:
			a.Zero++
		case n < 0 && v.tag != tagUint:
			a.Negative++
		default:
			a.Positive++
		}
		if a.Integers++; a.Integers == 1 {
			a.Min, a.Max = n, n
		}
		a.Min, a.Max = min(a.Min, n), max(a.Max, n)
	case tagString, tagText, tagList, tagMap:
		n := v.length()
		if n == 0 {
			a.Empty++
		}
		if a.Lengths++; a.Lengths == 1 {
			a.MinLen, a.MaxLen = n, n
		}
		a.MinLen, a.MaxLen = min(a.MinLen, n), max(a.MaxLen, n)
	}
}

// length returns the number of bytes of a text, of elements of a list, of entries of a map.
func (v *recordedValue) length() int {
	switch v.tag {
	case tagString, tagText:
		return len(v.text)
	case tagMap:
		return len(v.list) / 2
	}
	return len(v.list)
}

// Profile returns the profile of an operation, nil if tests never called it.
func (u *Usage) Profile(op seq.OpID) *Profile {
	if u == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(u.Profiles, op, func(p Profile, id seq.OpID) int { return int(p.Op) - int(id) })
	if !ok {
		return nil
	}
	return &u.Profiles[i]
}

// CatchesPanic reports whether a test survives a panic of an operation: one that a run of the
// tests has had, or one that their source expects.
func (u *Usage) CatchesPanic(op seq.OpID) bool {
	if u == nil {
		return false
	}
	p := u.Profile(op)
	return p != nil && p.Caught > 0 || slices.Contains(u.Caught, op)
}

// paramName returns the name of a parameter, or its number.
func paramName(op *seq.Operation, i int) string {
	if i < len(op.Names) && op.Names[i] != "" {
		return op.Names[i]
	}
	if i == 0 && op.Kind == seq.Method {
		return "receiver"
	}
	return fmt.Sprintf("argument %d", i)
}

// DescribeRun returns, a line each, how the tests called an operation when they ran: all those
// of t of which is holds.
func (u *Usage) DescribeRun(t *seq.Table, is func(*seq.Operation) bool) (lines []string) {
	if u == nil {
		return nil
	}
	for i := range u.Profiles {
		p := &u.Profiles[i]
		op := &t.Ops[p.Op]
		if !is(op) {
			continue
		}
		line := "tests make " + text.Plural(p.Calls, "call")
		if p.Caught > 0 {
			line += fmt.Sprintf(", and catch a panic in %d", p.Caught)
		}
		lines = append(lines, line)
		for j := range p.Args {
			if facts := p.Args[j].facts(); facts != "" {
				lines = append(lines, "in these calls, "+paramName(op, j)+" is "+facts)
			}
		}
		if b := slices.MaxFunc(append([]Preceding{{}}, p.Before...), func(a, b Preceding) int { return cmp.Compare(a.Times, b.Times) }); b.Times > 0 {
			lines = append(lines, fmt.Sprintf("most often after %s on the same receiver", t.Ops[b.Op].Short))
		}
	}
	return lines
}

// facts says which values arguments have.
func (a *ArgProfile) facts() string {
	var list []string
	switch {
	case a.Integers > 0 && a.Negative == 0:
		list = append(list, fmt.Sprintf("from %d to %d, never negative", a.Min, a.Max))
	case a.Integers > 0:
		list = append(list, fmt.Sprintf("from %d to %d", a.Min, a.Max))
	case a.Lengths > 0:
		list = append(list, fmt.Sprintf("%d to %d long", a.MinLen, a.MaxLen))
		if a.Empty > 0 {
			list = append(list, fmt.Sprintf("empty in %d", a.Empty))
		}
	}
	if a.Nil > 0 {
		list = append(list, fmt.Sprintf("nil in %d", a.Nil))
	}
	return strings.Join(list, ", ")
}
