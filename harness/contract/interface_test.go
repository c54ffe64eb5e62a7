package contract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"testing/fstest"
)

// with returns the operations of several maps.
func with(list ...map[string]func([]any) any) map[string]func([]any) any {
	all := map[string]func([]any) any{}
	for _, m := range list {
		maps.Copy(all, m)
	}
	return all
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

// hashOf returns the operations of a hash with errors: each write adds perWrite to
// its sum, and a reset leaves perReset.
func hashOf(perWrite, perReset int) map[string]func([]any) any {
	return ops("NewHash() *p.H", func([]any) any { return &pot{} },
		"(*H).Write([]byte) (int, error)", func(a []any) any {
			for _, b := range a[1].([]byte) {
				po(a).n = 31*po(a).n + int(b)
			}
			po(a).n += perWrite
			return many{len(a[1].([]byte)), nil}
		},
		"(*H).Sum([]byte) []byte", func(a []any) any { return append(a[1].([]byte), byte(po(a).n)) },
		"(*H).Reset()", func(a []any) any { po(a).n = perReset; return many{} },
		"(*H).BlockSize() int", func([]any) any { return 4 },
		"Bytes(string) []byte", good["Bytes(string) []byte"])
}

// heapOf is a heap.Interface that adds elements at front or at the end.
func heapOf(front bool, add int) map[string]func([]any) any {
	return ops("NewHeap() *p.Heap", newPot, "(*Heap).Len() int", func(a []any) any { return len(po(a).keys) },
		"(*Heap).Less(int, int) bool", lessAt, "(*Heap).Swap(int, int)", func(a []any) any {
			k := po(a).keys
			k[at(a, 1)], k[at(a, 2)] = k[at(a, 2)], k[at(a, 1)]
			return many{}
		},
		"(*Heap).Push(any)", func(a []any) any {
			for range add {
				if front {
					po(a).keys = append([]int{int(a[1].(int64))}, po(a).keys...)
				} else {
					po(a).keys = append(po(a).keys, int(a[1].(int64)))
				}
			}
			return many{}
		},
		"(*Heap).Pop() any", func(a []any) any {
			k := po(a).keys
			po(a).keys = k[:len(k)-1]
			return any(int64(k[len(k)-1]))
		})
}

// files returns the operations of a file system.
func files(fsys fs.FS) map[string]func([]any) any {
	return ops("NewFS() p.F", func([]any) any { return fsys }, "(F).Open(string) (fs.File, error)", func(a []any) any {
		f, err := a[0].(fs.FS).Open(a[1].(string))
		return many{f, err}
	})
}

// lax opens names that are none.
type lax struct{ fs.FS }

func (l lax) Open(name string) (fs.File, error) { return l.FS.Open(strings.TrimPrefix(name, "/")) }

var oneFile = fstest.MapFS{"a.txt": {Data: []byte("a")}}

func handler(group func(a []any) any) map[string]func([]any) any {
	return ops("NewHandler() *p.Handler", newPot, "(*Handler).Handle()", func([]any) any { return many{} }, "(*Handler).WithGroup(string) slog.Handler", group)
}

// slogHandler has a handler of package slog, and its methods. A group is never the handler itself.
func slogHandler() map[string]func([]any) any {
	return ops("NewHandler() slog.Handler", func([]any) any { return slog.NewTextHandler(io.Discard, nil) }, "(slog.Handler).Handle()", func([]any) any { return many{} },
		"(slog.Handler).WithGroup(string) slog.Handler", func([]any) any { return slog.NewJSONHandler(io.Discard, nil) })
}

// row is a type with the methods of package database/sql: value is the value
// written, scan reads one.
func row(value func(p *pot) any, scan func(p *pot, v any) error) map[string]func([]any) any {
	return ops("zero() *p.Row", func([]any) any { return &pot{} }, "NewRow(int) *p.Row", func(a []any) any { return &pot{text: []byte{byte(at(a, 0))}} },
		"(*Row).Value() (driver.Value, error)", func(a []any) any { return many{value(po(a)), nil} },
		"(*Row).Scan(any) error", func(a []any) any { return many{scan(po(a), a[1])} })
}

func asBytes(p *pot) any { return bytes.Clone(p.text) }

func fromBytes(p *pot, v any) error { p.text = bytes.Clone(v.([]byte)); return nil }

// fromMended reads a text as another one.
func fromMended(p *pot, v any) error {
	p.text = append(bytes.Clone(v.([]byte)), '!')
	return nil
}

func flagValue(str func(p *pot) any) map[string]func([]any) any {
	return ops("(*T).Set(string) error", func([]any) any { return many{nil} }, "(*T).String() string", func(a []any) any { return str(po(a)) })
}

// A byPointer is encoded by methods of the pointer, a byValue by one of the value.
type (
	byPointer struct{ n int }
	byValue   struct{ n int }
)

func (v byValue) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(v.n)), nil }

