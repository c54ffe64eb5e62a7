package restrict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// The operations of table.
const (
	opAsync seq.OpID = iota
	opAsync1
	opAsync1Again // another instance
	opSync
	opSetField
	opSetVar
	opThrow // a func literal of foray's own that panics
	opConvert
	opConfig // a literal with a number
	opOpen   // it takes the config
)

func table() *seq.Table {
	return &seq.Table{Package: "p", Name: "p", Types: []seq.Type{{}, {Name: "int", Literal: seq.Int}, {Name: "p.Config"}}, Ops: []seq.Operation{
		{Name: "Async", Member: "Async", API: true},
		{Name: "Async1[int]", Member: "Async1", API: true},
		{Name: "Async1[string]", Member: "Async1", API: true},
		{Name: "Sync1", Member: "Sync1", API: true},
		{Name: "T.F =", Kind: seq.FieldSet},
		{Name: "V =", Kind: seq.VarSet},
		{Name: "func() {…}", Kind: seq.FuncLit, Shape: seq.Throw},
		{Name: "T()", Kind: seq.Convert},
		{Name: "Config{}", Kind: seq.Composite, Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
		{Name: "Open", Member: "Open", API: true, Params: []seq.TypeID{2}},
	}}
}

// at returns an instant of a test's own clock.
func at(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }

// of returns the death of a process in the last of ops, which heeded all that was
// restricted before.
func of(ms int, ops ...seq.OpID) Death {
	d := Death{At: at(ms), Heeded: at(ms)}
	for _, op := range ops {
		d.Steps = append(d.Steps, seq.Step{Op: op})
	}
	return d
}

func with(d Death, change func(*Death)) Death {
	change(&d)
	return d
}

// TestDied: deaths in, restrictions out.
func TestDied(t *testing.T) {
	alike := []seq.OpID{opAsync, opAsync1, opAsync1Again}
	instances := []seq.OpID{opAsync1, opAsync1Again}
	idle := func(d *Death) { d.Idle, d.Costly = true, true }
	costly := func(d *Death) { d.Costly = true }
	started := func(d *Death) { d.Starter = "Async1" }
	unheeded := func(d *Death) { d.Heeded = at(0) }
	given := func(d Death) Death { // nil
		d.Steps[0].Args = []seq.Arg{seq.Lit(&seq.Literal{Type: 1})}
		return d
	}
	calls := func(d *Death) { d.Late, d.Literals = true, []seq.OpID{opSync, opThrow} }
	literal := func(d *Death) { d.Late, d.Literals, d.Throws = true, []seq.OpID{opThrow}, true }
	judged := func(d *Death) { d.Oracle, d.Idle, d.Costly = 7, true, true }
	for _, tt := range []struct {
		name              string
		deaths            []Death
		restrict, disable []seq.OpID
		backoff           uint32 // of opAsync1
	}{
		{"nothing ran", []Death{of(1)}, nil, nil, 0},
		{"one death restricts the like", []Death{of(1, opSync, opAsync1)}, alike, nil, 0},
		{"an operation that is no member", []Death{of(1, opConvert)}, []seq.OpID{opConvert}, nil, 0},
		{"two deaths", []Death{of(1, opAsync1), of(2, opAsync1)}, alike, nil, 0},
		{"three deaths disable all instances, and no other", []Death{of(1, opAsync1), of(2, opAsync1Again), of(3, opAsync1)}, alike, instances, 0},
		{"deaths of the like do not add up", []Death{of(1, opAsync1), of(2, opAsync), of(3, opAsync)}, alike, nil, 0},
		{"deaths before the workers could heed", []Death{of(1, opAsync1), with(of(2, opAsync1), unheeded), with(of(3, opAsync1), unheeded)}, alike, nil, 0},
		{"a call that waits is disabled at once", []Death{with(of(1, opAsync1), idle)}, nil, instances, hangBackoff},
		{"also before a worker could heed", []Death{of(1, opAsync1), with(with(of(2, opAsync1), idle), unheeded)}, alike, instances, hangBackoff},
		{"a costly death", []Death{with(of(1, opAsync1), costly)}, alike, nil, hangBackoff},
		{"two of them", []Death{with(of(1, opAsync1), costly), with(of(2, opAsync1), costly)}, alike, nil, hangBackoff + 1},
		{"a goroutine's starter, whatever ran", []Death{with(of(1, opSync), started)}, alike, nil, hangBackoff},
		{"the same between sequences", []Death{with(of(1), started)}, alike, nil, hangBackoff},
		{"the starter is restricted already: the last step", []Death{with(of(1, opSync), started), with(of(2, opSync), started)}, append([]seq.OpID{opSync}, alike...), nil, hangBackoff + 1},
		{"no operation started it", []Death{with(of(1, opSync), func(d *Death) { d.Starter = "work" })}, []seq.OpID{opSync}, nil, 0},
		{"a write", []Death{of(1, opSetField, opSync)}, nil, []seq.OpID{opSetField}, 0},
		{"three deaths with writes", []Death{of(1, opSetField, opSync), of(2, opSetField, opSync), of(3, opSetField)}, nil, []seq.OpID{opSetField, opSetVar}, 0},
		{"a literal of our own", []Death{with(of(1, opAsync1), func(d *Death) { d.OwnPanic, d.Overflow = true, true })}, nil, []seq.OpID{opThrow}, 0},
		{"a call of an oracle", []Death{with(of(1, opSetField, opAsync1), judged)}, nil, nil, 0},
		{"a call of an oracle that is not known", []Death{with(of(1, opAsync1), func(d *Death) { d.Oracle = engine.AnyOracle })}, alike, nil, 0},
		{"a goroutine panics while an oracle runs", []Death{with(with(of(1, opSync), started), func(d *Death) { d.Oracle, d.Late = 7, true })}, alike, nil, hangBackoff},
		{"a literal panics in a goroutine", []Death{with(with(of(1, opSync), started), literal)}, nil, []seq.OpID{opThrow}, 0},
		{"a literal calls what panics there", []Death{with(of(1, opSync), calls), with(of(2, opAsync1), calls)}, nil, nil, 0},
		{"three times", []Death{with(of(1, opSync), calls), with(of(2, opAsync1), calls), with(of(3), calls)}, nil, []seq.OpID{opThrow}, 0},
		{"no operation started it, and one got nil", []Death{with(given(of(1, opAsync1, opSync)), func(d *Death) { d.Late = true })}, instances, nil, 0},
		{"what is no literal", []Death{with(with(of(1, opSync), started), func(d *Death) { d.Literals = []seq.OpID{opSync, 99} })}, alike, nil, hangBackoff},
	} {
		p := New(table())
		var all Change
		for _, d := range tt.deaths {
			c := p.Died(d)
			all.Restrict, all.Disable = append(all.Restrict, c.Restrict...), append(all.Disable, c.Disable...)
		}
		slices.Sort(all.Restrict)
		slices.Sort(all.Disable)
		slices.Sort(tt.restrict)
		if !slices.Equal(all.Restrict, tt.restrict) || !slices.Equal(all.Disable, tt.disable) || p.Backoffs(opAsync1) != tt.backoff {
			t.Errorf("%s: restrict %v, disable %v, backoff %d; want %v, %v, %d", tt.name, all.Restrict, all.Disable, p.Backoffs(opAsync1), tt.restrict, tt.disable, tt.backoff)
		}
		if len(p.Restricted()) != len(tt.restrict) || len(p.Disabled()) != len(tt.disable) {
			t.Errorf("%s: %v and %v are noted", tt.name, p.Restricted(), p.Disabled())
		}
	}
}

// TestMemory: an operation that takes numbers, in a struct as well, gets small ones when it took all
// memory. Nothing is backed off until it did so with these.
func TestMemory(t *testing.T) {
	memoryIsShort := func(d *Death) { d.Costly, d.Memory = true, true }
	memory := func(ms int, ops ...seq.OpID) Death { return with(of(ms, ops...), memoryIsShort) }
	p := New(table())
	unheeded := with(memory(2, opConfig, opOpen), func(d *Death) { d.Heeded = at(0) })
	for i, d := range []Death{memory(1, opSetField, opConfig, opOpen), unheeded} {
		c := p.Died(d)
		if want := i == 0; slices.Equal(c.Restrict, []seq.OpID{opOpen}) != want || len(c.Disable)+len(c.Backoff) > 0 {
			t.Errorf("death %d: %+v, want nothing but Open restricted, once", i, c)
		}
	}
	for name, d := range map[string]Death{
		"again": memory(3, opOpen), "without numbers": memory(3, opSync),
		"a hang": with(of(3, opConfig), func(d *Death) { d.Costly = true }),
	} {
		if c := p.Died(d); len(c.Backoff) == 0 {
			t.Errorf("%s: %+v, want it backed off", name, c)
		}
	}
}

// TestOracles: an oracle whose call did not return is switched off, once.
func TestOracles(t *testing.T) {
	p := New(table())
	d := with(of(1, opSync), func(d *Death) { d.Oracle = 7 })
	if c := p.Died(d); c.Empty() || !slices.Equal(c.Oracles, []engine.OracleID{7}) {
		t.Errorf("%+v, want oracle 7 switched off", c)
	}
	if c := p.Died(d); !c.Empty() || !slices.Equal(p.Oracles(), []engine.OracleID{7}) || len(p.Blamed(d)) > 0 {
		t.Errorf("again: %+v, in all %v, blamed %v; want nothing, [7], none", c, p.Oracles(), p.Blamed(d))
	}
}

// TestChange: each restriction is told once.
func TestChange(t *testing.T) {
	p := New(table())
	if c := p.Disable(opSync, opAsync, opSync); !slices.Equal(c.Disable, []seq.OpID{opAsync, opSync}) {
		t.Errorf("disabled %v", c.Disable)
	}
	if c := p.Disable(opSync); !c.Empty() {
		t.Errorf("disabled again: %+v, want nothing", c)
	}
	for i := 1; i <= 2*maxOverflows+1; i++ {
		c := p.Died(with(of(1, opConvert), func(d *Death) { d.Overflow = true }))
		told := 0
		if i%maxOverflows == 0 {
			told = i / maxOverflows
		}
		if c.Apart != told || p.Apart() != i/maxOverflows {
			t.Errorf("stack overflow %d: %+v, apart %v; want %d told", i, c, p.Apart(), told)
		}
	}
	p.Stalled(opSync, 12)
	p.Stalled(opSync, 3)
	if c := p.Died(with(of(2, opSync), func(d *Death) { d.Costly = true })); len(c.Backoff) != 1 || c.Backoff[0] != (engine.OpCounts{Op: opSync, Holds: 13}) {
		t.Errorf("backoff %+v after 12 of the worker's own, want the 13th", c.Backoff)
	}
}

func TestBlamed(t *testing.T) {
	p := New(table())
	for _, tt := range []struct {
		name string
		d    Death
		want []seq.OpID
	}{
		{"the last step", of(1, opSync, opAsync1), []seq.OpID{opAsync1, opAsync1Again}},
		{"the starter", with(of(1, opSync), func(d *Death) { d.Starter = "Async" }), []seq.OpID{opAsync}},
		{"between sequences", with(of(1), func(d *Death) { d.Starter = "Async" }), []seq.OpID{opAsync}},
		{"a starter that is no operation", with(of(1, opSync), func(d *Death) { d.Starter = "work" }), []seq.OpID{opSync}},
		{"a literal", with(of(1, opSync), func(d *Death) { d.Late, d.Starter, d.Literals = true, "Async", []seq.OpID{opThrow} }), []seq.OpID{opThrow}},
		{"nothing", of(1), nil},
	} {
		if got := p.Blamed(tt.d); !slices.Equal(got, tt.want) {
			t.Errorf("%s: blamed %v, want %v", tt.name, got, tt.want)
		}
	}
}

// made returns a table with constructors of a type, and a method of it.
func made(constructors ...string) *seq.Table {
	t := &seq.Table{
		Types: []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{1}}, {Name: "int", Literal: seq.Int, Bits: 64, Assignable: []seq.TypeID{2}}},
		Ops: []seq.Operation{
			{Name: "Use", Member: "(*T).Use", Kind: seq.Method, API: true, Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
			{Name: "&T{}", Kind: seq.Composite, Declaration: seq.Declaration{Zero: true}, Results: []seq.TypeID{1}},
		},
	}
	for _, name := range constructors {
		member, _, _ := strings.Cut(name, "[")
		t.Ops = append(t.Ops, seq.Operation{Name: name, Member: member, API: true, Results: []seq.TypeID{1}})
	}
	return t
}

