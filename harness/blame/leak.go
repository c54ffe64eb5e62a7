package blame

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

const docLeak = `package runtime/pprof, goroutineleak: what the goroutine waits for nobody can reach any more, and none of the calls leaves it to the caller to end it`

// enders are words in the names of operations that end goroutines or receive from them.
var enders = naming.Set("close stop cancel shutdown release finish end unregister wait join clear reset")

// Leaks judges the leaks of one process. The zero value works.
type Leaks struct {
	goroutines map[uint64]bool           // the leaked goroutines seen before, which stay
	signatures map[engine.Signature]bool // of the leaks told so far
}

// Judge returns the verdict on a goroutine of the package that s leaked, nil if there is
// none. dump is the leak profile in the form of a goroutine dump. Of several new leaks,
// Judge prefers the wanted signature, then a signature that was not told yet.
func (l *Leaks) Judge(t *seq.Table, s seq.Sequence, dump string, want engine.Signature) *engine.Verdict {
	if l.goroutines == nil {
		l.goroutines, l.signatures = map[uint64]bool{}, map[engine.Signature]bool{}
	}
	var best *engine.Verdict
	rank := func(v *engine.Verdict) int {
		switch {
		case v == nil:
			return 0
		case v.Signature == want:
			return 3
		case !l.signatures[v.Signature]:
			return 2
		}
		return 1
	}
	for _, g := range godump.Parse(dump) {
		if !g.Leaked || l.goroutines[g.ID] {
			continue
		}
		l.goroutines[g.ID] = true
		if v := leak(t, s, &g); rank(v) > rank(best) {
			best = v
		}
	}
	if best != nil {
		l.signatures[best.Signature] = true
	}
	return best
}

// leak judges one goroutine that cannot go on. It returns nil if the goroutine is not of
// the package.
func leak(t *seq.Table, s seq.Sequence, g *godump.Goroutine) *engine.Verdict {
	in := packageFrames(t, g.Frames())
	if len(in) == 0 {
		return nil
	}
	where := godump.Member(in[0].Func)
	v := &engine.Verdict{
		Claim: engine.ClaimHang, Kind: engine.KindLeak, Op: starter(t, s, godump.Member(g.Creator())),
		Signature: engine.Signature{Kind: engine.KindLeak, Where: where},
		Message:   OneLine("a goroutine in " + where + " waits for ever: " + g.State),
		Stack:     stack(t, g.Frames()),
	}
	return v.Settle(engine.Ruling{Tier: engine.Error, Rule: "leak", Reason: docLeak}, Doubt("left to the caller", leftToCaller(t, s, g)))
}

// starter returns the last call of s by the function that started the goroutine, else
// the last call.
func starter(t *seq.Table, s seq.Sequence, maker string) seq.OpID {
	last := s[len(s)-1].Op
	found := false
	for _, st := range s {
		switch op := &t.Ops[st.Op]; {
		case op.API && godump.SameMember(op.Member, maker):
			last, found = st.Op, true
		case op.API && !found:
			last = st.Op
		}
	}
	return last
}

// leftToCaller returns how the caller could have ended the goroutine, empty if it could not.
func leftToCaller(t *seq.Table, s seq.Sequence, g *godump.Goroutine) string {
	if f, ok := thrower(t, g.Frames()); !ok || whose(t, f) != within && !strings.HasPrefix(f.Func, "sync.") {
		return "it waits in another package"
	}
	if strings.Contains(g.State, "nil chan") {
		return "it waits for a channel that is nil, which the caller may have had to make"
	}
	for _, st := range s {
		op := &t.Ops[st.Op]
		for _, id := range slices.Concat(op.Params, op.Results) {
			if ty := &t.Types[id]; op.Kind != seq.FuncLit && waitsOn(t, ty) {
				return "the caller has a " + ty.Name + ", which it may have had to use up, or to cancel"
			}
		}
		if op.Zero || op.Incomplete || op.Kind == seq.FieldSet || op.Kind == seq.VarSet {
			return "what the goroutine waits for may be what the caller made: " + op.Short
		}
	}
	for i := range t.Ops {
		if op := &t.Ops[i]; op.API && naming.HasWord(enders, op.Base) {
			return "there is " + op.Short + ", which the caller may have had to call"
		}
	}
	return ""
}

// waitsOn reports whether goroutines may wait for their caller through a type.
func waitsOn(t *seq.Table, ty *seq.Type) bool {
	switch {
	case ty.Literally(seq.ChanType), ty.Literally(seq.FuncType), ty.Iterator:
		return true
	case ty.Base == "" && ty.Elem != "":
		elem := slices.IndexFunc(t.Types, func(other seq.Type) bool { return other.Name == ty.Elem })
		return elem > 0 && waitsOn(t, &t.Types[elem])
	}
	return ty.Path == "sync" || ty.Path == "io" && !ty.IsPointer() || ty.Is("context", "Context")
}