// jsonMethods returns the methods of a pointer to T, which new makes.
func jsonMethods[T any](n func(*T) *int) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return new(T) },
		"NewT(int) *p.T", func(a []any) any {
			v := new(T)
			*n(v) = at(a, 0)
			return v
		},
		"(*T).MarshalJSON() ([]byte, error)", func(a []any) any { return many{[]byte(fmt.Sprint(*n(a[0].(*T)))), nil} },
		"(*T).UnmarshalJSON([]byte) error", func(a []any) any {
			_, err := fmt.Sscan(string(a[1].([]byte)), n(a[0].(*T)))
			return many{err}
		})
}

// An xmlNumber is written as XML.
type xmlNumber struct{ n int }

// readXML is how every xmlNumber reads; the zero value, into which is read, has no say.
var readXML func(n *int, text string) error

func (x *xmlNumber) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(x.n, start)
}

func (x *xmlNumber) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var text string
	if err := d.DecodeElement(&text, &start); err != nil {
		return err
	}
	return readXML(&x.n, text)
}

// inXML returns the operations of an xmlNumber as an element and as an attribute.
func inXML(read func(n *int, text string) error) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return &xmlNumber{} },
		"NewT(int) *p.T", func(a []any) any { readXML = read; return &xmlNumber{n: at(a, 0)} },
		"Encoder() *xml.Encoder", func([]any) any { return xml.NewEncoder(io.Discard) },
		"Start() xml.StartElement", func([]any) any { return xml.StartElement{} },
		"Name() xml.Name", func([]any) any { return xml.Name{} },
		"(*T).MarshalXML(*xml.Encoder, xml.StartElement) error", func([]any) any { return many{errors.New("no name")} },
		"(*T).UnmarshalXML(*xml.Decoder, xml.StartElement) error", func([]any) any { return many{nil} },
		"(*T).MarshalXMLAttr(xml.Name) (xml.Attr, error)", func(a []any) any {
			if n := a[0].(*xmlNumber).n; n != 0 {
				return many{xml.Attr{Name: a[1].(xml.Name), Value: fmt.Sprint(n)}, nil}
			}
			return many{xml.Attr{}, nil}
		},
		"(*T).UnmarshalXMLAttr(xml.Attr) error", func(a []any) any {
			return many{read(&a[0].(*xmlNumber).n, a[1].(xml.Attr).Value)}
		})
}

func scanInt(n *int, text string) error {
	_, err := fmt.Sscan(text, n)
	return err
}

func scanDigit(n *int, text string) error { return scanInt(n, text[:1]) }

func refuse(*int, string) error { return errors.New("no") }

func crash(*int, string) error { panic("crash") }

// matchAll is an error that matches any target, or panics for those of other types.
type matchAll struct{ all, panics bool }

func (matchAll) Error() string { return "all" }

func (m matchAll) Is(target error) bool {
	if m.panics {
		return target.(matchAll) == m
	}
	return m.all
}

type asAll struct{ error }

func (asAll) As(any) bool { return true }

func failing(err error) map[string]func([]any) any {
	return ops("(*T).Do() error", func([]any) any { return many{err} })
}