// TestNeeded: an operation is needed if nothing else that its package is prepared for
// makes the values that others take. It may end more processes than others.
func TestNeeded(t *testing.T) {
	const use, first = 0, 2
	for _, tt := range []struct {
		name         string
		constructors []string
		op           seq.OpID
		want         bool
	}{
		{"the constructor", []string{"New"}, first, true},
		{"a method that makes a number", []string{"New"}, use, false},
		{"with another constructor", []string{"New", "Open"}, first, false},
		{"with another instance", []string{"New", "New[int]"}, first, true},
		{"only to read a field", []string{"New", "field"}, first, false},
	} {
		table := made(tt.constructors...)
		if tt.constructors[len(tt.constructors)-1] == "field" {
			table.Ops = table.Ops[:first+1]
			table.Ops[use].Kind, table.Ops[use].API = seq.FieldGet, false
		}
		p := New(table)
		if got := p.needed(tt.op); got != tt.want {
			t.Errorf("%s: needed %v, want %v", tt.name, got, tt.want)
		}
		if tt.op == use {
			continue
		}
		d := Death{Starter: "New"}
		deaths := MaxDeaths
		if tt.want {
			deaths = MaxNeededDeaths
		}
		for i := range deaths {
			if slices.Contains(p.Disabled(), first) {
				t.Errorf("%s: disabled after %d deaths, want %d", tt.name, i, deaths)
			}
			d.At, d.Heeded = at(i), at(i)
			p.Died(d)
		}
		if !slices.Contains(p.Disabled(), first) {
			t.Errorf("%s: not disabled after %d deaths", tt.name, deaths)
		}
	}
}

