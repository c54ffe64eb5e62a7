package harness

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/process"
)

// Fuzz makes f a test of sequences of calls.
//
//	func FuzzQueue(f *testing.F) {
//		harness.Fuzz(f, harness.API{
//			Operations: []any{queue.New, (*queue.Queue).Put, (*queue.Queue).Get},
//		})
//	}
//
// It calls f.Fuzz with a function of one string. Text is read as Go statements, with
// fixed names of values: v0, v1 and, for further results, v1b:
//
//	f.Add("v0 := queue.New(2); v0.Put(1); v1, v1b := v0.Get()")
//
// Unreadable statements are dropped, and so are those that depend on them. If no
// statement can be read, the bytes of the string choose operations and arguments, so
// that each input is a sequence. go test runs the inputs of f.Add, of testdata/fuzz
// and some of Fuzz's own. go test -fuzz looks for more, and foray fuzz -fuzz does so
// with its whole search.
//
// A sequence fails if it panics and no precondition excuses that, breaks a contract,
// differs from the model, ends its goroutine or takes too long. The message has the
// shortest sequence found that fails in the same way. A sequence is skipped if the
// failure may be its own mistake: it passes a nil that no documentation allows, say.
func Fuzz(f *testing.F, api API) {
	f.Helper()
	s, err := newSurface(api)
	if err != nil {
		f.Fatal("harness: " + err.Error())
	}
	in, err := newInterpreter(s, api.Limits)
	if err != nil {
		f.Fatal("harness: " + err.Error())
	}
	if err := in.serve(); err != nil {
		f.Fatal("harness: " + err.Error())
	}
	for _, seed := range seeds() {
		f.Add(seed)
	}
	keepInputs()
	f.Fuzz(in.test)
}

// serve answers foray, if foray runs the test. With [wire.EnvList] it writes the
// table to a file. In a worker it serves the listed operations and does not return.
func (in *interpreter) serve() error {
	if file := os.Getenv(wire.EnvList); file != "" {
		data, err := json.Marshal(wire.List{Table: in.surface.table, Steps: in.limits.Steps})
		if err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o666)
	}
	if os.Getenv(wire.EnvTable) != "" {
		b := in.surface.bindings
		b.Read = in.read
		process.Main(b)
	}
	return nil
}

// keepInputs keeps go test -fuzz from making inputs smaller, unless it was told for
// how long. A sequence with fewer bytes is rarely simpler, and minimizing takes most
// of the time. Fuzz minimizes failing sequences itself.
func keepInputs() {
	const name = "test.fuzzminimizetime"
	given := false
	flag.Visit(func(fl *flag.Flag) { given = given || fl.Name == name })
	if !given && flag.Lookup(name) != nil {
		_ = flag.Set(name, "0x") // it takes that; if it should not, it minimizes
	}
}

// seeds returns inputs for a start: random choices, for sequences of various lengths.
func seeds() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var list []string
	for _, n := range []int{16, 32, 64, 128, 256} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		b[0] |= 0x80 // no text
		list = append(list, string(b))
	}
	return list
}

// test runs one input and reports to t.
func (in *interpreter) test(t *testing.T, input string) {
	res := in.run(input)
	switch v := res.verdict; {
	case res.took > 0:
		t.Fatalf("a sequence takes longer than %v:\n%s", in.limits.Time, in.statements(res.steps))
	case v == nil:
	case v.Tier >= engine.Panic: // as a panic fails a test
		small := res
		if v.Kind != engine.KindExit {
			small = in.minimize(res)
		}
		t.Fatal(in.message(small, len(res.steps)))
	default:
		if testing.Verbose() {
			t.Logf("%s: %s\n%s", v.Tier, v.Reason, in.message(res, len(res.steps)))
		}
		t.SkipNow()
	}
}

// message describes a failure: the broken contract or panic, the statements, and the
// document that calls it wrong.
func (in *interpreter) message(r run, original int) string {
	table, v := in.surface.table, r.verdict
	var b strings.Builder
	b.WriteString(v.Message + "\n" + in.statements(r.steps))
	if v.Reason != "" {
		b.WriteString("\n" + v.Reason)
	}
	if original > len(r.steps) {
		fmt.Fprintf(&b, "\nminimized from %d steps to %d", original, len(r.steps))
	}
	if text := table.OneLine(r.steps); !strings.Contains(text, "`") {
		b.WriteString("\nas a seed: f.Add(`" + text + "`)")
	}
	return b.String()
}

// statements returns the text of a sequence, indented.
func (in *interpreter) statements(s seq.Sequence) string {
	var b strings.Builder
	for line := range strings.Lines(in.surface.table.String(s)) {
		b.WriteString("\n\t" + strings.TrimSuffix(line, "\n"))
	}
	return b.String() + "\n"
}
