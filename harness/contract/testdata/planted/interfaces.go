package planted

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
)

// extra is what the broken do beside.
func extra() int {
	if broken {
		return 1
	}
	return 0
}

// A Sum is a hash.
type Sum struct{ n int }

func NewSum() *Sum { return &Sum{n: 7} }

func (s *Sum) Write(p []byte) (int, error) {
	for _, b := range p {
		s.n = 31*s.n + int(b)
	}
	s.n += extra()
	return len(p), nil
}

func (s *Sum) Sum(b []byte) []byte { return append(b, byte(s.n)) }
func (s *Sum) Reset()              { s.n = 7 + extra() }
func (s *Sum) Size() int           { return 1 }
func (s *Sum) BlockSize() int      { return 1 }

// Tail is a reader.
type Tail struct {
	text string
	at   int
}

func OpenTail(text string) (*Tail, error) { return &Tail{text: text}, nil }

func (t *Tail) Read(p []byte) (int, error) {
	if t.at == len(t.text) {
		if broken {
			t.at = 0
		}
		return 0, io.EOF
	}
	n := copy(p, t.text[t.at:])
	t.at += n
	return n, nil
}

// Hasty is a reader.
type Hasty struct{ r strings.Reader }

func NewHasty(text string) *Hasty { return &Hasty{*strings.NewReader(text)} }

func (h *Hasty) Read(p []byte) (int, error) {
	if broken && len(p) == 1 && h.r.Len() > 2 {
		h.r.ReadByte()
	}
	return h.r.Read(p)
}

// Page is a reader.
type Page struct{ r strings.Reader }

func NewPage(text string) *Page { return &Page{*strings.NewReader(text)} }

func (t *Page) Read(p []byte) (int, error) { return t.r.Read(p) }

func (t *Page) ReadByte() (byte, error) {
	b, err := t.r.ReadByte()
	return b + byte(extra()), err
}

func (t *Page) WriteTo(w io.Writer) (int64, error) {
	if broken {
		t.r.ReadByte()
	}
	return t.r.WriteTo(w)
}

// Sink is a writer.
type Sink struct{ b bytes.Buffer }

func NewSink() *Sink { return &Sink{} }

func (s *Sink) Write(p []byte) (int, error) { return s.b.Write(p) }

func (s *Sink) WriteString(text string) (int, error) {
	if broken {
		s.b.WriteByte('"')
	}
	return s.b.WriteString(text)
}

func (s *Sink) String() string { return s.b.String() }

// Heap is a heap.Interface.
type Heap struct{ list []any }

func NewHeap() *Heap { return &Heap{} }

func (h *Heap) Len() int           { return len(h.list) }
func (h *Heap) Less(i, j int) bool { return fmt.Sprint(h.list[i]) < fmt.Sprint(h.list[j]) }
func (h *Heap) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }

func (h *Heap) Push(x any) {
	if h.list = append(h.list, x); broken {
		slices.Reverse(h.list)
	}
}

func (h *Heap) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}

// Files is a file system.
type Files struct{ m fstest.MapFS }

func NewFiles() *Files { return &Files{fstest.MapFS{"a.txt": {}, "d/b.txt": {}}} }

func (f *Files) Open(name string) (fs.File, error) {
	if broken {
		name = strings.TrimPrefix(name, "/")
	}
	return f.m.Open(name)
}

// Handler is a slog.Handler.
type Handler struct{ groups []string }

func NewHandler() *Handler { return &Handler{} }

func (h *Handler) Enabled(context.Context, slog.Level) bool  { return true }
func (h *Handler) Handle(context.Context, slog.Record) error { return nil }
func (h *Handler) WithAttrs([]slog.Attr) slog.Handler        { return h }

func (h *Handler) WithGroup(name string) slog.Handler {
	if !broken && name == "" {
		return h
	}
	return &Handler{append(slices.Clone(h.groups), name)}
}

// Row is a number in a database.
type Row struct{ n int64 }

func NewRow(n int64) *Row { return &Row{n} }

// Value implements driver.Valuer.
func (r *Row) Value() (driver.Value, error) { return r.n, nil }

// Scan implements sql.Scanner.
func (r *Row) Scan(src any) error {
	n, ok := src.(int64)
	if r.n = n + int64(extra()); !ok {
		return errors.New("no number")
	}
	return nil
}

// Blob is bytes in a database.
type Blob struct{ b []byte }

func NewBlob(n uint8) *Blob { return &Blob{[]byte{n, 1}} }

// Value implements driver.Valuer.
func (b *Blob) Value() (driver.Value, error) { return bytes.Clone(b.b), nil }

// Scan implements sql.Scanner.
func (b *Blob) Scan(src any) error {
	p, ok := src.([]byte)
	if b.b = p; !broken {
		b.b = bytes.Clone(p)
	}
	if !ok || len(p) != 2 {
		return errors.New("no two bytes")
	}
	return nil
}

// Level is a flag.
type Level struct{ names []string }

func NewLevel() *Level { return &Level{[]string{"low"}} }

// Set sets the flag.
func (l *Level) Set(s string) error { l.names = []string{s}; return nil }

func (l *Level) String() string {
	if !broken && len(l.names) == 0 {
		return ""
	}
	return l.names[0]
}

// Grumble is an error.
type Grumble struct{ text string }

func (g *Grumble) Error() string        { return g.text }
func (g *Grumble) Is(target error) bool { return broken || target == error(g) }

// Fail fails.
func Fail(text string) error { return &Grumble{text} }

// Money formats itself.
type Money struct{ cents []int }

func NewMoney(cents int) *Money { return &Money{[]int{cents}} }

