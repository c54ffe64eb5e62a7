package contract

import (
	"bytes"

	"foray.test/engine"
	"foray.test/harness/contract/property"
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

const readShape, writeShape = "[]byte -> int, error", "[]byte -> int, error"

// streamRules are the rules on the results of the methods of package io.
var streamRules = []struct {
	method, shape string
	document      string
	short         bool // fewer than all is an error
	keeps         bool // the bytes stay as they are
	unlimited     bool // the count is of something else than the argument
}{
	{method: "Read", shape: readShape, document: docReader},
	{method: "Write", shape: writeShape, short: true, keeps: true, document: docWriter},
	{method: "ReadAt", shape: "[]byte, int64 -> int, error", short: true, document: docReaderAt},
	{method: "WriteAt", shape: "[]byte, int64 -> int, error", short: true, keeps: true, document: docWriterAt},
	{method: "Seek", shape: "int64, int -> int64, error", unlimited: true, document: docSeeker},
	{method: "ReadFrom", shape: "io.Reader -> int64, error", unlimited: true, document: docCopy},
	{method: "WriteTo", shape: "io.Writer -> int64, error", unlimited: true, document: docCopy},
}

// ioLaws adds the rules of package io for the methods that it names.
func ioLaws(a *api, add func(...Law)) {
	for _, rule := range streamRules {
		a.everyMethod(rule.method, rule.shape, func(o operation) {
			law := o.law("io-count", engine.ClaimPromise, rule.document)
			if rule.unlimited {
				add(law.checked(func(c *Call) *Breach {
					return check2(c, property.CountNotNegative, output[int64](c, 0), output[error](c, 1)).says("it returns a negative number")
				}))
				return
			}
			add(counts(law, rule.short, rule.keeps))
		})
	}
	for _, unit := range []string{"Byte", "Rune"} {
		a.everyMethod("Read"+unit, "-> _, _, ...", func(read operation) {
			if unread := a.methodOf(read.Params[0], "Unread"+unit, "-> error"); unread.exists() && read.ReturnsError {
				add(unreads(read, unread))
			}
		})
	}
	a.everyMethod("Write", writeShape, func(o operation) {
		if watch := a.observers(o.Params[0]); len(watch) > 0 {
			add(writeCopies(o, watch))
		}
	})
}

// counts is the law that a call returns the right number of bytes.
func counts(law Law, short, keeps bool) Law {
	if keeps {
		law.See = func(c *Call) (any, bool) { return look1(property.Cloned, input[[]byte](c, 1)) }
	}
	law.Check = func(c *Call, seen any) *Breach {
		n, p := output[int](c, 0), input[[]byte](c, 1)
		if b := check2(c, property.CountWithin, n, p); b != nil {
			return b.says("it returns a number of bytes that is negative or more than it was given")
		}
		if b := check3(c, property.CountsAll, n, p, output[error](c, 1)); short && b != nil {
			return b.says("it returns fewer bytes than it was given, and no error")
		}
		if !keeps {
			return nil
		}
		if b := check2(c, property.BytesKept, p, before[[]byte](seen)); b != nil && !c.partOfAnother(1) && !c.lent(1) {
			return b.says("it changes the bytes that it is given")
		}
		return nil
	}
	return law
}

// writeCopies is the law that the written data do not change with the caller's
// buffer.
func writeCopies(write operation, watch []operation) Law {
	return write.law("write-copies", engine.ClaimPromise, `package io, Writer: "Implementations must not retain p"`).changing().checked(func(c *Call) *Breach {
		p := input[[]byte](c, 1)
		if recv, a := c.step().Args[0], c.step().Args[1]; len(p.value) == 0 || recv.Lit != nil || a.Lit != nil || c.joined(a.Slot, recv.Slot, -1) || c.lent(1) {
			return nil // they may be its own
		}
		for _, w := range watch {
			says := c.shows(w)
			look := func() (string, bool) { return shownBy(says, c.Args[0]) }
			if before, ok := look(); !ok || !repeats(before, look) {
				continue
			}
			kept := bytes.Clone(p.value)
			b := check3(c, property.WriteCopies, says, c.in(0), p)
			copy(p.value, kept)
			if b != nil {
				return b.says("what " + w.Base + " says changes with the bytes that were written before")
			}
		}
		return nil
	})
}

// unreads is the law that a unit just unread is the next one read.
func unreads(read, unread operation) Law {
	return read.law("unread-read", engine.ClaimPromise, docUnread).blaming(unread).changing().checked(func(c *Call) *Breach {
		if c.failed() {
			return nil
		}
		return check4(c, property.UnreadRead, c.error(unread), c.any(read), c.in(0), c.out(0)).says("what was unread is not what is read next")
	})
}
