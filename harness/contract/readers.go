package contract

import (
	"bytes"
	"errors"
	"io"
	"testing/iotest"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docEnd          = `package io: "EOF is the error returned by Read when no more input is available"; Reader: "The next Read should return 0, EOF"`
	docReads        = `package testing/iotest, TestReader: "tests that reading from r returns the expected file content. It does reads of different sizes, until EOF. If r implements io.ReaderAt or io.Seeker, TestReader also checks that those operations behave as they should"`
	docByteReader   = `package io, ByteReader: "ReadByte reads and returns the next byte from the input"`
	docWriterTo     = `package io, WriterTo: "WriteTo writes data to w until there's no more data to write or when an error occurs"; Copy calls it instead of Read`
	docStringWriter = `package io, WriteString: "writes the contents of the string s to w […]. If w implements StringWriter, WriteString is invoked directly. Otherwise, Writer.Write is called exactly once"`
)

// readerLaws lists what holds of readers besides their counts, and what their methods
// have to do with each other.
func readerLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Read", func(id seq.OpID, op *seq.Operation) {
		if streamRules[0].fits(a.t, op) {
			law := Law{On: id, Op: id, Tier: engine.Error, Changes: true}
			all = append(all, endsReading(law, op), readsAlike(law))
		}
	})
	reads := func(recv seq.TypeID) bool {
		_, op := a.method(recv, "Read", func(op *seq.Operation) bool { return streamRules[0].fits(a.t, op) })
		return op != nil
	}
	a.eachMethod("ReadByte", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) == 1 && len(op.Results) == 2 && op.ReturnsError && named("byte uint8", a.t.Types[op.Results[0]].Name) && reads(op.Params[0]) {
			all = append(all, readsBytes(Law{On: id, Op: id, Tier: engine.Error, Changes: true}, op))
		}
	})
	a.eachMethod("WriteTo", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) == 2 && a.t.Types[op.Params[1]].Name == "io.Writer" && reads(op.Params[0]) {
			all = append(all, writesAll(Law{On: id, Op: id, Tier: engine.Error, Changes: true}, op))
		}
	})
	a.eachMethod("WriteString", func(id seq.OpID, op *seq.Operation) {
		write, writeOp := a.method(op.Params[0], "Write", func(op *seq.Operation) bool { return streamRules[1].fits(a.t, op) })
		show := a.shown(op.Params[0])
		if len(op.Params) == 2 && a.t.Types[op.Params[1]].Name == "string" && op.ReturnsError && writeOp != nil && len(show) > 0 {
			all = append(all, writesString(Law{On: id, Op: id, Tier: engine.Error, Changes: true}, a.t, op, write, writeOp, show))
		}
	})
	return all
}

// shown returns the methods that tell what was written to a value of type id: its
// observers, and those of a hash.
func (a *api) shown(id seq.TypeID) []seq.OpID {
	list := a.observers(id)
	if sum, op := a.find(id, "Sum64 Sum32", 1, seq.Uint); op != nil {
		list = append(list, sum)
	}
	return list
}

// endsReading is that a reader which was at its end stays there.
func endsReading(law Law, op *seq.Operation) Law {
	law.Name, law.Doc = "read-end", docEnd
	law.Check = func(c *Call, _ any) *Breach {
		err, ok := c.Results[1].(error)
		if p := c.Args[1].([]byte); !ok || err != io.EOF || len(p) == 0 {
			return nil
		}
		results := c.ask(law.On, c.Args[0], make([]byte, 16))
		if results == nil {
			return nil
		}
		if n, ok := Describe(results[0]).int(); !ok || n <= 0 {
			return nil
		}
		return &Breach{
			Detail: "it reads more when it has said that there is no more",
			Assert: block("n, _ := "+expr(op, c.arg(0), "make([]byte, 16)"), "return "+c.result(1)+" != "+c.std("io")+"EOF || n == 0"),
		}
	}
	return law
}

// maxContent is how much is read of a reader that is read again and again.
const maxContent = 1 << 10

var errTooLong = errors.New("contract: there is more to read than is looked at")

// content reads all that v, a reader, has: code under test, which may panic.
func content(v any) (data []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errTooLong
		}
	}()
	r, ok := v.(io.Reader)
	if !ok {
		return nil, errTooLong
	}
	data, err = io.ReadAll(io.LimitReader(r, maxContent+1))
	if err == nil && len(data) > maxContent {
		err = errTooLong
	}
	return data, err
}

// readAgain reads all of two readers made as the call's receiver was, and returns it
// if both have the same. third is a reader that nobody has read.
func (c *Call) readAgain() (data []byte, third any, text string, ok bool) {
	x, y, text, ok := c.twins()
	if !ok {
		return nil, nil, "", false
	}
	data, err := content(x)
	again, err2 := content(y)
	third, _, _, ok = c.twins()
	return data, third, text, ok && err == nil && err2 == nil && bytes.Equal(data, again)
}