// A setter that returns its receiver makes no value.
func TestNeededSetter(t *testing.T) {
	const first = 2
	table := made("New", "(*T).Set")
	table.Ops[first+1].Params = []seq.TypeID{1}
	if p := New(table); !p.needed(first) || p.needed(first+1) {
		t.Errorf("the constructor is needed: %v, the setter: %v, want the constructor", p.needed(first), p.needed(first+1))
	}
}

// TestNeededLast: of two constructors that end processes by their last step, one stays.
func TestNeededLast(t *testing.T) {
	const first, second = 2, 3
	p, clock := New(made("New", "Open")), 0
	died := func(op seq.OpID, deaths int) {
		for range deaths {
			clock++
			p.Died(Death{Steps: seq.Sequence{{Op: op}}, Costly: true, At: at(clock), Heeded: at(clock)})
		}
	}
	died(second, 1)
	died(first, MaxDeaths)
	if list := p.Disabled(); len(list) > 0 {
		t.Errorf("%v are disabled, with no constructor that ends no process", list)
	}
	died(first, MaxNeededDeaths-MaxDeaths)
	died(second, MaxDeaths)
	if list := p.Disabled(); !slices.Equal(list, []seq.OpID{first}) {
		t.Errorf("%v are disabled, want %v only", list, first)
	}
	waits := New(made("New"))
	waits.Died(Death{Steps: seq.Sequence{{Op: first}}, Idle: true, At: at(0)})
	if list := waits.Disabled(); !slices.Equal(list, []seq.OpID{first}) {
		t.Errorf("%v are disabled, want the only constructor: it waits for ever", list)
	}
}

