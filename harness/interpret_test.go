package harness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A shelf is the code under test of the tests of inputs: a bounded stack.
type shelf struct {
	items []string
	limit int
}

func newShelf(limit int) *shelf { return &shelf{limit: limit} }

func (s *shelf) Put(item string) error {
	if len(s.items) >= s.limit {
		return errors.New("full")
	}
	s.items = append(s.items, item)
	return nil
}

// Take panics on an empty shelf, which is not said.
func (s *shelf) Take() string {
	item := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return item
}

// First does so, too, and says so.
func (s *shelf) First() string { return s.items[0] }

func (s *shelf) Len() int { return len(s.items) }

// Drop forgets one item too many from the third on.
func (s *shelf) Drop() {
	n := len(s.items)
	switch {
	case n > 2:
		s.items = s.items[:n-2]
	case n > 0:
		s.items = s.items[:n-1]
	}
}

func (s *shelf) Wait() { time.Sleep(time.Hour) }

func (s *shelf) Quit() { runtime.Goexit() }

var shelfOps = []any{newShelf, (*shelf).Put, (*shelf).Len, (*shelf).Drop, Op{Func: (*shelf).First, Panics: "First panics if the shelf is empty."}}

func shelfInput(t testing.TB, api API, more ...any) *interpreter {
	t.Helper()
	api.Operations = append(append([]any{}, shelfOps...), more...)
	return mustInterpreter(t, mustSurface(t, api), api.Limits)
}

// sequenceOf returns the sequence that an input is.
func (in *interpreter) sequenceOf(input string) seq.Sequence {
	return in.do(func(r *runner) run { return run{steps: in.read(r.exec, input).Clone()} }).steps
}

