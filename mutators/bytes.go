package mutators

import (
	"encoding/binary"
	"slices"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// byteEdits are the edits of [EditBytes]: each changes b from position at on, which
// is before its end.
var byteEdits = []func(src *draw.Source, b []byte, at int) []byte{
	flipBit, setByte, addToInteger, setInteger, copyRange, fillRange,
}

// EditBytes returns s after one edit at a drawn position that takes it for the bytes
// of a file format: bits, integers of all sizes in both orders, ranges. [EditString]
// is its counterpart for text. The empty string gains a byte.
func EditBytes(src *draw.Source, s string) string {
	if s == "" {
		return string([]byte{byte(src.Choose("byte", 256))})
	}
	edit := byteEdits[src.Choose("byte edit", len(byteEdits))]
	return string(edit(src, []byte(s), src.Choose("position", len(s))))
}

func flipBit(src *draw.Source, b []byte, at int) []byte {
	b[at] ^= 1 << src.Choose("bit", 8)
	return b
}

func setByte(src *draw.Source, b []byte, at int) []byte {
	b[at] = byte(src.Choose("byte", 256))
	return b
}

// addToInteger moves the integer at a position by up to maxStep in either direction.
func addToInteger(src *draw.Source, b []byte, at int) []byte {
	d := uint64(src.Choose("by", maxStep) + 1)
	if src.OneIn("down", 2) {
		d = -d
	}
	return rewriteInteger(src, b, at, func(n uint64) uint64 { return n + d })
}

// integersInBytes replace integers of a binary format, cut to their size.
var integersInBytes = []uint64{
	0, 1, 1<<64 - 1, 1<<7 - 1, 1 << 7, 1<<8 - 1, 1 << 8, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 16, 32, 64, 100, 1000, 1024, 4096,
}

func setInteger(src *draw.Source, b []byte, at int) []byte {
	n := integersInBytes[src.Choose("integer", len(integersInBytes))]
	return rewriteInteger(src, b, at, func(uint64) uint64 { return n })
}

// rewriteInteger applies f to the integer of a drawn size and order at a position,
// of as many bytes as there are.
func rewriteInteger(src *draw.Source, b []byte, at int, f func(uint64) uint64) []byte {
	size := min(1<<src.Choose("size", 4), len(b)-at)
	var word [8]byte
	if src.OneIn("little-endian", 2) {
		copy(word[:], b[at:at+size])
		binary.LittleEndian.PutUint64(word[:], f(binary.LittleEndian.Uint64(word[:])))
		copy(b[at:], word[:size])
		return b
	}
	copy(word[8-size:], b[at:at+size])
	binary.BigEndian.PutUint64(word[:], f(binary.BigEndian.Uint64(word[:])))
	copy(b[at:], word[8-size:])
	return b
}

// copyRange writes a range over the bytes at another position.
func copyRange(src *draw.Source, b []byte, at int) []byte {
	from := src.Choose("from", len(b))
	n := 1 + src.Choose("length", min(len(b)-from, maxRange))
	return slices.Concat(b[:at], b[from:from+n], b[min(len(b), at+n):])
}

// fillRange writes one byte over a range.
func fillRange(src *draw.Source, b []byte, at int) []byte {
	n := 1 + src.Choose("length", min(len(b)-at, maxRange))
	fill := byte(src.Choose("byte", 256))
	for i := at; i < at+n; i++ {
		b[i] = fill
	}
	return b
}

// bytesOfText takes strings for the bytes of file formats, with a few edits each.
func bytesOfText(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.texts()
	if len(places) == 0 {
		return
	}
	for range draws {
		p := places[a.Source.Choose("text", len(places))]
		s := p.value().(string)
		for range 1 + a.Source.Choose("byte edits", maxByteEdits) {
			s = EditBytes(a.Source, s)
		}
		if !o.text(p, s) {
			return
		}
	}
}

// isBinary reports whether s looks like bytes rather than text: a control character
// or a byte that is no ASCII among the first few.
func isBinary(s string) bool {
	for i := range min(len(s), maxLook) {
		if s[i] < ' ' && s[i] != '\n' && s[i] != '\t' && s[i] != '\r' || s[i] >= 0x7f {
			return true
		}
	}
	return false
}
