package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"reflect"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// messages has one of each kind.
var messages = []struct {
	name string
	m    Message
}{
	{"start", Message{Start: &Start{
		Seed: 1<<64 - 1, Sequences: 5000, Params: engine.DefaultParams(),
		Learn: Learn{Entries: [][]byte{{1, 0, 0xff}, {}}, Known: []string{"panic:nil:(*T).M"}, Restrict: []seq.OpID{3}, Disable: []seq.OpID{4, 5}},
	}}},
	{"learn", Message{Learn: &Learn{Known: []string{"contract:size-not-negative:(*List).Len"}}}},
	{"exec", Message{Exec: &Exec{Steps: []byte("\x01\x00\x00")}}},
	{"exec of an input that is no text", Message{Exec: &Exec{Input: []byte("\x80\xff")}}},
	{"exec of an empty input", Message{Exec: &Exec{Input: []byte{}}}},
	{"stop", Message{Stop: true}},
	{"ready", Message{Ready: &Ready{StepFunc: "rt/harness.(*executor).call"}}},
	{"stats", Message{Stats: &Stats{
		Counts: engine.Counts{Sequences: 1, Distinct: 2, Steps: 3, Values: 4}, Covered: []int32{0, 65535},
		Ops: []engine.OpCounts{{Op: 1, Runs: 2, Normal: 1, Broken: 1}}, Final: true, HeapBytes: 1 << 40,
	}}},
	{"covered", Message{Covered: []int32{0, 7}}},
	{"entry", Message{Entry: &Entry{Entry: engine.Entry{Sides: []int32{4, 5}}, Steps: []byte{2, 0, 0, 1, 1, 0}}}},
	{"finding", Message{Finding: &Finding{
		Finding: engine.Finding{Verdict: engine.Verdict{Tier: engine.Error, Kind: engine.KindPanic, Op: 9, Signature: engine.Signature{Kind: engine.KindPanic, Class: "nil", Where: "F"}, Message: "世界 \"\\\n", Slots: []int32{0}}},
		Steps:   []byte{1}, Original: bytes.Repeat([]byte{1}, 100_000),
	}}},
	{"result", Message{Result: &Result{Error: "seq: byte 0", Verdict: &engine.Verdict{Tier: engine.Suspect}, Sides: []int32{1}}}},
}

func TestRoundTrip(t *testing.T) {
	var all bytes.Buffer
	for _, tt := range messages {
		if err := Write(&all, &tt.m); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
	}
	r := bufio.NewReader(&all)
	for _, tt := range messages {
		got, err := Read(r)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if !reflect.DeepEqual(*got, tt.m) {
			t.Errorf("%s: Read = %+v, want %+v", tt.name, *got, tt.m)
		}
	}
	if m, err := Read(r); err != io.EOF {
		t.Errorf("Read behind the last frame = %v, %v; want io.EOF", m, err)
	}
}

// countingWriter counts calls: a frame must not be torn by another writer.
type countingWriter struct {
	bytes.Buffer
	calls int
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.calls++
	return w.Buffer.Write(b)
}

func TestWriteIsOneCall(t *testing.T) {
	var w countingWriter
	if err := Write(&w, &messages[0].m); err != nil || w.calls != 1 {
		t.Errorf("Write: %d calls, error %v; want 1 call", w.calls, err)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	var w countingWriter
	m := Message{Exec: &Exec{Steps: make([]byte, maxFrameBytes)}}
	if err := Write(&w, &m); err == nil || w.calls != 0 {
		t.Errorf("Write of too large a message: error %v, %d calls; want an error and none", err, w.calls)
	}
}

// frame returns payload with a header that checks.
func frame(payload string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, ^uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum([]byte(payload), castagnoli))
	return append(b, payload...)
}

func TestReadRefuses(t *testing.T) {
	good := frame(`{"Ready":{}}`)
	flip := func(i int) []byte {
		b := bytes.Clone(good)
		b[i] ^= 0x40
		return b
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want error
	}{
		{"nothing", nil, io.EOF},
		{"part of a header", good[:3], io.ErrUnexpectedEOF},
		{"a header alone", good[:frameHeaderBytes], io.ErrUnexpectedEOF},
		{"part of a payload", good[:len(good)-1], io.ErrUnexpectedEOF},
		{"another length", flip(0), ErrCorrupt},
		{"a length past the limit", append([]byte{0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0}, good[8:]...), ErrCorrupt},
		{"another checksum", flip(8), ErrCorrupt},
		{"another payload", flip(frameHeaderBytes + 2), ErrCorrupt},
		{"text printed to the descriptor", []byte("hello, world\n"), ErrCorrupt},
		{"numbers printed to the descriptor", []byte{0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0}, ErrCorrupt},
		{"no JSON", frame("hello"), ErrCorrupt},
		{"JSON of another kind", frame("[1]"), ErrCorrupt},
		{"a field of another type", frame(`{"Ready":"yes"}`), ErrCorrupt},
		{"no field set", frame("{}"), ErrCorrupt},
		{"two fields set", frame(`{"Ready":{},"Stop":true}`), ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Read(bufio.NewReader(bytes.NewReader(tt.in)))
			if !errors.Is(err, tt.want) || m != nil {
				t.Errorf("Read = %v, %v; want error %v", m, err, tt.want)
			}
			// A clean end is told from a torn frame by identity.
			if torn := len(tt.in) > 0; torn && errors.Is(err, io.EOF) {
				t.Errorf("Read of a torn frame says io.EOF: %v", err)
			}
			if err != io.EOF && !strings.HasPrefix(err.Error(), "wire: ") {
				t.Errorf("error %q does not begin with the package", err)
			}
		})
	}
}

// A frame with a wrong checksum does not invalidate the frames before it.
func TestReadKeepsWhatCameBefore(t *testing.T) {
	in := append(frame(`{"Ready":{}}`), "rubbish of some length"...)
	r := bufio.NewReader(bytes.NewReader(in))
	if m, err := Read(r); err != nil || m.Ready == nil {
		t.Fatalf("Read = %v, %v; want ready", m, err)
	}
	if _, err := Read(r); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Read = %v, want %v", err, ErrCorrupt)
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range messages {
		var b bytes.Buffer
		if err := Write(&b, &tt.m); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes()[frameHeaderBytes:], true)
		f.Add(b.Bytes(), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, framed bool) {
		if framed {
			b = frame(string(b))
		}
		r := bufio.NewReader(bytes.NewReader(b))
		for {
			m, err := Read(r)
			if err != nil {
				if m != nil {
					t.Fatalf("Read = %v and error %v", m, err)
				}
				return
			}
			var out bytes.Buffer
			if err := Write(&out, m); err != nil {
				t.Fatalf("Write of what Read returned: %v", err)
			}
			again, err := Read(bufio.NewReader(&out))
			if err != nil {
				t.Fatalf("Read of what Write wrote: %v", err)
			}
			var second bytes.Buffer
			if err := Write(&second, again); err != nil {
				t.Fatal(err)
			}
			var first bytes.Buffer
			if err := Write(&first, m); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Fatalf("a second round trip differs:\n%q\n%q", first.Bytes(), second.Bytes())
			}
		}
	})
}