// A late panic that nothing accounts for restricts no call, for the last step is innocent, unless
// it is the last step of most such deaths.
func TestLateIsNobodys(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{{Name: "F", Member: "F"}, {Name: "G", Member: "G"}}}
	late := func(op seq.OpID) Death { return Death{Steps: seq.Sequence{{Op: op}}, Late: true, Starter: "helper"} }
	p := New(table)
	for range maxLateDeaths - 1 {
		if c := p.Died(late(0)); !c.Empty() || len(p.Blamed(late(0))) > 0 {
			t.Fatalf("change %+v, blamed %v; want none", c, p.Blamed(late(0)))
		}
	}
	if c := p.Died(late(0)); !slices.Equal(c.Disable, []seq.OpID{0}) {
		t.Errorf("disabled %v after %d deaths, want F", c.Disable, maxLateDeaths)
	}
	p = New(table)
	for range 2 * maxLateDeaths {
		if c := p.Died(late(0)); !c.Empty() {
			t.Fatalf("change %+v, where half of the deaths had another last step; want none", c)
		}
		p.Died(late(1))
		p.Died(late(1))
	}
}

// TestTypical: of the members that were called before goroutines panicked, the one is disabled that
// seldom runs without that, whichever call was the last.
func TestTypical(t *testing.T) {
	const seldom, often, others = 0, 1, 6
	for _, tt := range []struct {
		name     string
		starter  string
		ran      uint64 // the runs of the seldom member
		disabled bool
	}{
		{"no operation started it", "helper", 20, true},
		{"a needed one did", "New", 20, true},
		{"one that is not needed did", "Often", 20, false},
		{"the member runs often", "helper", 2000, false},
	} {
		table := &seq.Table{Types: []seq.Type{{}, {Name: "*p.T"}}, Ops: []seq.Operation{{Name: "Seldom", Member: "Seldom"}, {Name: "Often", Member: "Often"}}}
		for i := range others {
			name := string(rune('A' + i))
			table.Ops = append(table.Ops, seq.Operation{Name: name, Member: name})
		}
		table.Types[1].Assignable = []seq.TypeID{1}
		table.Ops = append(table.Ops,
			seq.Operation{Name: "New", Member: "New", API: true, Results: []seq.TypeID{1}},
			seq.Operation{Name: "(*T).Use", Member: "(*T).Use", Kind: seq.Method, API: true, Params: []seq.TypeID{1}})
		ran := make([]engine.OpCounts, len(table.Ops))
		for i := range ran {
			ran[i].Runs = 2000
		}
		ran[seldom].Runs = tt.ran
		p := New(table)
		at := 0
		for i := 1; i <= minTypical && at == 0; i++ {
			d := Death{Late: true, Starter: tt.starter, Ran: ran, Heeded: time.Unix(int64(i), 0), At: time.Unix(int64(i), 0)}
			for _, op := range []seq.OpID{seq.OpID(2 + i%others), seldom, often, often, seq.OpID(2 + (i+1)%others)} {
				d.Steps = append(d.Steps, seq.Step{Op: op})
			}
			if slices.Contains(p.Died(d).Disable, seldom) {
				at = i
			}
		}
		if want := map[bool]int{true: minTypical}[tt.disabled]; at != want {
			t.Errorf("%s: disabled at death %d, want %d", tt.name, at, want)
		}
	}
}