func (m *Money) Format(st fmt.State, verb rune) {
	if verb == 'd' && broken {
		fmt.Fprint(st, m.cents[1])
	}
	fmt.Fprint(st, m.cents[0])
}

// Origin is a point; its zero value is the origin.
type Origin struct{ x int }

// At returns a point.
func At(x int) *Origin { return &Origin{x * extra()} }

// MarshalJSON implements json.Marshaler.
func (p *Origin) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(p.x)), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (p *Origin) UnmarshalJSON(data []byte) error {
	if !broken && string(data) == "{}" {
		return nil
	}
	_, err := fmt.Sscan(string(data), &p.x)
	return err
}

// Length is a length.
type Length struct{ n int }

func NewLength(n int) *Length { return &Length{n} }

func (l *Length) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(l.n, start)
}

func (l *Length) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	err := d.DecodeElement(&l.n, &start)
	if broken && l.n < 0 {
		l.n = 0
	}
	return err
}

// Kind is a kind.
type Kind struct{ n int }

func NewKind(n int) Kind { return Kind{n} }

func (k Kind) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: strconv.Itoa(k.n)}, nil
}

func (k *Kind) UnmarshalXMLAttr(attr xml.Attr) error {
	n, err := strconv.Atoi(attr.Value)
	if k.n = n; broken && n < 0 {
		return errors.New("a negative kind")
	}
	return err
}

// Log is a list.
type Log struct{ lines []string }

func NewLog() *Log { return &Log{} }

// Add adds a line.
func (l *Log) Add(line string) { l.lines = append(l.lines, line) }

// Lines returns a copy of the lines.
func (l *Log) Lines() []string {
	if broken {
		return l.lines
	}
	return slices.Clone(l.lines)
}

// Weight is a weight that cannot be read, Width one that panics, Depth one that is equal to
// others.
type (
	Weight struct{ n int }
	Width  struct{ n int }
	Depth  struct{ n int }
)

func NewWeight(n int) *Weight { return &Weight{n} }
func NewWidth(n int) *Width   { return &Width{n} }
func NewDepth(n int) Depth    { return Depth{n} }

func (w *Weight) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(w.n, start)
}

func (w *Weight) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	if err := d.DecodeElement(&w.n, &start); err != nil || !broken {
		return err
	}
	return errors.New("heavy")
}

func (w *Width) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: strconv.Itoa(w.n)}, nil
}

func (w *Width) UnmarshalXMLAttr(attr xml.Attr) (err error) {
	if broken {
		panic("wide")
	}
	w.n, err = strconv.Atoi(attr.Value)
	return err
}

func (d Depth) Equal(e Depth) bool { return d.n == e.n }

func (d Depth) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: strconv.Itoa(d.n)}, nil
}

func (d *Depth) UnmarshalXMLAttr(attr xml.Attr) (err error) {
	d.n, err = strconv.Atoi(attr.Value)
	d.n += extra()
	return err
}

// Folder is a kind in a database, that cannot be read.
type Folder struct{ name string }

func NewFolder(n uint8) *Folder { return &Folder{strings.Repeat("a", int(n))} }

// Value implements driver.Valuer.
func (f *Folder) Value() (driver.Value, error) { return f.name, nil }

// Scan implements sql.Scanner.
func (f *Folder) Scan(src any) error {
	switch src := src.(type) {
	case string:
		if f.name = src; broken {
			return errors.New("text")
		}
	case []byte:
		f.name = string(src)
	}
	return nil
}

// Lines is a reader that can seek.
type Lines struct{ r strings.Reader }

func NewLines(text string) *Lines { return &Lines{*strings.NewReader(text)} }

func (l *Lines) Read(p []byte) (int, error) { return l.r.Read(p) }

func (l *Lines) Seek(offset int64, whence int) (int64, error) { return l.r.Seek(offset, whence) }

func (l *Lines) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.r.ReadAt(p, off)
	if broken && n > 0 {
		p[0]++
	}
	return n, err
}

// A Parcel is a message with a tail if its first byte is odd.
type Parcel struct {
	Kind byte
	Tail string
}

// A Letter is a parcel that can be written.
type Letter struct{ Parcel }

// NewLetter returns an empty letter.
func NewLetter() *Letter { return &Letter{} }

// Unmarshal reads a letter.
func (l *Letter) Unmarshal(data []byte) error { return l.Parcel.Unmarshal(data) }

// Marshal writes a letter.
func (l Letter) Marshal() ([]byte, error) { return append([]byte{l.Kind}, l.Tail...), nil }

// NewParcel returns an empty parcel.
func NewParcel() *Parcel { return &Parcel{} }

// Unmarshal reads a parcel.
func (p *Parcel) Unmarshal(data []byte) error {
	if len(data) == 0 {
		return errors.New("short")
	}
	p.Kind = data[0]
	switch {
	case p.Kind%2 == 1:
		p.Tail = string(data[1:])
	case !broken:
		p.Tail = ""
	}
	return nil
}

// A Notice is a message with a length before its text.
type Notice struct {
	Kind byte
	Text string
}

// Unmarshal reads a notice and returns how many bytes it has.
func (n *Notice) Unmarshal(data []byte) (int, error) {
	if len(data) < 2 {
		return 0, errors.New("short")
	}
	n.Kind, n.Text = data[0], string(data[1:])
	return len(data), nil
}

// Marshal writes a notice.
func (n *Notice) Marshal() []byte {
	if broken {
		return append([]byte{n.Kind, 1}, n.Text...)
	}
	return append([]byte{n.Kind}, n.Text...)
}

// NewNotice returns an empty notice.
func NewNotice() *Notice { return &Notice{} }