// interfaceCases are those of laws that interfaces of the standard library have.
var interfaceCases = []lawCase{
	{"hash-split", "good", "", hashOf(0, 0), `NewHash(); Bytes("ab"); Write(v0, v1)`, true},
	{"hash-split", "counts writes", "", hashOf(1, 0), `NewHash(); Bytes("ab"); Write(v0, v1)`, false},
	{"hash-split", "nothing written", "", hashOf(1, 0), `NewHash(); Bytes(""); Write(v0, v1)`, true},
	{"hash-reset", "good", "", hashOf(0, 0), `NewHash()`, true},
	{"hash-reset", "another state", "", hashOf(0, 1), `NewHash()`, false},
	{"hash-reset", "to a seed of its own", "", with(hashOf(0, 1), ops("(*H).ResetWithSeed(int)", func([]any) any { return many{} })), `NewHash()`, true},
	{"hash-reset", "around one that was written to", "", with(hashOf(0, 0), ops("Around(*p.H) *p.H", func(a []any) any { return a[0] })), `NewHash(); Bytes("ab"); Write(v0, v1); Around(v0)`, true},
	{"hash-reset", "around one, to another state", "", with(hashOf(0, 1), ops("Around(*p.H) *p.H", func(a []any) any { return a[0] })), `NewHash(); Around(v0)`, false},
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
	{"heap-push-pop", "good", "", heapOf(false, 1), "NewHeap(); Push(v0, 1); Push(v0, 2)", true},
	{"heap-push-pop", "at the front", "", heapOf(true, 1), "NewHeap(); Push(v0, 1); Push(v0, 2)", false},
	{"heap-push-pop", "twice", "", heapOf(false, 2), "NewHeap(); Push(v0, 1)", false},
	{"fs-test", "good", "", files(oneFile), `NewFS(); Open(v0, "a.txt")`, true},
	{"fs-test", "opens rooted names", "", files(lax{oneFile}), `NewFS(); Open(v0, "a.txt")`, false},
	{"fs-test", "empty", "", files(lax{fstest.MapFS{}}), `NewFS(); Open(v0, ".")`, true},
	{"handler-group", "good", "", handler(func(a []any) any { return a[0] }), `NewHandler(); WithGroup(v0, "")`, true},
	{"handler-group", "a group of no name", "", handler(func(a []any) any { return &pot{n: 1} }), `NewHandler(); WithGroup(v0, "")`, false},
	{"handler-group", "a group", "", handler(func(a []any) any { return &pot{n: 1} }), `NewHandler(); WithGroup(v0, "g")`, true},
	{"handler-group", "of the standard library", "", slogHandler(), `NewHandler(); WithGroup(v0, "")`, true},
	{"scan-value", "good", "", row(asBytes, fromBytes), "NewRow(7); Value(v0)", true},
	{"scan-value", "cannot read", "", row(asBytes, func(*pot, any) error { return errors.New("no") }), "NewRow(7); Value(v0)", false},
	{"scan-value", "reads another", "", row(asBytes, func(p *pot, _ any) error { p.text = []byte{1}; return nil }), "NewRow(7); Value(v0)", false},
	{"scan-value", "text that is mended", "", row(func(p *pot) any { return bytes.ToValidUTF8(p.text, []byte("?")) }, fromMended), "NewRow(200); Value(v0)", true},
	{"scan-value", "text that is well", "", row(func(p *pot) any { return bytes.ToValidUTF8(p.text, []byte("?")) }, fromMended), "NewRow(65); Value(v0)", false},
	{"scan-value", "null", "", row(func(*pot) any { return nil }, func(*pot, any) error { return errors.New("no") }), "NewRow(7); Value(v0)", true},
	{"scan-value", "by chance", "", row(func(p *pot) any { p.n++; return []byte{byte(p.n)} }, func(p *pot, _ any) error { p.n = 5; return nil }), "NewRow(7); Value(v0)", true},
	{"scan-copies", "good", "", row(asBytes, fromBytes), "NewRow(7); Value(v0)", true},
	{"scan-copies", "keeps", "", row(asBytes, func(p *pot, v any) error { p.text = v.([]byte); return nil }), "NewRow(7); Value(v0)", false},
	{"flag-zero", "good", "NewPot", flagValue(func(p *pot) any { return "" }), `NewPot(); Set(v0, "a")`, true},
	{"flag-zero", "panics", "NewPot", flagValue(func(p *pot) any { return fmt.Sprint(p.keys[0]) }), `NewPot(); Set(v0, "a")`, false},
	{"flag-zero", "not called", "NewPot", flagValue(func(*pot) any { panic(ErrRefused) }), `NewPot(); Set(v0, "a")`, true},
	{"json-value", "good", "", jsonMethods(func(v *byValue) *int { return &v.n }), "NewT(3); MarshalJSON(v0)", true},
	{"json-value", "methods of the pointer only", "", jsonMethods(func(v *byPointer) *int { return &v.n }), "NewT(3); MarshalJSON(v0)", false},
	{"round-trip", "XML", "", inXML(scanInt), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", true},
	{"round-trip", "XML that is lost in part", "", inXML(scanDigit), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "XML that is refused", "", inXML(refuse), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "XML that panics", "", inXML(crash), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "an attribute", "", inXML(scanInt), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", true},
	{"round-trip", "an attribute that is lost in part", "", inXML(scanDigit), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that is refused", "", inXML(refuse), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that panics", "", inXML(crash), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that is left out", "", inXML(refuse), "NewT(0); Name(); MarshalXMLAttr(v0, v1)", true},
	{"error-is", "good", "NewPot", failing(matchAll{}), "NewPot(); Do(v0)", true},
	{"error-is", "matches all", "NewPot", failing(matchAll{all: true}), "NewPot(); Do(v0)", false},
	{"error-is", "panics for other types", "NewPot", failing(fmt.Errorf("in: %w", matchAll{panics: true})), "NewPot(); Do(v0)", false},
	{"error-is", "is as all", "NewPot", failing(asAll{errors.New("no")}), "NewPot(); Do(v0)", false},
	{"result-own", "good", "NewPot Push Keys", nil, "NewPot(); Push(v0, 1); Keys(v0)", true},
	{"result-own", "its own slice", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }), "NewPot(); Push(v0, 1); Keys(v0)", false},
}
