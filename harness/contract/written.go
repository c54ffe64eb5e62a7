package contract

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/iotest"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// A streaming has two functions. One makes a writer that writes to another, and the other a
// reader of what was written.
type streaming struct {
	writer, reader operation
	at             int  // the parameter for the stream
	alone          bool // the reader takes nothing else
}

// writtenLaws adds the laws that what is written to a writer, a reader reads: NewWriter and
// NewReader, NewEncoder and NewDecoder.
func writtenLaws(a *api, add func(...Law)) {
	for _, w := range a.ops {
		if !a.makesStream(w, "Writer", seq.StdWriter|seq.StdCloser) {
			continue
		}
		for _, r := range a.ops {
			if !a.makesStream(r, "Reader", seq.StdReader) {
				continue
			}
			if s, ok := a.streaming(w, r); ok {
				add(s.law())
				break
			}
		}
	}
}

// makesStream reports whether o makes a value with these standard interfaces, of one of
// package io.
func (a *api) makesStream(o operation, of string, made seq.Std) bool {
	return o.Kind == seq.Func && len(o.Results) > 0 && a.t.Types[o.Results[0]].Std.Has(made) && a.stream(o, of) >= 0 && convertible(o.Operation)
}

// stream returns the parameter of o for a stream.
func (a *api) stream(o operation, of string) int {
	return slices.IndexFunc(fixed(o.Operation), func(id seq.TypeID) bool { return a.t.Types[id].Is("io", of) })
}

// readerNames makes the name of a reader of that of a writer: NewReader2 of NewWriter2.
var readerNames = strings.NewReplacer("Writer", "Reader", "Encoder", "Decoder")

// streaming returns how reader reads what writer writes, if their types and names agree with
// that. A reader need not know the numbers that the writer takes, such as a level.
func (a *api) streaming(writer, reader operation) (s streaming, ok bool) {
	from, to := slices.Clone(fixed(writer.Operation)), fixed(reader.Operation)
	s = streaming{writer: writer, reader: reader, at: a.stream(writer, "Writer"), alone: len(to) == 1}
	name := strings.TrimSuffix(strings.TrimSuffix(writer.Base, "Level"), "Size")
	if swapped := readerNames.Replace(name); swapped == name || swapped != reader.Base {
		return s, false
	}
	if s.alone {
		number := func(id seq.TypeID) bool { return a.is(writer.Operation, id, "Number") }
		return s, !slices.ContainsFunc(slices.Delete(from, s.at, s.at+1), func(id seq.TypeID) bool { return !number(id) })
	}
	if s.at == a.stream(reader, "Reader") {
		from[s.at] = to[s.at]
	}
	return s, slices.Equal(from, to)
}

// streamed are the data that are written: none, little, a text, and more of one byte than a
// block has.
var streamed = []struct {
	unit string
	n    int
}{{"", 0}, {"a", 1}, {"abc ", 300}, {"\x00", 1<<16 + 1}}

// law is the law that the reader reads what was written. The streams are the law's own, so it is held
// once for the same literals.
func (s *streaming) law() Law {
	law := s.writer.law("written-read", engine.ClaimName, "by their names "+s.reader.Short+" reads what "+s.writer.Short+" writes. "+cite(s.writer, s.reader)).blaming(s.reader).changing()
	var kept sync.Map // by the other arguments of the writer
	return law.checked(func(c *Call) *Breach {
		if c.failed() || len(c.Args) > len(fixed(s.writer.Operation)) {
			return nil
		}
		others, literal := c.literals(s.at)
		if _, c.answered = kept.Load(others); literal && c.answered {
			return nil
		}
		for _, data := range streamed {
			if b := s.breach(c, data.unit, data.n); b != nil {
				return b
			}
		}
		if literal && c.answered {
			kept.Store(others, true)
		}
		return nil
	})
}

// literals returns the text of the arguments of the call but for one. It reports false if not all
// of these are literals.
func (c *Call) literals(but int) (text string, ok bool) {
	for i, a := range c.step().Args {
		if i != but && a.Lit == nil {
			return "", false
		} else if i != but {
			text += c.text(a) + ", "
		}
	}
	return text, true
}

// breach returns a breach if the reader does not read n units.
func (s *streaming) breach(c *Call, unit string, n int) *Breach {
	r := &watched{}
	defer r.close()
	write := streams(c, s, s.writer, func(v any, err error) io.WriteCloser {
		if err != nil {
			panic(silence)
		}
		return v.(io.WriteCloser)
	})
	read := streams(c, s, s.reader, func(v any, err error) io.Reader {
		if r.Reader, _ = v.(io.Reader); err != nil {
			r.Reader = iotest.ErrReader(err)
		}
		return r
	})
	b := check4(c, property.ReadsWritten, write, read, literal([]byte(unit), "[]byte("+strconv.Quote(unit)+")"), wholeNumber(n))
	return b.says(fmt.Sprintf("of the %d bytes that were written it reads %d, and says: %s", len(unit)*n, r.n, blame.OneLine(blame.TextOf(r.err))))
}

// streams returns o of a stream, and otherwise of the arguments of the call, as a term.
func streams[S any](c *Call, s *streaming, o operation, as func(v any, err error) S) term[func(...any) S] {
	args, texts, at := slices.Clone(c.Args), c.texts(0), s.at
	if s.alone && o.id == s.reader.id {
		args, texts, at = args[:1], texts[:1], 0
	}
	return instead(func(given ...any) S {
		args[at] = given[0]
		results := o.call(c, args)
		err, _ := results[len(results)-1].(error)
		return as(results[0], err)
	}, o, at, texts)
}

// A watched reader tells how much was read of another, and how that ended.
type watched struct {
	io.Reader
	n   int
	err error
}

func (w *watched) Read(p []byte) (n int, err error) {
	n, err = w.Reader.Read(p)
	w.n += n
	if err != nil {
		w.err = err
	}
	return n, err
}

// close closes the reader, if it can be closed: it may have goroutines.
func (w *watched) close() {
	if closer, is := w.Reader.(io.Closer); is {
		completes(func() { closer.Close() })
	}
}