func randomString(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// Of random bytes at least 95 in 100 must make a sequence. All do except those that
// look like text and have no readable statement. The sequences are legal, and
// independent of earlier inputs: a new interpreter is the naive twin.
func TestInputsAreSequences(t *testing.T) {
	in := shelfInput(t, API{})
	r := rand.New(rand.NewPCG(1, 1))
	const runs = 4000
	empty := 0
	for i := range runs {
		input := randomString(r, i%200)
		s := in.sequenceOf(input)
		if err := s.Check(in.surface.table); err != nil {
			t.Fatalf("%q: %v", input, err)
		}
		if len(s) == 0 {
			empty++
		}
		if i%100 == 0 {
			if twin := shelfInput(t, API{}); !twin.sequenceOf(input).Equal(s) {
				t.Fatalf("%q is\n%s, to a new interpreter\n%s", input, in.surface.table.String(s), in.surface.table.String(twin.sequenceOf(input)))
			}
		}
	}
	t.Logf("%d of %d inputs make nothing", empty, runs)
	if empty*20 > runs {
		t.Errorf("%d of %d inputs make nothing, want at most one in 20", empty, runs)
	}
}

// The text of a sequence read from bytes gives the same sequence.
func TestBytesAndTheirTextAgree(t *testing.T) {
	in := shelfInput(t, API{}, (*shelf).Take)
	r := rand.New(rand.NewPCG(2, 2))
	broken := 0
	for range 1000 {
		input := "\x80" + randomString(r, 100)
		s := in.sequenceOf(input)
		first := in.run(input)
		second := in.run(in.surface.table.OneLine(s))
		if (first.verdict == nil) != (second.verdict == nil) || first.verdict != nil && first.verdict.Signature != second.verdict.Signature {
			t.Fatalf("%q: %+v, as text %+v", input, first.verdict, second.verdict)
		}
		if !second.steps.Equal(s) {
			t.Fatalf("%q is\n%s, as text\n%s", input, in.surface.table.String(s), in.surface.table.String(second.steps))
		}
		if first.verdict != nil && first.verdict.Tier >= engine.Panic {
			broken++
		}
	}
	if broken == 0 {
		t.Error("no input took from an empty shelf")
	}
}

func TestText(t *testing.T) {
	in := shelfInput(t, API{Limits: Limits{Steps: 3}})
	for _, test := range []struct{ name, input, want string }{
		{"canonical", `v0 := harness.newShelf(2); v1 := v0.Put("a")`, "v0 := harness.newShelf(2)\nv1 := v0.Put(\"a\")\n"},
		{"other names", `v7 := harness.newShelf(2); v7.Len()`, "v0 := harness.newShelf(2)\nv1 := v0.Len()\n"},
		{"broken statement", `v0 := harness.newShelf(2); v1 := v0.Pu"t("a"); v2 := v0.Len()`, "v0 := harness.newShelf(2)\nv1 := v0.Len()\n"},
		{"unknown operation", `v0 := harness.newShelf(2); v1 := v0.Get(); v2 := v0.Len()`, "v0 := harness.newShelf(2)\nv1 := v0.Len()\n"},
		{"too long", strings.Repeat("harness.newShelf(1);", 9), "v0 := harness.newShelf(1)\nv1 := harness.newShelf(1)\nv2 := harness.newShelf(1)\n"},
		{"nothing that resolves", `x := y.New(2)`, ""},
		{"no text", "\x00v0 := harness.newShelf(2)", ""},
		{"words", "hello world", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := in.surface.table.String(in.text(test.input)); got != test.want {
				t.Errorf("text(%q) is\n%swant\n%s", test.input, got, test.want)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	balanced := Contract{Name: "balanced", Doc: "Len counts what was put.", Holds: func(s *shelf) error {
		if len(s.items) == 1 && s.limit == 7 {
			return errors.New("seven")
		}
		if s.limit == 13 {
			panic("thirteen")
		}
		return nil
	}}
	in := shelfInput(t, API{Contracts: []Contract{balanced}, Limits: Limits{Time: time.Hour}}, (*shelf).Take, (*shelf).Quit)
	for _, test := range []struct {
		name, input string
		tier        engine.Tier
		message     string // empty: nothing is wrong
	}{
		{"good", `v0 := harness.newShelf(2); v0.Put("a"); v0.Take()`, 0, ""},
		{"run-time panic", `v0 := harness.newShelf(2); v0.Take()`, engine.Panic, "(*shelf).Take panics: runtime error: index out of range [-1]"},
		{"documented panic", `v0 := harness.newShelf(2); v0.First()`, engine.Illegal, "(*shelf).First panics: runtime error: index out of range [0] with length 0"},
		{"contract", `v0 := harness.newShelf(7); v0.Put("a")`, engine.Error, "contract balanced does not hold: seven"},
		{"contract that panics", `v0 := harness.newShelf(13)`, engine.Error, "contract balanced does not hold: it panics: thirteen"},
		{"end of the goroutine", `v0 := harness.newShelf(2); v0.Quit()`, engine.Error, "a call ended its goroutine, by runtime.Goexit"},
		{"after that", `v0 := harness.newShelf(2); v0.Len()`, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			res := in.run(test.input)
			if res.took > 0 {
				t.Fatalf("took %v", res.took)
			}
			switch v := res.verdict; {
			case v == nil && test.message != "":
				t.Errorf("nothing is wrong, want %s", test.message)
			case v != nil && (v.Message != test.message || v.Tier != test.tier):
				t.Errorf("%v: %s, want %v: %s", v.Tier, v.Message, test.tier, test.message)
			}
		})
	}
}

// A call that does not come back in time is given up, and the next sequence runs
// elsewhere. The clock of the bubble moves only while every goroutine waits.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 200 * time.Millisecond
		in := shelfInput(t, API{Limits: Limits{Time: limit}}, (*shelf).Take, (*shelf).Wait)
		defer func() {
			close(in.runner.jobs)
			time.Sleep(2 * time.Hour) // until Wait returns: no goroutine may outlive the bubble
		}()
		res := in.run(`v0 := harness.newShelf(2); v0.Len(); v0.Wait(); v0.Len()`)
		if got, want := in.surface.table.String(res.steps), "v0 := harness.newShelf(2)\nv1 := v0.Len()\nv0.Wait()\n"; res.took != limit || got != want {
			t.Errorf("took %v, want %v; ran\n%swant\n%s", res.took, limit, got, want)
		}
		if res := in.run(`v0 := harness.newShelf(2); v0.Take()`); res.verdict == nil || res.verdict.Tier != engine.Panic {
			t.Errorf("after it: %+v", res)
		}
	})
}

// A naive stack.
type pile struct {
	limit int
	top   *pile
	item  string
}

func newPile(limit int) *pile { return &pile{limit: limit} }

func (p *pile) Put(item string) error {
	if p.Len() == p.limit {
		return errors.New("there is no room")
	}
	p.top = &pile{top: p.top, item: item}
	return nil
}

func (p *pile) Len() int {
	if p.top == nil {
		return 0
	}
	return 1 + p.top.Len()
}

func (p *pile) Take() string {
	item := p.top.item
	p.top = p.top.top
	return item
}

func (p *pile) First() string {
	q := p.top
	for q.top != nil {
		q = q.top
	}
	return q.item
}

func (p *pile) Drop() {
	if p.top != nil {
		p.top = p.top.top
	}
}

