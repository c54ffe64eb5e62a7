package contract

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing/iotest"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docEnd          = `package io: "EOF is the error returned by Read when no more input is available"; Reader: "The next Read should return 0, EOF"`
	docReads        = `package testing/iotest, TestReader: "tests that reading from r returns the expected file content. It does reads of different sizes, until EOF. If r implements io.ReaderAt or io.Seeker, TestReader also checks that those operations behave as they should"`
	docByteReader   = `package io, ByteReader: "ReadByte reads and returns the next byte from the input"`
	docWriterTo     = `package io, WriterTo: "WriteTo writes data to w until there's no more data to write or when an error occurs"; Copy calls it instead of Read`
	docStringWriter = `package io, WriteString: "writes the contents of the string s to w […]. If w implements StringWriter, WriteString is invoked directly. Otherwise, Writer.Write is called exactly once"`
)

// readerLaws adds the laws of readers other than those on counts, and the laws on
// how the methods of a reader agree.
func readerLaws(a *api, add func(...Law)) {
	a.everyMethod("Read", readShape, func(o operation) { add(endsReading(o), readsAlike(o)) })
	reads := func(recv seq.TypeID) bool { return a.methodOf(recv, "Read", readShape).exists() }
	a.everyMethod("ReadByte", "-> byte, error", func(o operation) {
		if reads(o.Params[0]) {
			add(readsBytes(o))
		}
	})
	a.everyMethod("WriteTo", "io.Writer -> ...", func(o operation) {
		if reads(o.Params[0]) {
			add(writesAll(o))
		}
	})
	a.everyMethod("WriteString", "string -> ...", func(o operation) {
		write, show := a.methodOf(o.Params[0], "Write", writeShape), a.shown(o.Params[0])
		if o.ReturnsError && write.exists() && len(show) > 0 {
			add(writesString(o, write, show))
		}
	})
}

// shown returns the methods that show the effect of writing to a value of type id:
// its observers, and the sums of a hash.
func (a *api) shown(id seq.TypeID) []operation {
	list := a.observers(id)
	if sum := a.methodOf(id, "Sum64", "-> Uint"); sum.exists() {
		list = append(list, sum)
	}
	return list
}

// endsReading is the law that a reader at its end stays there.
func endsReading(read operation) Law {
	return read.law("read-end", engine.ClaimPromise, docEnd).changing().checked(func(c *Call) *Breach {
		err := output[error](c, 1)
		if err.value != io.EOF || reflect.ValueOf(c.Args[1]).Len() == 0 { // its type may have a name
			return nil
		}
		count := read.int(c)
		reads := calls(func(args ...any) (int, error) { return count(args...), nil }, read)
		return check3(c, property.ReadEnd, reads, c.in(0), err).says("it reads more when it has said that there is no more")
	})
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

// readsAlike is the law that a reader returns the same bytes for any sizes of its
// reads.
func readsAlike(read operation) Law {
	return read.law("read-alike", engine.ClaimPromise, docReads).changing().checked(func(c *Call) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		hide := !endsAt(third, len(data))
		tested := text
		if hide {
			tested = "struct{ " + c.std("io") + "Reader }{" + text + "}"
		}
		b := check2(c, property.ReadAlike, literal[io.Reader](bytes.NewReader(data), text), literal(asReader(third, hide), tested))
		if b == nil {
			return nil
		}
		_, fourth, _, _ := c.readAgain()
		completes(func() {
			b.Detail = "reading it says: " + blame.OneLine(iotest.TestReader(asReader(fourth, hide), data).Error())
		})
		return b
	})
}

// endsAt reports whether v, if it can seek, ends at the size that reading it gives.
// A section may extend past the end of the value that it is a section of, and some
// Seek methods only have the name. For these only Read is tested.
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

// asReader returns v as a reader. With hide the reader has no other methods.
func asReader(v any, hide bool) io.Reader {
	r, _ := v.(io.Reader)
	if hide {
		return struct{ io.Reader }{r}
	}
	return r
}

// readsBytes is the law that ReadByte returns the bytes that Read does.
func readsBytes(readByte operation) Law {
	return readByte.law("read-byte", engine.ClaimPromise, docByteReader).changing().checked(func(c *Call) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		call := readByte.both(c)
		reads := calls(func(args ...any) (byte, error) {
			read, err := call(args...)
			return converted[byte](read), err
		}, readByte)
		return check3(c, property.ReadBytes, reads, literal[io.Reader](bytes.NewReader(data), text), literal(third, text)).
			says("read by the byte, it has other bytes or another number of them")
	})
}

// writesAll is the law that WriteTo writes the bytes that Read returns.
func writesAll(writeTo operation) Law {
	return writeTo.law("write-to", engine.ClaimPromise, docWriterTo).changing().checked(func(c *Call) *Breach {
		data, third, text, ok := c.readAgain()
		if !ok {
			return nil
		}
		write := writeTo.error(c)
		writes := calls(func(args ...any) (any, error) { return nil, write(args...) }, writeTo)
		return check3(c, property.WriteTo, writes, literal[io.Reader](bytes.NewReader(data), text), literal(third, text)).says("it writes other bytes than are read")
	})
}

// writesString is the law that WriteString writes the bytes that Write does.
func writesString(writeString, write operation, show []operation) Law {
	return writeString.law("write-string", engine.ClaimPromise, docStringWriter).changing().checked(func(c *Call) *Breach {
		for _, w := range show {
			x, y, text, ok := c.twins()
			z, _, _, ok2 := c.twins()
			if !ok || !ok2 || c.ask(write.id, z, []byte(reflect.ValueOf(c.Args[1]).String())) == nil {
				return nil
			}
			says := c.shows(w)
			b := check6(c, property.WriteString, c.all(writeString), c.all(write), says, literal(x, text), literal(y, text), input[string](c, 1))
			got, _ := shownBy(says, x)
			want, _ := shownBy(says, y)
			if again, ok := shownBy(says, z); b != nil && ok && again == want {
				return b.says(w.Base + " says " + blame.OneLine(got) + " after it, " + blame.OneLine(want) + " after Write")
			}
		}
		return nil
	})
}
