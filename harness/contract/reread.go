package contract

import (
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// A rereading has an operation that writes a value as text, and a function that by its name
// reads such text and may refuse it. The value needs no equality, as those of [inverseLaws] do:
// it may be an object, or one of the types of an interface.
type rereading struct {
	do, undo operation
	at       int  // the parameter of do for the value
	listed   bool // undo takes a list of texts
	checked  bool // do refuses by an error what cannot be written
}

// rereadingLaws adds the laws that text that was written can be read, and that what is read
// is written as the same text.
func rereadingLaws(a *api, add func(...Law)) {
	var writers, readers []operation
	for _, o := range a.ops {
		switch {
		case !convertible(o.Operation):
		case o.Kind == seq.Func && len(o.Results) == 2 && len(fixed(o.Operation)) == 1 && (a.t.Types[o.Params[0]].IsText() || textList(a.t, o.Params[0])):
			readers = append(readers, o)
		case returnsValue(o) && a.t.Types[o.Results[0]].IsText() && !o.Callback:
			writers = append(writers, o)
		}
	}
	for _, do := range writers {
		for _, undo := range readers {
			if r, ok := a.rereading(do, undo); ok {
				if r.checked {
					add(r.accepts())
				}
				add(r.rewrites())
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
	r = rereading{do: do, undo: undo, listed: textList(a.t, takes), checked: do.ReturnsError && encodes(do.Base)}
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

// law is a law of the calls of do that blames undo.
func (r *rereading) law(name, doc string) Law {
	l := r.do.law(name, engine.ClaimName, "by their names "+doc+". "+cite(r.do, r.undo)).blaming(r.undo).changing()
	l.Quiet, l.Plain = true, true
	return l
}

// read returns what undo says of the text that the call returned. It reports false if nothing
// can be said: the value is none that undo makes, or is not shown by text.
func (r *rereading) read(c *Call) (x any, err error, ok bool) {
	a, made := c.step().Args[r.at], r.undo.Results[0]
	in := c.Args[r.at]
	if c.failed() || len(c.Args) > len(fixed(r.do.Operation)) || a.Lit != nil || !c.Table.Types[made].Interface && c.slotType(a.Slot) != made ||
		blame.IsNil(in) || nothing(in) || noEquality(in) || holdsBadText(in) {
		return nil, nil, false
	}
	text := c.Results[0]
	if s, is := text.(string); r.listed && is {
		text = []string{s}
	}
	results := c.ask(r.undo.id, text)
	if results == nil {
		return nil, nil, false
	}
	err, _ = results[1].(error)
	return results[0], err, true
}

// same reports whether x, which was read, has the type of the value that was written, which
// is written as the same text each time.
func (r *rereading) same(c *Call, x any) bool {
	if blame.IsNil(x) || reflect.TypeOf(x) != reflect.TypeOf(c.Args[r.at]) {
		return false
	}
	wrote, ok := sprint(c.Results[0])
	return ok && repeats(wrote, func() (text string, ok bool) {
		wrote := completes(func() {
			again, err := r.write(c, c.Args[r.at])
			text, ok = sprint(again)
			ok = ok && err == nil
		})
		return text, wrote && ok
	})
}

// write returns what do returns of x, and otherwise of the arguments of the call.
func (r *rereading) write(c *Call, x any) (text any, err error) {
	args := slices.Clone(c.Args)
	args[r.at] = x
	results := c.ask(r.do.id, args...)
	if results == nil {
		panic(silence)
	}
	if r.do.ReturnsError {
		err, _ = results[1].(error)
	}
	return results[0], err
}

// reads returns undo as a term, which f calls in the worker.
func (r *rereading) reads(f func() (any, error)) term[func(...any) (any, error)] {
	undo := calls(func(...any) (any, error) { return f() }, r.undo)
	if call := undo.text.Call; r.listed {
		undo.text.Call = func(args []string) string { return call([]string{"[]string{" + args[0] + "}"}) }
	}
	return undo
}

// writes returns do of x, and otherwise of the arguments of the call, as a term.
func (r *rereading) writes(c *Call, x any) term[func(...any) (any, error)] {
	return instead(func(...any) (any, error) { return r.write(c, x) }, r.do, r.at, c.texts(0))
}

// doubted has b be a doubt if the value may be one that its package refuses.
func (r *rereading) doubted(c *Call, b *Breach) *Breach {
	if b != nil {
		b.Doubt = c.uncheckedSlot(c.step().Args[r.at].Slot)
	}
	return b
}

// accepts is the law that undo takes what do has written without an error.
func (r *rereading) accepts() Law {
	return r.law("inverse-accepts", r.undo.Short+" reads what "+r.do.Short+" writes without an error").checked(func(c *Call) *Breach {
		_, err, ok := r.read(c)
		if !ok {
			return nil
		}
		undo := r.reads(func() (any, error) { return nil, err })
		b := check2(c, property.Accepts, undo, c.out(0))
		return r.doubted(c, b).says(r.undo.Short + " says of what " + r.do.Short + " returned: " + blame.OneLine(blame.TextOf(err)))
	})
}

// rewrites is the law that do writes what undo has read as it was.
func (r *rereading) rewrites() Law {
	return r.law("inverse-text", "what "+r.undo.Short+" reads, "+r.do.Short+" writes as it was").checked(func(c *Call) *Breach {
		x, err, ok := r.read(c)
		if !ok || err != nil && r.checked || err == nil && !r.same(c, x) {
			return nil
		}
		undo := r.reads(func() (any, error) { return x, err })
		var b *Breach
		if r.do.ReturnsError {
			b = check3(c, property.Rewrites, undo, r.writes(c, x), c.out(0))
		} else {
			again := r.writes(c, x)
			do := func(args ...any) any { text, _ := again.value(args...); return text }
			b = check3(c, property.RewritesSurely, undo, term[func(...any) any]{do, again.text}, c.out(0))
		}
		return r.doubted(c, b).says(r.undo.Short + " does not read what " + r.do.Short + " has written" + shownAs(c.Args[r.at], x))
	})
}
