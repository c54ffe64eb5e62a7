package blame

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// dump returns what SIGQUIT shows of a step's goroutine in the given state.
func dump(state, stack string) string {
	var b strings.Builder
	b.WriteString("SIGQUIT: quit\nPC=0x52e85a m=0 sigcode=0\n\ngoroutine 1 gp=0x91c571361e0 m=nil [chan receive, 2 minutes]:\n" +
		"testing.(*T).Run(0x3413cdad4008, {0x58647a?, 0x0?}, 0x5942d0)\n\t/usr/local/go/src/testing/testing.go:2109 +0x4e5\n\n" +
		"goroutine 8 gp=0x91c571e8000 m=0 mp=0x6d7e20 [" + state + "]:\n")
	for _, f := range append(frames(stack), Frame{Func: "example.org/p%2ev2_test.forayOp17", File: "/tmp/foray_test.go"}) {
		b.WriteString(f.Func + "(0x1?, {0x2, 0x3}, ...)\n\t" + f.File + ":12 +0x1b fp=0x91c571b3f98\n")
	}
	return b.String() + "created by testing.(*T).Run in goroutine 1\n\t/usr/local/go/src/testing/testing.go:2101 +0x4c5\n"
}

func hang(state, stack string) Ending {
	return Ending{Kind: engine.KindHang, Text: dump(state, stack)}
}

func fatal(message, stack string) Ending {
	return Ending{Kind: engine.KindFatal, Text: "fatal error: " + message + "\n\n" + dump("running", stack)}
}

