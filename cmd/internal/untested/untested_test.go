package untested

import (
	"maps"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

func TestSkipped(t *testing.T) {
	ex := func(pairs ...string) (list []seq.Excluded) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, seq.Excluded{Member: pairs[i], Reason: pairs[i+1]})
		}
		return list
	}
	for _, tt := range []struct {
		name      string
		list      []seq.Excluded
		members   int
		msg, hint string
	}{
		{"none", nil, 3, "", ""},
		{"half", ex("A", "os.Exit"), 2, "", ""},
		{"most", ex("A", "os.Exit", "(*T).B", "os/exec.Command", "C", "os/exec.Command"), 4,
			"3 of 4 exported functions and methods are not called: os/exec.Command (2), os.Exit (1)",
			`foray list p names them; -allow '^(A|\(\*T\)\.B|C)$' lets those be called that may do harm, confined`},
		{"many", ex("A", "os.Exit", "B", "os.Exit", "C", "os.Exit", "D", "os.Exit"), 4,
			"4 of 4 exported functions and methods are not called: os.Exit (4)",
			"foray list p names them; -allow . lets those be called that may do harm, confined"},
		{"nothing that -allow changes", ex("A", "no value of type x can be made"), 1,
			"1 of 1 exported functions and methods are not called: no value of type x can be made (1)", "foray list p names them"},
		{"not chosen", ex("A", catalog.NotChosen, "B", catalog.NotChosen), 3, "", ""},
	} {
		msg, hint := Skipped(tt.list, tt.members, "p", true)
		if msg != tt.msg || hint != tt.hint {
			t.Errorf("%s: got %q, hint %q\nwant %q, hint %q", tt.name, msg, hint, tt.msg, tt.hint)
		}
	}
	if _, hint := Skipped(ex("A", "os.Exit"), 1, "p", false); hint != "foray list p names them; -allow '^(A)$' lets those be called that may do harm" {
		t.Errorf("where nothing is confined: hint %q", hint)
	}
}

func TestNilOnly(t *testing.T) {
	table := func(more ...seq.Operation) *seq.Table {
		return &seq.Table{
			Types: []seq.Type{
				{Name: "*p.Index", Assignable: []seq.TypeID{0}},
				{Name: "p.Store", Interface: true, Nilable: true, Assignable: []seq.TypeID{1, 2}},
				{Name: "*p.Disk", Assignable: []seq.TypeID{2}},
			},
			Ops: append([]seq.Operation{
				{Short: "Wrap", Kind: seq.Func, API: true, Params: []seq.TypeID{1}, Results: []seq.TypeID{0}},
				{Short: "(*Index).Len", Kind: seq.Method, API: true, Params: []seq.TypeID{0}},
				{Short: "(*Index).Clear", Kind: seq.Method, API: true, Params: []seq.TypeID{0}},
				{Short: "&p.Index{}", Kind: seq.Composite, Results: []seq.TypeID{0}},
			}, more...),
		}
	}
	const want = "Wrap is given nil only, since nothing at hand makes a p.Store: 2 of 3 functions and methods need its result"
	for _, tt := range []struct {
		name    string
		more    []seq.Operation
		members int
		want    string
	}{
		{"most", nil, 3, want},
		{"few", nil, 4, ""},
		{"another maker", []seq.Operation{{Kind: seq.Func, API: true, Results: []seq.TypeID{0}}}, 3, ""},
		{"an implementation", []seq.Operation{{Kind: seq.Composite, Results: []seq.TypeID{2}}}, 3, ""},
	} {
		if got := NilOnly(table(tt.more...), tt.members); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A run without findings that lost many processes says nothing about its package.
func TestWhy(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{{API: true}}}
	for _, tt := range []struct {
		name   string
		set    func(*coordinator.Result)
		tested bool
	}{
		{"all well", func(*coordinator.Result) {}, true},
		{"one process of many sequences", func(r *coordinator.Result) { r.Unexplained = 1 }, true},
		{"a process now and then", func(r *coordinator.Result) { r.Unexplained = 100 }, false},
		{"… but a finding", func(r *coordinator.Result) { r.Unexplained, r.Findings[engine.Panic] = 100, 1 }, true},
		{"a goroutine of its own that ends it", func(r *coordinator.Result) { r.AtStart = "panic: boom" }, false},
		{"no worker", func(r *coordinator.Result) { r.Stopped = "no worker left" }, false},
		{"no call left", func(r *coordinator.Result) { r.Banned = []seq.OpID{0} }, false},
		{"a test that cannot be tried", func(r *coordinator.Result) { r.Undecided[engine.Error] = 1 }, false},
		{"… beside a suspect", func(r *coordinator.Result) { r.Undecided[engine.Error], r.Findings[engine.Suspect] = 1, 1 }, false},
		{"… beside an error", func(r *coordinator.Result) { r.Undecided[engine.Error], r.Findings[engine.Error] = 1, 1 }, true},
		{"… of a panic, which fails no run", func(r *coordinator.Result) { r.Undecided[engine.Panic] = 1 }, true},
	} {
		res := &coordinator.Result{}
		res.Counts.Sequences = 50_000
		tt.set(res)
		why, hint := Why(table, res, "", engine.Error)
		untried := res.Undecided[engine.Error] > res.Findings[engine.Error]
		if (why == "") != tt.tested {
			t.Errorf("%s: not tested, since %q; want tested: %t", tt.name, why, tt.tested)
		}
		if undecided := strings.HasPrefix(why, "undecided: "); undecided != untried || why != "" && !undecided && !strings.HasPrefix(why, "not tested: ") {
			t.Errorf("%s: %q; want undecided: %t, else not tested", tt.name, why, untried)
		}
		if (hint != "") != untried {
			t.Errorf("%s: hint %q; want one if a test could not be tried", tt.name, hint)
		}
		if why, _ := Why(table, res, "L", engine.Error); untried && why != "undecided: L" {
			t.Errorf("%s, and findings are left: %q", tt.name, why)
		}
		if why, _ := Why(table, res, "", engine.Panic); res.Undecided[engine.Panic] > 0 && why == "" {
			t.Errorf("%s: decided, though it is to fail for a panic", tt.name)
		}
	}
}

func TestUnconfined(t *testing.T) {
	const files = ": calls can write and remove any file and open connections"
	for _, tt := range []struct {
		system    string
		supported bool
		want      string
	}{
		{"linux", true, ""},
		{"linux", false, ""},
		{"windows", false, "no sandbox on windows" + files + "; fuzz unknown code in a container"},
		{"freebsd", true, ""},
		{"darwin", false, "no sandbox on darwin" + files + ", and their memory has no bound; fuzz unknown code in a container"},
	} {
		if got := Unconfined(tt.system, tt.supported); got != tt.want {
			t.Errorf("%s, supported %v: %q, want %q", tt.system, tt.supported, got, tt.want)
		}
	}
}

func TestGivenNil(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{
		{Kind: seq.Method, API: true, Member: "(*Tree).Insert", Short: "(*Tree).Insert"},
		{Kind: seq.Func, API: true, Member: "Of", Short: "Of[int]"},
		{Kind: seq.Func, API: true, Member: "New", Short: "New"},
	}}
	got := GivenNil(table, []catalog.Unreachable{{Type: "p.Item", Wanted: []string{"(*Tree).Insert", "Of[int]"}}})
	const item = "given nil only: nothing at hand makes a p.Item"
	if want := map[string]string{"(*Tree).Insert": item, "Of": item}; !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