func TestModel(t *testing.T) {
	in := shelfInput(t, API{Model: map[string]any{
		"newShelf": newPile, "(*shelf).Put": (*pile).Put, "(*shelf).Len": (*pile).Len, "(*shelf).Take": (*pile).Take,
		"(*shelf).First": (*pile).First, "(*shelf).Drop": (*pile).Drop,
	}}, (*shelf).Take)
	for _, test := range []struct {
		name, input string
		tier        engine.Tier
		message     string
	}{
		{"agree", `v0 := harness.newShelf(2); v0.Put("a"); v0.Put("b"); v0.Put("c"); v0.Take(); v0.Len()`, 0, ""},
		{"other texts of errors", `v0 := harness.newShelf(0); v0.Put("a")`, 0, ""},
		{"both panic", `v0 := harness.newShelf(2); v0.Take()`, engine.Illegal, ""},
		{"differ", `v0 := harness.newShelf(9); v0.Put("a"); v0.Put("b"); v0.Put("c"); v0.Drop(); v1 := v0.Len()`, engine.Error,
			"(*shelf).Len, step 6, differs from the model: result 1 is 1, the model says 2"},
		{"one panics", `v0 := harness.newShelf(9); v0.Put("a"); v0.Put("b"); v0.Put("c"); v0.Drop(); v0.Take(); v0.Take()`, engine.Error,
			"(*shelf).Take, step 7, differs from the model: it panics, the model returns: (*shelf).Take panics: runtime error: index out of range [-1]"},
		{"the model panics", `v0 := harness.newShelf(-1); v0.Put("a"); v0.First()`, engine.Error, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := in.run(test.input).verdict
			switch {
			case v == nil && test.message != "":
				t.Errorf("nothing is wrong, want %s", test.message)
			case v != nil && (test.message != "" && v.Message != test.message || v.Tier != test.tier):
				t.Errorf("%v: %s, want %v: %s", v.Tier, v.Message, test.tier, test.message)
			}
		})
	}
}

// A failure found from bytes is told in few statements.
func TestMessage(t *testing.T) {
	in := shelfInput(t, API{}, (*shelf).Take)
	r := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		res := in.run("\x80" + randomString(r, 200))
		if res.verdict == nil || res.verdict.Tier < engine.Panic || len(res.steps) < 6 {
			continue
		}
		got := in.message(in.minimize(res), len(res.steps))
		want := "(*shelf).Take panics: runtime error: index out of range [-1]\n\n\tv0 := harness.newShelf(0)\n\tv1 := v0.Take()\n\n" +
			"no documented precondition excludes these arguments\nminimized from "
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "as a seed: f.Add(`v0 := harness.newShelf(0); v1 := v0.Take()`)") {
			t.Errorf("the message is\n%s\nwant\n%s", got, want)
		}
		return
	}
	t.Error("no sequence of six steps failed")
}

// Any input is read as a legal sequence, twice the same, and its text gives it too.
func FuzzInput(f *testing.F) {
	in := shelfInput(f, API{}, (*shelf).Take)
	f.Add(`v0 := harness.newShelf(2); v0.Put("a")`)
	f.Add("\x80\x01\x02\x03\x04\x05\x06\x07\x08\x09")
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		s := in.sequenceOf(input)
		if err := s.Check(in.surface.table); err != nil {
			t.Fatal(err)
		}
		if again := in.sequenceOf(input); !again.Equal(s) {
			t.Fatalf("read again it is\n%s, before\n%s", in.surface.table.String(again), in.surface.table.String(s))
		}
		if len(s) == 0 {
			return
		}
		text := in.surface.table.OneLine(s)
		if got := in.text(text); !got.Equal(s[:min(len(s), in.limits.Steps)]) {
			t.Fatalf("%s is read as\n%s", text, in.surface.table.String(got))
		}
	})
}

// The time for reading and running an input, of bytes and of their text.
func BenchmarkInput(b *testing.B) {
	for _, size := range []int{16, 128, 512} {
		in := shelfInput(b, API{})
		r := rand.New(rand.NewPCG(4, 4))
		var bytes, text []string
		for range 64 {
			input := "\x80" + randomString(r, size)
			bytes = append(bytes, input)
			text = append(text, in.surface.table.OneLine(in.sequenceOf(input)))
		}
		for name, inputs := range map[string][]string{"bytes": bytes, "text": text} {
			b.Run(fmt.Sprintf("%s/size=%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					in.run(inputs[i%len(inputs)])
				}
			})
		}
	}
}