var deathCases = []struct {
	name, steps string
	how         Ending
	want        engine.Tier
	rule        string
}{
	// Common.
	{"our own lock", "New(1); Chan(); CloseChan(v1)", hang("chan receive", ""), engine.Illegal, "own expression"},
	{"a loop of ours, stack unknown", "New(1); All(v0); Range(v1)", Ending{Kind: engine.KindHang}, engine.Illegal, "own expression"},
	{"the package's loop under ours", "New(1); All(v0); Range(v1)", hang("running", "(*T).All.func1"), engine.Error, "other"},
	{"our func literal loops", "New(1); lit(); Visit(v0, v1)", hang("running", "_lit.func1 < (*T).Visit"), engine.Illegal, "own code"},
	{"nil given", "New(1); Send(v0, nil)", hang("chan send (nil chan)", "(*T).Send"), engine.Illegal, "nil"},
	{"zero value", "Zero(); Do(v0)", hang("chan send (nil chan)", "(*T).Do"), engine.Illegal, "zero"},

	// Blocked.
	{"sleeps", "New(1); Do(v0)", hang("sleep", "/time.Sleep < (*T).Do"), engine.Illegal, "waits"},
	{"documented to block", "New(1); Take(v0)", hang("sync.WaitGroup.Wait", "(*T).Take"), engine.Illegal, "by design"},
	{"named to wait", "New(1); WaitAll(v0)", hang("sync.WaitGroup.Wait", "/sync.(*WaitGroup).Wait < (*T).WaitAll"), engine.Illegal, "by design"},
	{"waits with a cancelled context", "New(1); Cancelled(); Listen(v0, v1)", hang("select", "(*T).Listen"), engine.Suspect, "cancelled"},
	{"documented to heed its context", "New(1); Cancelled(); Acquire(v0, v1)", hang("select", "(*T).Acquire"), engine.Error, "cancelled"},
	{"waits for a lock with a cancelled context", "New(1); Cancelled(); Acquire(v0, v1)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Acquire"), engine.Illegal, "by design"},
	{"waits with a context", "New(1); Background(); Acquire(v0, v1)", hang("select", "(*T).Acquire"), engine.Illegal, "by design"},
	{"locked before, with a cancelled context", "New(1); Cancelled(); Lock(v0); Acquire(v0, v1)", hang("select", "(*T).Acquire"), engine.Illegal, "by design"},
	{"locked before", "New(1); Lock(v0); Do(v0)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Do"), engine.Illegal, "locked"},
	{"unlocked again", "New(1); Lock(v0); Unlock(v0); Do(v0)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Do"), engine.Error, "other"},
	{"locked before, and a channel is asked for that tells the end", "New(1); Lock(v0); Done(v0); Do(v0)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Do"), engine.Illegal, "locked"},
	{"another locked", "New(1); New(1); Lock(v1); Do(v0)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Do"), engine.Error, "other"},
	{"our channel", "New(1); Chan(); Send(v0, v1)", hang("chan send", "(*T).Send"), engine.Illegal, "own channel"},
	{"ranges over itself", "New(1); All(v0); AddSeq(v0, v1)", hang("sync.Mutex.Lock", "(*T).All.func1 < (*T).AddSeq"), engine.Suspect, "own item"},
	{"ranges over another", "New(1); New(2); All(v0); AddSeq(v1, v2)", hang("sync.Mutex.Lock", "(*T).All.func1 < (*T).AddSeq"), engine.Error, "other"},
	{"in a list for itself", "New(1); Anys(v0); AddList(v0, v1)", hang("sync.Mutex.Lock", "(*T).AddList"), engine.Suspect, "own item"},
	{"waits for its own lock as an item of itself", "New(1); Insert(v0, v0)", hang("sync.Mutex.Lock", "(*T).Size < (*T).Insert"), engine.Suspect, "own item"},
	{"waits for its own lock, after it became an item of itself", "New(1); Insert(v0, v0); Do(v0)", hang("sync.Mutex.Lock", "(*T).Do"), engine.Suspect, "own item"},
	{"waits for its own lock, after what was made of it became an item of it", "New(1); Wrap(v0); Insert(v0, v1); Do(v0)", hang("sync.Mutex.Lock", "(*T).Do"), engine.Suspect, "own item"},
	{"waits for its own lock, after another became an item of itself", "New(1); New(2); Insert(v0, v0); Do(v1)", hang("sync.Mutex.Lock", "(*T).Do"), engine.Error, "other"},
	{"waits for its own lock beside another item", "New(1); New(2); Insert(v0, v1)", hang("sync.Mutex.Lock", "(*T).Size < (*T).Insert"), engine.Error, "other"},
	{"waits for its own lock, given itself as another of its interface", "MakeSource(); Union(v0, v0)", hang("sync.Mutex.Lock", "(*T).Union"), engine.Error, "other"},
	{"waits for its own lock", "New(1); Merge(v0, v0)", hang("sync.Mutex.Lock", "(*T).Merge"), engine.Error, "other"},
	{"waits while garbage is collected", "New(1); Do(v0)", hang("semacquire", "/runtime.GC < (*T).Do"), engine.Illegal, "waits"},
	{"queue may block", "New(1); Do(v0)", hang("sync.Cond.Wait", "/sync.(*Cond).Wait < (*T).Do"), engine.Suspect, "conversation"},
	{"lock left held after a callback's panic", "New(1); lit(); Visit(v0, v1); Do(v0)", hang("sync.RWMutex.Lock", "/sync.(*RWMutex).Lock < (*T).Do"), engine.Error, "other"},
	{"lock left held after a callback's panic, which is documented", "New(1); lit(); VisitLocked(v0, v1); Do(v0)", hang("sync.RWMutex.Lock", "/sync.(*RWMutex).Lock < (*T).Do"), engine.Suspect, "held meanwhile"},
	{"group never done", "Execute()", hang("sync.WaitGroup.Wait", "/sync.(*WaitGroup).Wait < Execute"), engine.Error, "other"},
	{"all asleep", "New(1); Do(v0)", Ending{Kind: engine.KindFatal, Text: "fatal error: all goroutines are asleep - deadlock!\n\n" + dump("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).Do")}, engine.Error, "other"},

	// Busy.
	{"joins goroutines", "New(1); JoinAll(v0)", hang("sync.WaitGroup.Wait", "/sync.(*WaitGroup).Wait < (*T).JoinAll"), engine.Illegal, "by design"},
	{"joins texts", "New(1); JoinAll(v0)", hang("running", "(*T).JoinAll"), engine.Error, "other"},
	{"runs by design", "New(1); WaitAll(v0)", hang("running", "(*T).WaitAll"), engine.Illegal, "by design"},
	{"large number", "New(1); Rotate(v0, 9000000000)", hang("running", "(*T).Rotate"), engine.Suspect, "large"},
	{"sizeable number", "New(1); Rotate(v0, 9000)", hang("running", "(*T).Rotate"), engine.Suspect, "large"},
	{"it collects garbage", "New(1); Do(v0)", hang("stopping the world", "(*T).Do"), engine.Error, "other"},
	{"it collects garbage, with a large number", "New(1); Rotate(v0, 9000000000)", hang("GC assist wait", "(*T).Rotate"), engine.Suspect, "large"},
	{"its stack grows", "New(1); WaitAll(v0)", hang("copystack", "(*T).WaitAll"), engine.Illegal, "by design"},
	{"large number before", "New(9000000000); Do(v0)", hang("runnable", "(*T).Do"), engine.Suspect, "large"},
	{"large float", "Norm(1e200)", hang("running", "Norm"), engine.Suspect, "large"},
	{"infinite float", "Norm(+Inf)", hang("running", "Norm"), engine.Error, "other"},
	{"large number in a string", "Parse(\"1e99999\")", hang("running", "Parse"), engine.Suspect, "large"},
	{"short string", "Parse(\"*a\")", hang("running", "Parse"), engine.Error, "other"},
	{"exponential by nature", "Power(30)", hang("running", "Power"), engine.Suspect, "large"},
	{"it reads files", "Parse(\"x\")", hang("running", "/os.(*File).Read < walk < Parse"), engine.Suspect, "files"},
	{"our function decides", "New(1); lit(); Visit(v0, v1)", hang("running", "(*T).Visit"), engine.Suspect, "function"},
	{"our function decides, set as a field", "New(1); lit(); SetStep(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "function"},
	{"our function decides, registered before", "New(1); lit(); Visit(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "function"},
	{"our function, put as an element", "New(1); lit(); Put(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"our function, set as a field of another", "New(1); lit(); SetStep(v0, v1); New(1); Do(v2)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"an end behind the begin", "New(1); Sliced(v0, 1, 3); Do(v0)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"put into itself", "New(1); Merge(v0, v0); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"made a child of itself by a function", "New(1); AddChild(v0, v0); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"made of itself twice, as an interface", "MakeSource(); Both(v0, v0); Size(v1)", hang("running", "(I).Size"), engine.Suspect, "cyclic"},
	{"made of itself and of what was made of it", "MakeSource(); MakeSource(); Both(v0, v1); Both(v2, v0)", hang("running", "Both"), engine.Suspect, "cyclic"},
	{"made of two", "MakeSource(); MakeSource(); Both(v0, v1); Size(v2)", hang("running", "(I).Size"), engine.Error, "other"},
	{"made a child of another by a function", "New(1); New(1); AddChild(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"an element put into itself", "New(1); Enqueue(v0, 1); Attach(v0, v1, v1); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"an element put into another", "New(1); Enqueue(v0, 1); Enqueue(v0, 2); Attach(v0, v1, v2); Do(v0)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"put into each other", "New(1); New(1); Merge(v0, v1); Merge(v1, v0); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"put into another twice", "New(1); New(1); Merge(v0, v1); Merge(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"put into another once", "New(1); New(1); New(1); Merge(v0, v1); Merge(v0, v2); Do(v0)", hang("running", "(*T).Do"), engine.Error, "other"},
	{"writes what it reads", "New(1); Wrap(v0); Merge(v1, v0)", hang("running", "(*T).Merge"), engine.Suspect, "cyclic"},
	{"writes what another reads", "New(1); Wrap(v0); New(2); Merge(v1, v2)", hang("running", "(*T).Merge"), engine.Error, "other"},
	{"made of another of its type", "MakeSource(); NewRand(v0); NewRand(v1); Int(v2)", hang("running", "(*Rand).Int"), engine.Error, "other"},
	{"made of a source", "MakeSource(); NewRand(v0); Int(v1)", hang("running", "(*Rand).Int"), engine.Error, "other"},
	{"iterator", "New(1); Iterator(v0); Next(v1)", hang("running", "(*Iterator).Next"), engine.Error, "other"},
	{"stack not available", "New(1); Do(v0)", Ending{Kind: engine.KindHang}, engine.Error, "other"},
	{"a loop of one instruction, inlined", "New(1); Do(v0)", hang("running", ""), engine.Error, "other"},

	// Memory.
	{"large size", "New(9000000); Do(v0)", Ending{Kind: engine.KindMemory}, engine.Suspect, "large"},
	{"a size that another call returned", "New(1); Get(v0, 1); Rotate(v0, v1)", Ending{Kind: engine.KindMemory}, engine.Suspect, "large"},
	{"a size that another call returned, given to a constructor", "New(1); Get(v0, 1); New(v1); Do(v2)", Ending{Kind: engine.KindMemory}, engine.Suspect, "large"},
	{"a number that another call returned, put into it", "New(1); Get(v0, 1); New(1); Put(v2, v1); Do(v2)", Ending{Kind: engine.KindMemory}, engine.Panic, "other"},
	{"memory by function", "New(1); lit(); Visit(v0, v1)", Ending{Kind: engine.KindMemory}, engine.Suspect, "function"},
	{"put into what it was made of", "New(1); Wrap(v0); Merge(v0, v1); Do(v0)", hang("running", "(*T).Do"), engine.Suspect, "cyclic"},
	{"added to itself", "New(1); Merge(v0, v0)", Ending{Kind: engine.KindMemory}, engine.Suspect, "cyclic"},
	{"reads on and on what another has written", "New(1); New(1); ReaderOf(v1); CopyFrom(v0, v2)", hang("running", "(*T).CopyFrom"), engine.Error, "other"},
	{"an image as large as its header says", "ParseImage(\"x\")", Ending{Kind: engine.KindMemory}, engine.Suspect, "image"},
	{"small input", "Parse(\"x\")", fatal("out of memory", "Parse"), engine.Error, "other"},

	// Stack.
	{"overflow of a value of ours given twice", "Node(1); CopyTo(v0, v0)", fatal("stack overflow", "copy < CopyTo"), engine.Panic, "other"},
	{"overflow of a value of ours given before, too", "Node(1); CopyTo(v0, 1); CopyTo(v0, v0)", fatal("stack overflow", "copy < CopyTo"), engine.Suspect, "cyclic"},
	{"overflow of what was made of a value of ours, and of that", "Node(1); WithNode(v0); CopyTo(v1, v0)", fatal("stack overflow", "copy < CopyTo"), engine.Suspect, "cyclic"},
	{"overflow of what a value of ours was given twice before", "Node(1); CopyTo(v0, v0); CopyTo(v0, 1)", fatal("stack overflow", "copy < CopyTo"), engine.Suspect, "cyclic"},
	{"overflow of a cycle", "New(1); Merge(v0, v0); Do(v0)", fatal("stack overflow", "(*T).Do"), engine.Suspect, "cyclic"},
	{"overflow of a map put into itself", "MakeMap(); ToMap(v0); Set(v1, \"a\", 1); ToMap(v0); Set(v3, \"b\", v2); Walk(v3)", fatal("stack overflow", "walk < (Map).Walk"), engine.Suspect, "cyclic"},
	{"overflow of a map put into itself, that needs no conversion", "MakeMap(); Set(v0, \"a\", 1); Set(v0, \"b\", v1); Walk(v2)", fatal("stack overflow", "walk < (Map).Walk"), engine.Suspect, "cyclic"},
	{"overflow of a map of the package's put into itself", "OpenMap(); Set(v0, \"a\", 1); Set(v0, \"b\", v1); Walk(v0)", fatal("stack overflow", "walk < (Map).Walk"), engine.Suspect, "cyclic"},
	{"overflow of a map put into another", "MakeMap(); ToMap(v0); Set(v1, \"a\", 1); MakeMap(); ToMap(v3); Set(v4, \"b\", v2); Walk(v4)", fatal("stack overflow", "walk < (Map).Walk"), engine.Panic, "other"},
	{"overflow of what is put into what it made", "New(1); Iterator(v0); Keep(v1, v0); Do(v0)", fatal("stack overflow", "(*T).Do"), engine.Suspect, "cyclic"},
	{"overflow of what is put into what it made, in a chain", "New(1); Iterator(v0); Child(v0); Keep(v1, v2); Do(v2)", fatal("stack overflow", "(*T).Do"), engine.Suspect, "cyclic"},
	{"overflow of what reads itself through a field", "NewReader(1); NewPair(v0); NewPair(v0); Reader(v2); Reset(v3, v1); ReadPair(v1)", fatal("stack overflow", "(*Reader).Read < (*Pair).ReadPair < (*Reader).Read < (*Pair).ReadPair"), engine.Suspect, "cyclic"},
	{"overflow of what reads itself, returned by its constructor", "NewReader(1); NewPair(v0); Buffered(v0); Reset(v2, v1); ReadPair(v1)", fatal("stack overflow", "(*Reader).Read < (*Pair).ReadPair < (*Reader).Read < (*Pair).ReadPair"), engine.Suspect, "cyclic"},
	{"overflow of what reads another", "NewReader(1); NewPair(v0); NewReader(1); NewPair(v2); Reader(v3); Reset(v4, v1); ReadPair(v1)", fatal("stack overflow", "(*Reader).Read < (*Pair).ReadPair < (*Reader).Read < (*Pair).ReadPair"), engine.Panic, "other"},
	{"overflow of an element put into itself", "New(1); Enqueue(v0, 1); Attach(v0, v1, v1); Do(v0)", fatal("stack overflow", "(*T).Do"), engine.Suspect, "cyclic"},
	{"overflow of what got another's element", "New(1); New(2); Enqueue(v0, 1); Discard(v1, v2); Do(v1)", fatal("stack overflow", "(*T).Do"), engine.Panic, "other"},
	{"overflow of two made by one function", "less(); NewBy(v0); NewBy(v0); Merge(v1, v2); Do(v1)", fatal("stack overflow", "(*T).Do"), engine.Panic, "other"},
	{"overflow in a chain", "New(1); Iterator(v0); Child(v0); Do(v2)", fatal("stack overflow", "(*T).Do"), engine.Panic, "other"},
	{"overflow by callback", "New(1); callsBack(v0); Visit(v0, v1)", fatal("stack overflow", "(*T).Visit"), engine.Suspect, "cyclic"},
	{"overflow through a callback kept", "New(1); callsBack(v0); Visit(v0, v1); Do(v0)", fatal("stack overflow", "(*T).Do < (*T).Do"), engine.Suspect, "cyclic"},
	{"overflow by number", "New(1); Rotate(v0, 90000000)", fatal("stack overflow", "(*T).Rotate"), engine.Suspect, "large"},
	{"overflow", "New(1); Do(v0)", fatal("stack overflow", "(*T).Do < (*T).walk < (*T).Do < (*T).walk"), engine.Panic, "other"},

	// Exit.
	{"exits by name", "ExitWith(3)", Ending{Kind: engine.KindExit, Code: 3}, engine.Illegal, "by design"},
	{"exits for a setting", "Handled(1)", Ending{Kind: engine.KindExit, Code: 2}, engine.Illegal, "by design"},
	{"gives up by name", "MustParse(\"x\")", Ending{Kind: engine.KindExit, Code: 1}, engine.Illegal, "must"},
	{"exits by the name of a function below", "Parse(\"x\")", Ending{Kind: engine.KindExit, Code: 1, Text: dump("running", "/os.Exit < PrintAndExit < Parse")}, engine.Illegal, "by design"},
	{"exits", "Parse(\"x\")", Ending{Kind: engine.KindExit, Code: 1}, engine.Panic, "other"},
	{"ends its goroutine", "Parse(\"x\")", Ending{Goexit: true}, engine.Panic, "other"},

	// Fatal.
	{"Unlock of unlocked", "New(1); Unlock(v0)", fatal("sync: unlock of unlocked mutex", "/sync.fatal < (*T).Unlock"), engine.Illegal, "unlock"},
	{"unlock inside", "New(1); Do(v0)", fatal("sync: Unlock of unlocked RWMutex", "/sync.fatal < (*T).Do"), engine.Panic, "other"},
	{"map race", "New(1); Do(v0)", fatal("concurrent map writes", "(*T).Do"), engine.Error, "map race"},
	{"unsafe", "New(1); GetUnsafe(v0, 3)", fatal("unexpected signal during runtime execution", "(*T).GetUnsafe"), engine.Illegal, "unchecked"},
	{"bytes of a string written", "New(1); StringToBytes(\"x\"); SetBytes(v0, v1)", fatal("fault", "(*T).SetBytes"), engine.Suspect, "read-only"},
	{"a type written", "New(1); TypeOf(1); Put(v0, v1)", fatal("fault", "(*T).Put"), engine.Suspect, "read-only"},
	{"another death beside bytes of a string", "New(1); StringToBytes(\"x\"); SetBytes(v0, v1)", fatal("bad pointer", "(*T).SetBytes"), engine.Panic, "other"},
	{"memory fault", "New(1); Do(v0)", fatal("fault", "(*T).Do"), engine.Panic, "other"},
}

// deathScene repeats what Death does up to the rules.
func deathScene(f Facts, how Ending) *scene {
	message, _ := fatalText(how.Text)
	g := stepGoroutine(f.Table, godump.Parse(how.Text), how.Goroutine)
	f.Frames = untilAdapter(f.Table, g.Frames())
	s := newScene(f)
	_, s.class = classifyDeath(how, message, &g)
	s.text, s.state = message, g.State
	return s
}

func TestDeath(t *testing.T) {
	b := testTable()
	for _, c := range deathCases {
		t.Run(c.name, func(t *testing.T) {
			f := facts(b, c.steps, nil, nil, "")
			v := Death(f, c.how)
			if v.Tier != c.want {
				t.Errorf("tier %v, want %v: %s", v.Tier, c.want, v.Reason)
			}
			s := deathScene(f, c.how)
			if got := decider(s, deathRules(s.class)); got != c.rule {
				t.Errorf("rule %q decides, want %q", got, c.rule)
			}
			if v.Message == "" || v.Rule == "" || v.Reason == "" || v.Signature.Kind == "" {
				t.Errorf("verdict with gaps: %+v", v)
			}
		})
	}
}

// TestDeathRulesMatter sees that for each rule there is a case whose tier is
// another without it. A map race is an error by any rule: its own has the
// document. The common rules are tried with one of the lists.
func TestDeathRulesMatter(t *testing.T) {
	b := testTable()
	for _, class := range []class{exited, blocked, busy, memory, stackOverflow, fault} {
		rules := deathRules(class)
		for i, r := range rules {
			if r.name == "other" || r.name == "map race" || i < len(deathCommonRules) && class != busy {
				continue
			}
			matters := false
			for _, c := range deathCases {
				s := deathScene(facts(b, c.steps, nil, nil, ""), c.how)
				if s.class != class && !(class == fault && s.class == unlocked) && i >= len(deathCommonRules) {
					continue
				}
				all := deathRules(s.class)
				with := settled(s, all)
				less := settled(s, without(all, i))
				matters = matters || with != less
			}
			if !matters {
				t.Errorf("%s rule %q: no case needs it", class, r.name)
			}
		}
	}
}

func TestDeathSignature(t *testing.T) {
	b := testTable()
	for _, test := range []struct {
		name, steps string
		how         Ending
		want        string
	}{
		{"busy: wherever it was caught", "New(1); Do(v0)", hang("running", "(*T).spin < (*T).Do"), "hang:busy:(*T).Do"},
		{"blocked: where it waits", "New(1); Do(v0)", hang("sync.Mutex.Lock", "/sync.(*Mutex).Lock < (*T).lockAll < (*T).Do"), "hang:blocked:lock:(*T).lockAll"},
		{"blocked: who reads and who writes", "New(1); Do(v0)", hang("sync.RWMutex.RLock", "/sync.(*RWMutex).RLock < (*T).lockAll < (*T).Do"), "hang:blocked:lock:(*T).lockAll"},
		{"blocked: for a group", "New(1); Do(v0)", hang("sync.WaitGroup.Wait", "/sync.(*WaitGroup).Wait < (*T).Do"), "hang:blocked:sync.WaitGroup.Wait:(*T).Do"},
		{"blocked: its own goroutine is at work", "New(1); Do(v0)", Ending{Kind: engine.KindHang, Goroutine: 7, Text: "goroutine 7 [sync.WaitGroup.Wait]:\nexample.org/p%2ev2.(*T).Do(0x1)\n\t/src/p.go:12 +0x1b\n" +
			"\ngoroutine 9 [runnable]:\nexample.org/p%2ev2.work(0x1)\n\t/src/p.go:22 +0x1b\ncreated by example.org/p%2ev2.(*T).Do in goroutine 7\n"}, "hang:busy:(*T).Do"},
		{"blocked: another goroutine is at work", "New(1); Do(v0)", Ending{Kind: engine.KindHang, Goroutine: 7, Text: "goroutine 7 [sync.WaitGroup.Wait]:\nexample.org/p%2ev2.(*T).Do(0x1)\n\t/src/p.go:12 +0x1b\n" +
			"\ngoroutine 9 [runnable]:\nexample.org/p%2ev2.work(0x1)\n\t/src/p.go:22 +0x1b\ncreated by example.org/p%2ev2.(*T).Do in goroutine 6\n"}, "hang:blocked:sync.WaitGroup.Wait:(*T).Do"},
		{"overflow: any function of the cycle", "New(1); Do(v0)", fatal("stack overflow", "(*T).b < (*T).a < (*T).b < (*T).a < (*T).Do"), "fatal:stack-overflow:(*T).a"},
		{"overflow: the same, caught elsewhere", "New(1); Do(v0)", fatal("stack overflow", "(*T).a < (*T).b < (*T).a < (*T).b < (*T).Do"), "fatal:stack-overflow:(*T).a"},
		{"exit", "Parse(\"x\")", Ending{Kind: engine.KindExit, Code: 1}, "exit:exit:Parse"},
		{"goroutine", "Parse(\"x\")", Ending{Goexit: true}, "exit:goexit:Parse"},
		{"which goroutine", "New(1); Do(v0)", Ending{Kind: engine.KindHang, Goroutine: 9, Text: dump("running", "(*T).Do") +
			"\ngoroutine 9 gp=0x1 m=nil [sync.Mutex.Lock]:\nexample.org/p%2ev2.(*T).Take(0x1)\n\t/src/p.go:12 +0x1b\n"}, "hang:blocked:lock:(*T).Take"},
	} {
		checkEqual(t, test.name, Death(facts(b, test.steps, nil, nil, ""), test.how).Signature.String(), test.want)
	}
}

// TestDeathByPanic judges a panic in a goroutine of the package as a panic.
func TestDeathByPanic(t *testing.T) {
	b := testTable()
	trace := func(text string) Ending {
		return Ending{Kind: engine.KindFatal, Text: "some output\npanic: " + text + "\n\ngoroutine 21 [running]:\nexample.org/p%2ev2.(*T).Do.func1()\n\t/src/p.go:11 +0x2a\ncreated by example.org/p%2ev2.(*T).Do in goroutine 20\n\t/src/p.go:11 +0x31\n"}
	}
	for _, test := range []struct {
		text, steps string
		want        engine.Tier
		sig         string
	}{
		{"runtime error: invalid memory address or nil pointer dereference", "New(1); Of(nil); Do(v0)", engine.Illegal, "panic:nil:(*T).Do"},
		{"runtime error: invalid memory address or nil pointer dereference", "New(1); Do(v0)", engine.Panic, "panic:nil:(*T).Do"},
		{"runtime error: index out of range [-1]", "New(1); Of(nil); Do(v0)", engine.Panic, "panic:index:(*T).Do"},
		{"assignment to entry in nil map", "New(1); Do(v0)", engine.Panic, "panic:nil-map:(*T).Do"},
		{"runtime error: index out of range [-1] [recovered]", "New(1); Do(v0)", engine.Panic, "panic:index:(*T).Do"},
		{"foray", "New(1); Do(v0)", engine.Illegal, "panic:explicit:foray:(*T).Do"},
		{"no such thing", "New(1); Do(v0)", engine.Panic, "panic:explicit:no such thing:(*T).Do"},
		{"(executor.outOfFuel) 0x7b5a20", "New(1); Do(v0)", engine.Illegal, "panic:explicit:(executor.outOfFuel) N:(*T).Do"},
		{"no such thing", "New(1); Of(nil); Do(v0)", engine.Panic, "panic:explicit:no such thing:(*T).Do"},
		{"assignment to entry in nil map", "New(1); Do(v0); New(2)", engine.Panic, "panic:nil-map:(*T).Do"}, // in a later step
	} {
		v := Death(facts(b, test.steps, nil, nil, ""), trace(test.text))
		if v.Tier != test.want || v.Signature.String() != test.sig {
			t.Errorf("%s: %s: %v %s, want %v %s", test.steps, test.text, v.Tier, v.Signature, test.want, test.sig)
		}
		if op := b.Table.Ops[v.Op].Member; op != "(*T).Do" || !strings.HasPrefix(v.Message, op+" panics: ") {
			t.Errorf("%s: %s: %s is blamed: %s", test.steps, test.text, op, v.Message)
		}
	}
}

func TestDeathWithoutArgs(t *testing.T) {
	b := testTable()
	f := facts(b, "New(1); Rotate(v0, 9000000000)", nil, nil, "")
	f.Args = nil
	checkEqual(t, "tier", Death(f, hang("running", "(*T).Rotate")).Tier, engine.Suspect)
}

func TestBigNumber(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "123456": false, "1234567": true, "a1234567b": true, "1e999": false, "1e9999": true, "2E+9999": true, "e9999": false, "1-9999": false,
	} {
		checkEqual(t, in, bigNumber(in), want)
	}
}

// Where no function tells the size of an image, nobody can ask before.
func TestDeathDecodesImage(t *testing.T) {
	decode := seq.Operation{Kind: seq.Func, API: true, ReturnsError: true, Params: []seq.TypeID{1}, Results: []seq.TypeID{0}}
	table := &seq.Table{Types: []seq.Type{{Form: seq.Form{Path: "image", Base: "Image"}}, {Literal: seq.String}}, Ops: []seq.Operation{decode}}
	steps := seq.Sequence{{Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 1, Value: "GIF"})}}}
	if v := Death(Facts{Table: table, Steps: steps}, Ending{Kind: engine.KindMemory}); v.Tier != engine.Error {
		t.Errorf("%v by %s, want an error", v.Tier, v.Rule)
	}
}