// TestStarterIsGone: once the starter is disabled, another call starts the goroutine by the same
// function, and that is the last step.
func TestStarterIsGone(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{{Name: "Start", Member: "Start"}, {Name: "Serve", Member: "Serve"}}}
	p := New(table)
	var disabled []seq.OpID
	for range 2 * MaxDeaths {
		c := p.Died(Death{Steps: seq.Sequence{{Op: 1}}, Late: true, Starter: "Start", Heeded: time.Unix(1, 0)})
		disabled = append(disabled, c.Disable...)
	}
	if !slices.Equal(disabled, []seq.OpID{0, 1}) {
		t.Errorf("disabled %v, want the starter and then the last step", disabled)
	}
}

// TestEarlier: the member that made the values is backed off, not each of the calls that cannot bear
// them. One that most sequences call is not, nor one without which there is no value.
func TestEarlier(t *testing.T) {
	const make, config, last, deaths = 0, 1, 2, 2 * minShared
	for _, tt := range []struct {
		name   string
		config uint64 // runs; 0: they are not known
		lasts  int    // calls that end processes
		needed bool
		want   int // deaths until Config is backed off; 0: it is not
	}{
		{"a rare one", 100, deaths, false, minShared}, {"a usual one", 100000, deaths, false, 0}, {"nothing is known", 0, deaths, false, 0},
		{"one call that ends processes", 100, 1, false, 0}, {"the only one of its type", 100, deaths, true, 0},
	} {
		table := &seq.Table{Types: []seq.Type{{}, {Name: "T", Assignable: []seq.TypeID{1}}}, Ops: []seq.Operation{{Name: "Make", Member: "Make"}, {Name: "Config", Member: "Config"}}}
		for i := range deaths {
			name := string(rune('F' + i))
			table.Ops = append(table.Ops, seq.Operation{Name: name, Member: name, API: true})
		}
		if tt.needed {
			table.Ops[config].Results, table.Ops[last].Params = []seq.TypeID{1}, []seq.TypeID{1}
		}
		p, got := New(table), 0
		for i := range deaths {
			d := Death{Steps: seq.Sequence{{Op: make}, {Op: config}, {Op: config}, {Op: last + seq.OpID(i%tt.lasts)}}, Costly: true, At: at(i), Heeded: at(i)}
			if tt.config > 0 {
				d.Ran = slices.Repeat([]engine.OpCounts{{Runs: 1000}}, len(table.Ops))
				d.Ran[make].Runs, d.Ran[config].Runs = 1000000, tt.config
			}
			if p.Died(d); p.Backoffs(make) > 0 {
				t.Errorf("%s: Make, which all call, is backed off", tt.name)
			}
			if got == 0 && p.Backoffs(config) > 0 {
				got = i + 1
			}
		}
		if got != tt.want {
			t.Errorf("%s: Config is backed off after %d deaths, want %d", tt.name, got, tt.want)
		}
	}
}
