package main

// A heuristic of composing is one that bench ablation can leave out.
type heuristic struct {
	name, text string
	patches    []patch
}

// A patch replaces the only occurrence of a text in a file of the tree.
type patch struct{ file, old, new string }

// unconfirmed drops findings unseen. To confirm them costs more than all else and tells
// nothing of composing; they are counted by signature before.
var unconfirmed = patch{"engine/coordinator/findings.go", "r.findings.pending[key] = j.Finding\n\tr.confirms.Add(j)", ""}

// Files of the heuristics.
const (
	argumentFile = "engine/argument.go"
	composerFile = "engine/composer.go"
	scheduleFile = "engine/schedule.go"
	acceptedFile = "engine/accepted.go"
	samplerFile  = "engine/sampler.go"
	archiveFile  = "engine/archive.go"
	engineFile   = "engine/engine.go"
	learnFile    = "engine/learn.go"

	restrictionFile = "engine/restriction.go"

	valuesFile = "engine/values.go"
	keepFile   = "engine/keep.go"
	poolFile   = "engine/pool.go"
)

// heuristics are those of composing that can be left out, with what stands in their place.
var heuristics = []heuristic{
	// Operations.
	{"yield", "operations go by yield: all as often", []patch{{samplerFile, "if l.even {", `if l.even || leftOut("yield") {`}}},
	{"aging", "counts of yield are halved: never", []patch{{scheduleFile, "if st.Tries >= agingTries {", `if st.Tries >= agingTries && !leftOut("aging") {`}}},
	{"change-yield", "a changed value counts more: as a new one", []patch{{valuesFile, "if d.Step > info.made {", `if d.Step > info.made && !leftOut("change-yield") {`}}},
	{"side-yield", "a new side counts: not", []patch{{keepFile, "for i := range en.Steps {\n\t\tk.schedule.yielded", "for i := range en.Steps {\n\t\tif leftOut(\"side-yield\") {\n\t\t\tbreak\n\t\t}\n\t\tk.schedule.yielded"}}},
	{"uses", "uses of results are drawn: only if there is nothing else", []patch{{scheduleFile, `len(s.uses.ops) > 0 && src.OneIn("use"`, `len(s.uses.ops) > 0 && !leftOut("uses") && src.OneIn("use"`}}},
	{"pick-tries", "another operation for one that is not admitted: the sequence ends", []patch{{scheduleFile, "id, ok = list.draw(src, s.stats, s.now)\n\t\tif !ok {", "if id != 0 && leftOut(\"pick-tries\") {\n\t\t\tbreak\n\t\t}\n\t\tid, ok = list.draw(src, s.stats, s.now)\n\t\tif !ok {"}}},
	{"broken-share", "operations that panic are seldom drawn: as others", []patch{{restrictionFile, "if cost <= freeBroken ||", `if leftOut("broken-share") || cost <= freeBroken ||`}}},
	{"free-broken", "the first panics are free: none", []patch{{restrictionFile, "<= freeBroken ||", `<= freeBroken*kept[uint64]("free-broken") ||`}}},
	// Sequences.
	{"spans", "a range of small integers a sequence: all of it", []patch{{composerFile, `c.span = spans[c.src.Choose("span", len(spans))]`, "c.span = spans[c.src.Choose(\"span\", len(spans))]\n\tif leftOut(\"spans\") {\n\t\tc.span = smallRange\n\t}"}}},
	{"length", "lengths are squares of uniform draws: uniform", []patch{{composerFile, "c.length += room * x * x >> 16", "if leftOut(\"length\") {\n\t\t\tc.length += room * x >> 8\n\t\t\tx = 0\n\t\t}\n\t\tc.length += room * x * x >> 16"}}},
	{"magnitude", "few sequences draw large and huge numbers: all", []patch{{composerFile, `c.size = magnitudes[c.src.Choose("magnitude", len(magnitudes))]`, "c.size = magnitudes[c.src.Choose(\"magnitude\", len(magnitudes))]\n\tif leftOut(\"magnitude\") {\n\t\tc.size = huge\n\t}\n\tif leftOut(\"large-numbers\") {\n\t\tc.size = usual\n\t}"}}},
	{"large-numbers", "some sequences draw large and huge numbers: none", nil},
	{"large-after", "the first sequences draw no large numbers and write nothing: as others", []patch{{composerFile, "< largeAfter {", `< largeAfter && !leftOut("large-after") {`}}},
	{"writes", "some sequences write fields and variables: none", []patch{{composerFile, `c.writes = c.src.OneIn("writes", writesOneIn)`, `c.writes = !leftOut("writes") && c.src.OneIn("writes", writesOneIn)`}}},
	{"entries", "some sequences start from an entry: none", []patch{{composerFile, `c.src.OneIn("start from an entry"`, `!leftOut("entries") && c.src.OneIn("start from an entry"`}}},
	{"entry-writes", "no sequence starts from an entry that writes: as from others", []patch{{archiveFile, "!writes(a.table, en.Steps)", `(leftOut("entry-writes") || !writes(a.table, en.Steps))`}}},
	{"entry-costly", "no sequence starts from a costly entry: as from others", []patch{{archiveFile, "!en.Costly", `(leftOut("entry-costly") || !en.Costly)`}}},
	{"use-share", "sequences take up use as it yields: all do", []patch{
		{composerFile, "c.use = c.usage.due()", `c.use = c.usage.due() || leftOut("use-share")`},
		{learnFile, "return u.balance.due() ||", `return u.balance.due() || leftOut("use-share") ||`},
	}},
	{"repeat", "some calls are repeated: none", []patch{{composerFile, `c.src.OneIn("repeat"`, `!leftOut("repeat") && c.src.OneIn("repeat"`}}},
	{"digest-second", "digests after the second step: as after others", []patch{{composerFile, "|| n == 2)", `|| n == 2 && !leftOut("digest-second"))`}}},
	{"large-value", "a sequence ends at a large value: goes on", []patch{{valuesFile, "if d.Large {", `if d.Large && !leftOut("large-value") {`}}},
	{"slow", "slow calls are seldom drawn and end their sequence: as others", []patch{{composerFile, "if c.params.Undirected {\n\t\tout.Cost = 0", "if c.params.Undirected || leftOut(\"slow\") {\n\t\tout.Cost = 0"}}},
	{"costly", "no huge numbers for operations that allocated much: as for others", []patch{{engineFile, "if costly {", `if costly && !leftOut("costly") {`}}},
	// Arguments.
	{"variadic", "0 to 3 variadic arguments: one", []patch{{argumentFile, `n += c.src.Choose("variadic arguments", variadicRange) - 1`, "if !leftOut(\"variadic\") {\n\t\t\tn += c.src.Choose(\"variadic arguments\", variadicRange) - 1\n\t\t}"}}},
	{"similar", "an argument made from another of the call: none", []patch{{argumentFile, `n > 1 && c.src.OneIn("alike"`, `n > 1 && !leftOut("similar") && c.src.OneIn("alike"`}}},
	{"variant", "a value made like a live one with a change: none", []patch{{argumentFile, `c.hasLive(t) && c.src.OneIn("sibling"`, `c.hasLive(t) && !leftOut("variant") && c.src.OneIn("sibling"`}}},
	{"guided", "types that were accepted before: any", []patch{{acceptedFile, "return a != nil &&", `return !leftOut("guided") && a != nil &&`}}},
	{"guided-failed", "operations that mostly fail are guided: only those that panic", []patch{{restrictionFile, "st.Failed*2 > st.Runs &&", `!leftOut("guided-failed") && st.Failed*2 > st.Runs &&`}}},
	{"guided-broken", "no guiding where guided calls panic: on", []patch{{acceptedFile, "a.broken*guidedBrokenOneIn <=", `kept[uint32]("guided-broken")*a.broken*guidedBrokenOneIn <=`}}},
	{"contested", "types are learnt where calls panic or fail: everywhere", []patch{{acceptedFile, "if !stats.contested() {", `if !stats.contested() && !leftOut("contested") {`}}},
	{"receiver", "a receiver is a live value: as other arguments", []patch{{argumentFile, "(p.receiver ||", `(p.receiver && !leftOut("receiver") ||`}}},
	{"reuse", "an argument is a live value: made anew", []patch{{argumentFile, `c.src.Choose("reuse", 8) < c.params.ReuseOf8) {`, `!leftOut("reuse") && c.src.Choose("reuse", 8) < c.params.ReuseOf8) {`}}},
	{"made-for-interface", "an interface takes values made for it: literals or live values", []patch{{argumentFile, `(c.flat != nil || c.src`, `(c.flat != nil || leftOut("made-for-interface") || c.src`}}},
	{"nil", "some arguments are nil: only for want of others", []patch{{argumentFile, `c.src.OneIn("nil"`, `!leftOut("nil") && c.src.OneIn("nil"`}}},
	{"components", "an argument is a component: made anew", []patch{{argumentFile, `!c.params.Undirected && c.src.Choose("component"`, `!c.params.Undirected && !leftOut("components") && c.src.Choose("component"`}}},
	{"maker-tries", "six makers are tried: one", []patch{{argumentFile, "for range makerTries {", "for i := range makerTries {\n\t\t\tif i > 0 && leftOut(\"maker-tries\") {\n\t\t\t\tbreak\n\t\t\t}"}}},
	{"unsafe-maker", "values that a package may not expect are seldom made: as others", []patch{{restrictionFile, "!s.unsafe[id] ||", `!s.unsafe[id] || leftOut("unsafe-maker") ||`}}},
	// Literals.
	{"literal-result", "a literal parameter takes a result: never", []patch{
		{argumentFile, `c.src.OneIn("literal from a result"`, `!leftOut("literal-result") && c.src.OneIn("literal from a result"`},
		{argumentFile, "if choice < literalDraws && c.hasLive(p.ty) {", `if choice < literalDraws && !leftOut("literal-result") && c.hasLive(p.ty) {`},
	}},
	{"string-edits", "strings are edited: taken from the pool", []patch{{argumentFile, `seq.String && c.src.OneIn("string edit"`, `seq.String && !leftOut("string-edits") && c.src.OneIn("string edit"`}}},
	{"special", "boundary values: none", []patch{{poolFile, "case class >= specialClass &&", `case class >= specialClass && !leftOut("special") &&`}}},
	{"mined", "values of the source: none", []patch{{poolFile, "case len(b.mined) > 0:", `case len(b.mined) > 0 && !leftOut("mined"):`}}},
}
