package contract

import (
	"bytes"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docReader   = `package io, Reader: "It returns the number of bytes read (0 <= n <= len(p)) and any error encountered"`
	docWriter   = `package io, Writer: "Write must return a non-nil error if it returns n < len(p). Write must not modify the slice data, even temporarily"`
	docReaderAt = `package io, ReaderAt: "When ReadAt returns n < len(p), it returns a non-nil error explaining why more bytes were not returned"`
	docWriterAt = `package io, WriterAt: "WriteAt must return a non-nil error if it returns n < len(p)"`
	docSeeker   = `package io, Seeker: "Seek returns the new offset relative to the start of the file or an error, if any. Seeking to an offset before the start of the file is an error"`
	docCopy     = `package io, ReaderFrom and WriterTo: "The return value n is the number of bytes"`
	docUnread   = `package io, ByteScanner: "UnreadByte causes the next call to ReadByte to return the last byte read"; RuneScanner likewise`
)

// A streamRule is what holds of the results of one method of package io.
type streamRule struct {
	method    string
	params    string // the types of the arguments behind the receiver
	counts    string // the type of the first result
	short     bool   // fewer than all is an error
	keeps     bool   // the bytes stay as they are
	document  string
	unlimited bool // the count is of something else than the argument
}

var streamRules = []streamRule{
	{method: "Read", params: "[]byte", counts: "int", document: docReader},
	{method: "Write", params: "[]byte", counts: "int", short: true, keeps: true, document: docWriter},
	{method: "ReadAt", params: "[]byte int64", counts: "int", short: true, document: docReaderAt},
	{method: "WriteAt", params: "[]byte int64", counts: "int", short: true, keeps: true, document: docWriterAt},
	{method: "Seek", params: "int64 int", counts: "int64", unlimited: true, document: docSeeker},
	{method: "ReadFrom", params: "io.Reader", counts: "int64", unlimited: true, document: docCopy},
	{method: "WriteTo", params: "io.Writer", counts: "int64", unlimited: true, document: docCopy},
}

// ioLaws lists the rules of package io for the methods that it names.
func ioLaws(a *api) []Law {
	var all []Law
	for i := range streamRules {
		rule := &streamRules[i]
		a.eachMethod(rule.method, func(id seq.OpID, op *seq.Operation) {
			if rule.fits(a.t, op) {
				all = append(all, rule.law(Law{Name: "io-count", On: id, Op: id, Tier: engine.Error, Doc: rule.document}))
			}
		})
	}
	for _, unit := range []string{"Byte", "Rune"} {
		a.eachMethod("Read"+unit, func(id seq.OpID, op *seq.Operation) {
			unread, unreadOp := a.method(op.Params[0], "Unread"+unit, func(u *seq.Operation) bool { return len(u.Params) == 1 && len(u.Results) == 1 && u.ReturnsError })
			if unreadOp != nil && len(op.Params) == 1 && len(op.Results) > 1 && op.ReturnsError {
				all = append(all, unreads(Law{On: id, Op: unread}, op, unreadOp))
			}
		})
	}
	a.eachMethod("Write", func(id seq.OpID, op *seq.Operation) {
		if watch := a.observers(op.Params[0]); len(watch) > 0 && streamRules[1].fits(a.t, op) {
			all = append(all, writeCopies(Law{On: id, Op: id, Tier: engine.Error}, a.t, watch))
		}
	})
	return all
}

func (r *streamRule) fits(t *seq.Table, op *seq.Operation) bool {
	params := ""
	for _, p := range op.Params[1:] {
		if params != "" {
			params += " "
		}
		params += t.Types[p].Name
	}
	return params == r.params && len(op.Results) == 2 && op.ReturnsError && t.Types[op.Results[0]].Name == r.counts && !op.Variadic
}

func (r *streamRule) law(law Law) Law {
	if r.keeps {
		law.See = func(c *Call) (any, bool) { return bytes.Clone(c.Args[1].([]byte)), true }
	}
	law.Check = func(c *Call, seen any) *Breach {
		n, ok := Describe(c.Results[0]).int()
		if !ok {
			return nil
		}
		count, err := c.result(0), c.result(1)
		if r.unlimited {
			if n >= 0 || r.method == "Seek" && c.failed() {
				return nil
			}
			return &Breach{Detail: "it returns a negative number", Assert: err + " != nil || " + count + " >= 0"}
		}
		p := c.Args[1].([]byte)
		length := "len(" + c.arg(1) + ")"
		switch {
		case n < 0 || n > int64(len(p)):
			return &Breach{Detail: "it returns a number of bytes that is negative or more than it was given", Assert: count + " >= 0 && " + count + " <= " + length}
		case r.short && n < int64(len(p)) && c.Results[1] == nil:
			return &Breach{Detail: "it returns fewer bytes than it was given, and no error", Assert: count + " == " + length + " || " + err + " != nil"}
		case r.keeps && !bytes.Equal(p, seen.([]byte)) && !c.ownPart(1):
			return &Breach{
				Detail: "it changes the bytes that it is given",
				Before: c.std("bytes") + "Clone(" + c.arg(1) + ")", Assert: c.std("bytes") + "Equal(" + c.arg(1) + ", before)",
			}
		}
		return nil
	}
	return law
}

// writeCopies is that what was written does not change with the caller's buffer.
func writeCopies(law Law, t *seq.Table, watch []seq.OpID) Law {
	law.Name, law.Doc, law.Changes = "write-copies", `package io, Writer: "Implementations must not retain p"`, true
	law.Check = func(c *Call, _ any) *Breach {
		p := c.Args[1].([]byte)
		if recv, a := c.step().Args[0], c.step().Args[1]; len(p) == 0 || recv.Lit != nil || a.Lit != nil || c.joined(a.Slot, recv.Slot, -1) {
			return nil // they may be its own
		}
		for _, w := range watch {
			look := func() (string, bool) { return c.print(w, c.Args[0]) }
			before, ok := look()
			if !ok || !repeats(before, look) {
				continue
			}
			kept := bytes.Clone(p)
			for i := range p {
				p[i] ^= 0x55
			}
			after, ok := look()
			copy(p, kept)
			if !ok || after == before {
				continue
			}
			show := c.show(expr(&t.Ops[w], c.arg(0)))
			return &Breach{
				Detail: "what " + base(t.Ops[w].Member) + " says changes with the bytes that were written before",
				Assert: block("shown := "+show, "for i := range "+c.arg(1)+" {", c.arg(1)+"[i] ^= 0x55", "}", "return "+show+" == shown"),
			}
		}
		return nil
	}
	return law
}

// unreads is that what was read last can be read again, once it was unread.
func unreads(law Law, op, unreadOp *seq.Operation) Law {
	law.Name, law.Tier, law.Doc, law.Changes = "unread-read", engine.Error, docUnread, true
	law.Check = func(c *Call, _ any) *Breach {
		if c.failed() {
			return nil
		}
		if results := c.ask(law.Op, c.Args[0]); results == nil || results[0] != nil {
			return nil
		}
		again := c.ask(law.On, c.Args[0])
		if again == nil || again[0] == c.Results[0] {
			return nil
		}
		blanks := ""
		for range c.Results[1:] {
			blanks += ", _"
		}
		return &Breach{
			Detail: "what was unread is not what is read next",
			Assert: block("if "+expr(unreadOp, c.arg(0))+" != nil {", "return true", "}", "x"+blanks+" := "+expr(op, c.arg(0)), "return x == "+c.result(0)),
		}
	}
	return law
}
