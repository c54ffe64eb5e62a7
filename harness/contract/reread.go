package contract

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// A rereading has an operation that writes a value as text, or returns an error. It has a function
// that by its name reads such text and may refuse it. The value needs no equality, as those of
// [inverseLaws] do: it may be an object, or one of the types of an interface.
type rereading struct {
	do, undo operation
	at       int  // the parameter of do for the value
	listed   bool // undo takes a list of texts
}

// rereadingLaws adds the laws that text that was written can be read.
func rereadingLaws(a *api, add func(...Law)) {
	var writers, readers []operation
	for _, o := range a.ops {
		switch {
		case !convertible(o.Operation):
		case o.Kind == seq.Func && len(o.Results) == 2 && len(fixed(o.Operation)) == 1 && (a.t.Types[o.Params[0]].IsText() || textList(a.t, o.Params[0])):
			readers = append(readers, o)
		case o.ReturnsError && encodes(o.Base) && returnsValue(o) && a.t.Types[o.Results[0]].IsText() && !o.Callback:
			writers = append(writers, o)
		}
	}
	for _, do := range writers {
		for _, undo := range readers {
			if r, ok := a.rereading(do, undo); ok {
				add(r.accepts())
			}
		}
	}
}

// textList reports whether values of type id are lists of text.
func textList(t *seq.Table, id seq.TypeID) bool {
	return t.Types[id].Literally(seq.SliceType) && t.Types[id].Elem == "string"
}

// encodes reports whether an operation of that name makes text to be read by a program.
func encodes(name string) bool {
	return slices.ContainsFunc(naming.Words(name), func(w string) bool { return naming.OneOf("marshal encode serialize", w) })
}

// rereading returns how undo reads what do has written, if types and names agree with that.
func (a *api) rereading(do, undo operation) (r rereading, ok bool) {
	text, takes, made := do.Results[0], undo.Params[0], undo.Results[0]
	r = rereading{do: do, undo: undo, listed: textList(a.t, takes)}
	if takes != text && !(r.listed && a.t.Types[text].Is("", "string")) || a.t.Types[made].Literal != seq.NoLiteral {
		return r, false
	}
	r.at = slices.IndexFunc(fixed(do.Operation), func(id seq.TypeID) bool { return a.t.AssignableTo(made, id) })
	if r.at < 0 || !a.t.Types[made].Interface && a.t.Types[made].IsText() {
		return r, false
	}
	back := undo.Base
	if !undoes(do.Base, back) && !undoes(do.Base, strings.TrimSuffix(back, a.t.Types[made].Base)) {
		return r, false
	}
	_, inverse := a.inverseLaw(do, undo)
	return r, !inverse
}

// accepts is the law that undo takes what do has written without an error.
func (r *rereading) accepts() Law {
	law := r.do.law("inverse-accepts", engine.ClaimName, "by their names "+r.undo.Short+" reads what "+r.do.Short+" writes without an error. "+cite(r.do, r.undo)).blaming(r.undo).changing()
	law.Quiet, law.Plain = true, true
	return law.checked(func(c *Call) *Breach {
		err, ok := r.read(c)
		if !ok {
			return nil
		}
		undo := calls(func(...any) (any, error) { return nil, err }, r.undo)
		if call := undo.text.Call; r.listed {
			undo.text.Call = func(args []string) string { return call([]string{"[]string{" + args[0] + "}"}) }
		}
		b := check2(c, property.Accepts, undo, c.out(0))
		if b != nil {
			b.Doubt = c.uncheckedSlot(c.step().Args[r.at].Slot)
		}
		return b.says(r.undo.Short + " says of what " + r.do.Short + " returned: " + blame.OneLine(blame.TextOf(err)))
	})
}

// read returns what undo says of the text that the call returned. It reports false if nothing
// can be said: the value is none that undo makes, or is not shown by text.
func (r *rereading) read(c *Call) (err error, ok bool) {
	a, made := c.step().Args[r.at], r.undo.Results[0]
	in := c.Args[r.at]
	if c.failed() || len(c.Args) > len(fixed(r.do.Operation)) || a.Lit != nil || !c.Table.Types[made].Interface && c.slotType(a.Slot) != made ||
		blame.IsNil(in) || nothing(in) || noEquality(in) || holdsBadText(in) {
		return nil, false
	}
	text := c.Results[0]
	if s, is := text.(string); r.listed && is {
		text = []string{s}
	}
	results := c.ask(r.undo.id, text)
	if results == nil {
		return nil, false
	}
	err, _ = results[1].(error)
	return err, true
}
