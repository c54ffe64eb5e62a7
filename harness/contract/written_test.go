package contract

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"
)

var writtenPlantings = []Planting{
	{`v0 := planted.Buffer(); v1, v2 := planted.NewShiftWriter(v0, 3)`, "written-read"},
}

// A sink hands over what was written when it is closed.
type sink struct {
	bytes.Buffer
	to  io.Writer
	end func(data []byte) ([]byte, error)
}

func (s *sink) Close() error {
	data, err := s.end(s.Bytes())
	s.to.Write(data)
	return err
}

// streamedBy returns functions that make a writer, which ends so, and a reader.
func streamedBy(end func(data []byte) ([]byte, error), read func(r io.Reader) (io.Reader, error)) map[string]func([]any) any {
	return ops("Sink() io.Writer", func([]any) any { return io.Discard },
		"(*T).Write([]byte) (int, error)", func([]any) any { panic("no") },
		"(*T).Close() error", func([]any) any { panic("no") },
		"NewWriterLevel(io.Writer, int) *p.T", func(a []any) any { return &sink{to: a[0].(io.Writer), end: end} },
		"Number() int", func([]any) any { return 4 },
		"NewReader(io.Reader) (io.Reader, error)", func(a []any) any {
			r, err := read(a[0].(io.Reader))
			return many{r, err}
		})
}

var writtenCases = []lawCase{
	writtenCase("good", streamedBy(all, same), true),
	writtenCase("a block is lost", streamedBy(func(data []byte) ([]byte, error) { return data[:min(len(data), 1<<16)], nil }, same), false),
	writtenCase("not written", streamedBy(func([]byte) ([]byte, error) { return nil, errors.New("no") }, same), true),
	writtenCase("refused", streamedBy(all, func(io.Reader) (io.Reader, error) { return nil, errors.New("no") }), false),
	writtenCase("fails at the end", streamedBy(all, func(r io.Reader) (io.Reader, error) { return iotest.TimeoutReader(r), nil }), false),
	writtenCase("more than was written", streamedBy(all, func(r io.Reader) (io.Reader, error) { return io.MultiReader(r, endless{}), nil }), false),
	{"written-read", "of another writer", "", ops("Sink() io.Writer", func([]any) any { return io.Discard },
		"(*T).Write([]byte) (int, error)", func([]any) any { panic("no") },
		"(*T).Close() error", func([]any) any { panic("no") },
		"NewWriter2(io.Writer) *p.T", func(a []any) any { return &sink{to: a[0].(io.Writer), end: all} },
		"NewReader(io.Reader) (io.Reader, error)", func(a []any) any { return many{nil, errors.New("no")} },
	), "Sink(); NewWriter2(v0)", true},
	writtenCase("panics", streamedBy(all, func(io.Reader) (io.Reader, error) { panic("no") }), true),
}

// The law writes and reads once for the same literals, as long as it holds.
func TestWrittenOnce(t *testing.T) {
	made := 0
	b, f := lawTable(t, "", streamedBy(func(data []byte) ([]byte, error) { made++; return data, nil }, same))
	laws := Laws(&b.Table)
	at := slices.IndexFunc(laws, func(l Law) bool { return l.Name == "written-read" })
	for _, test := range []struct {
		steps string
		want  int
	}{{"Sink(); NewWriterLevel(v0, 3)", 4}, {"Sink(); NewWriterLevel(v0, 3)", 4}, {"Sink(); NewWriterLevel(v0, 5)", 8}, {"Sink(); Number(); NewWriterLevel(v0, v1)", 12}, {"Sink(); Number(); NewWriterLevel(v0, v1)", 16}} {
		if v, held := laws[at].Hold(f, &b.Table, boxed(b, test.steps), false); v != nil || !held || made != test.want {
			t.Errorf("%s: verdict %v, held %v, %d writers were closed, want %d", test.steps, v, held, made, test.want)
		}
	}
}

func all(data []byte) ([]byte, error)     { return data, nil }
func same(r io.Reader) (io.Reader, error) { return r, nil }

// endless has no end.
type endless struct{}

func (endless) Read(data []byte) (int, error) { return len(data), nil }

func writtenCase(name string, bad map[string]func([]any) any, holds bool) lawCase {
	return lawCase{"written-read", name, "", bad, "Sink(); NewWriterLevel(v0, 3)", holds}
}
