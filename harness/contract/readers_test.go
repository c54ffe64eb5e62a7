package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

var readersPlantings = []Planting{
	{`v0, v1 := planted.OpenTail("a"); v2 := planted.Bytes(5); v3, v4 := v0.Read(v2); v5, v6 := v0.Read(v2)`, "read-end"},
	{`v0 := planted.NewHasty("abcdef"); v1 := planted.Bytes(1); v2, v3 := v0.Read(v1)`, "read-alike"},
	{`v0 := planted.NewLines("abcdef"); v1 := planted.Bytes(1); v2, v3 := v0.Read(v1)`, "read-alike"},
	{`v0 := planted.NewPage("abc"); v1, v2 := v0.ReadByte()`, "read-byte"},
	{`v0 := planted.NewPage("abc"); v1 := planted.Buffer(); v2, v3 := v0.WriteTo(v1)`, "write-to"},
	{`v0 := planted.NewSink(); v1, v2 := v0.WriteString("ab")`, "write-string"},
}

var readersCases = []lawCase{
	{"read-end", "good", "", reader(text3), `NewReader(); Bytes("12345"); Read(v0, v1); Read(v0, v1)`, true},
	{"read-end", "has another error", "", reader(tired), `NewReader(); Bytes("1"); Read(v0, v1)`, true},
	{"read-end", "goes on", "", reader(unending), `NewReader(); Bytes("12345"); Read(v0, v1)`, false},
	{"read-end", "into bytes of a type with a name", "", with(reader(unending), ops("Raw(string) []byte", func(a []any) any { return rawBytes(a[0].(string)) })), `NewReader(); Raw("12345"); Read(v0, v1)`, false},
	{"read-alike", "good", "", reader(text3), `NewReader(); Bytes("12345"); Read(v0, v1)`, true},
	{"read-alike", "loses what does not fit", "", reader(hasty), `NewReader(); Bytes("12345"); Read(v0, v1)`, false},
	{"read-alike", "a section longer than the whole", "", reader(func() io.Reader { return io.NewSectionReader(strings.NewReader("ab"), 0, 3) }), `NewReader(); Bytes("12345"); Read(v0, v1)`, true},
	{"read-alike", "another each time", "", reader(changing()), `NewReader(); Bytes("12345"); Read(v0, v1)`, true},
	{"read-alike", "made beside another result", "", with(reader(hasty), ops("OpenReader() (*p.R, error)", func([]any) any { return many{hasty(), nil} })), `OpenReader(); Bytes("12345"); Read(v0, v2)`, true},
	{"read-byte", "good", "", with(reader(text3), readByte(0)), "NewReader(); ReadByte(v0)", true},
	{"read-byte", "other bytes", "", with(reader(text3), readByte(1)), "NewReader(); ReadByte(v0)", false},
	{"write-to", "good", "", with(reader(text3), writeTo(0)), "NewReader(); Sink(); WriteTo(v0, v1)", true},
	{"write-to", "less", "", with(reader(text3), writeTo(1)), "NewReader(); Sink(); WriteTo(v0, v1)", false},
	{"write-string", "good", "NewPot", writeString(0), `NewPot(); WriteString(v0, "ab")`, true},
	{"write-string", "shows another each time", "NewPot", with(writeString(0), ops("(*T).String() string", numbers())), `NewPot(); WriteString(v0, "ab")`, true},
	{"write-string", "less", "NewPot", writeString(1), `NewPot(); WriteString(v0, "ab")`, false},
}

// reader returns the operations of a reader that make returns.
func reader(make func() io.Reader) map[string]func([]any) any {
	return ops("NewReader() *p.R", func([]any) any { return make() },
		"Bytes(string) []byte", good["Bytes(string) []byte"],
		"(*R).Read([]byte) (int, error)", func(a []any) any {
			n, err := a[0].(io.Reader).Read(reflect.ValueOf(a[1]).Bytes())
			return many{n, err}
		})
}

type rawBytes []byte

func text3() io.Reader { return strings.NewReader("abc") }

// readFunc is a Read method.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// unending says that it is at its end, and goes on.
func unending() io.Reader {
	f := readFunc(func(p []byte) (int, error) { return copy(p, "a"), io.EOF })
	return &f
}

// hasty loses bytes that do not fit.
func hasty() io.Reader {
	done := false
	f := readFunc(func(p []byte) (int, error) {
		if done {
			return 0, io.EOF
		}
		done = true
		return copy(p, "abc"), nil
	})
	return &f
}

// tired fails at first.
func tired() io.Reader {
	failed := false
	f := readFunc(func(p []byte) (int, error) {
		if !failed {
			failed = true
			return 0, errors.New("later")
		}
		return copy(p, "a"), io.EOF
	})
	return &f
}

// changing gives something else each time it is made.
func changing() func() io.Reader {
	n := 0
	return func() io.Reader {
		n++
		return strings.NewReader(fmt.Sprint(n))
	}
}

// numbers says another number each time.
func numbers() func([]any) any {
	n := 0
	return func([]any) any { n++; return fmt.Sprint(n) }
}

func readByte(change byte) map[string]func([]any) any {
	return ops("(*R).ReadByte() (byte, error)", func(a []any) any {
		b, err := a[0].(*strings.Reader).ReadByte()
		return many{b + change, err}
	})
}

func writeTo(cut int) map[string]func([]any) any {
	return ops("Sink() io.Writer", func([]any) any { return &bytes.Buffer{} }, "(*R).WriteTo(io.Writer) (int64, error)", func(a []any) any {
		data, _ := io.ReadAll(a[0].(io.Reader))
		n, err := a[1].(io.Writer).Write(data[:len(data)-cut])
		return many{int64(n), err}
	})
}

func writeString(cut int) map[string]func([]any) any {
	write := func(a []any, s string) any { po(a).text = append(po(a).text, s...); return many{len(s), nil} }
	return ops("(*T).Write([]byte) (int, error)", func(a []any) any { return write(a, string(a[1].([]byte))) },
		"(*T).WriteString(string) (int, error)", func(a []any) any { return write(a, a[1].(string)[cut:]) },
		"(*T).String() string", func(a []any) any { return string(po(a).text) })
}