// readsAlike is that a reader gives the same whatever is asked of it at a time.
func readsAlike(law Law) Law {
	law.Name, law.Doc = "read-alike", docReads
	law.Check = func(c *Call, _ any) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		hide := ""
		if !endsAt(third, len(data)) {
			hide = "struct{ " + c.std("io") + "Reader }"
		}
		err := testReader(third, data, hide != "")
		if err == nil {
			return nil
		}
		tested := text
		if hide != "" {
			tested = hide + "{" + text + "}"
		}
		return &Breach{
			Detail: "reading it says: " + line(err.Error()),
			Assert: block("data, err := "+c.std("io")+"ReadAll("+text+")", "return err != nil || "+c.std("testing/iotest")+"TestReader("+tested+", data) == nil"),
		}
	}
	return law
}

// endsAt reports whether v, if it can seek, ends where reading it does: a section may be
// longer than what it is a section of, and some can seek by name only. Then nothing but
// its Read is tested.
func endsAt(v any, size int) (same bool) {
	defer func() { same = recover() == nil && same }()
	s, seeks := v.(io.Seeker)
	if !seeks {
		return true
	}
	start, err := s.Seek(0, io.SeekCurrent)
	end, err2 := s.Seek(0, io.SeekEnd)
	_, err3 := s.Seek(start, io.SeekStart)
	return err == nil && err2 == nil && err3 == nil && start == 0 && end == int64(size)
}

// testReader is that of package iotest; hide says that only Read is tested. A panic of
// the code under test is no error of this law's.
func testReader(v any, data []byte, hide bool) (err error) {
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	r, ok := v.(io.Reader)
	if !ok {
		return nil
	}
	if hide {
		r = struct{ io.Reader }{r}
	}
	return iotest.TestReader(r, data)
}

// readsBytes is that ReadByte gives what Read gives.
func readsBytes(law Law, op *seq.Operation) Law {
	law.Name, law.Doc = "read-byte", docByteReader
	law.Check = func(c *Call, _ any) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		var got []byte
		for len(got) <= len(data) {
			results := c.ask(law.On, third)
			if results == nil {
				return nil
			}
			b, ok := results[0].(byte)
			if !ok || results[1] != nil {
				break
			}
			got = append(got, b)
		}
		if bytes.Equal(got, data) {
			return nil
		}
		return &Breach{
			Detail: "read by the byte, it has other bytes or another number of them",
			Assert: block("data, err := "+c.std("io")+"ReadAll("+text+")", "x, got := "+text+", []byte{}", "for len(got) <= len(data) {", "b, err := "+expr(op, "x"),
				"if err != nil {", "break", "}", "got = append(got, b)", "}", "return err != nil || "+c.std("bytes")+"Equal(got, data)"),
		}
	}
	return law
}

// writesAll is that WriteTo writes what Read gives.
func writesAll(law Law, op *seq.Operation) Law {
	law.Name, law.Doc = "write-to", docWriterTo
	law.Check = func(c *Call, _ any) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		var buf bytes.Buffer
		results := c.ask(law.On, third, io.Writer(&buf))
		if results == nil || results[len(results)-1] == nil && bytes.Equal(buf.Bytes(), data) {
			return nil
		}
		return &Breach{
			Detail: "it writes other bytes than are read",
			Assert: block("data, err := "+c.std("io")+"ReadAll("+text+")", "var buf "+c.std("bytes")+"Buffer", "if err != nil {", "return true", "}",
				"_, err = "+expr(op, text, "&buf"), "return err == nil && "+c.std("bytes")+"Equal(buf.Bytes(), data)"),
		}
	}
	return law
}

// writesString is that WriteString writes what Write does.
func writesString(law Law, t *seq.Table, op *seq.Operation, write seq.OpID, writeOp *seq.Operation, show []seq.OpID) Law {
	law.Name, law.Doc = "write-string", docStringWriter
	law.Check = func(c *Call, _ any) *Breach {
		s, ok := c.Args[1].(string)
		x, y, text, ok2 := c.twins()
		z, _, _, ok3 := c.twins()
		if !ok || !ok2 || !ok3 || c.ask(law.On, x, s) == nil || c.ask(write, y, []byte(s)) == nil || c.ask(write, z, []byte(s)) == nil {
			return nil
		}
		for _, w := range show {
			got, ok := c.print(w, x)
			want, ok2 := c.print(w, y)
			if again, ok3 := c.print(w, z); !ok || !ok2 || !ok3 || again != want || got == want {
				continue
			}
			look := func(of string) string { return c.show(expr(&t.Ops[w], of)) }
			return &Breach{
				Detail: base(t.Ops[w].Member) + " says " + line(got) + " after it, " + line(want) + " after Write",
				Assert: block("x, y := "+text+", "+text, expr(op, "x", c.arg(1)), expr(writeOp, "y", "[]byte("+c.arg(1)+")"), "return "+look("x")+" == "+look("y")),
			}
		}
		return nil
	}
	return law
}
