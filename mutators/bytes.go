package mutators

import "foray.test/engine/draw"

// byteEdits are the edits of [EditBytes] beside those of [EditString].
var byteEdits = []func(src *draw.Source, s string, at int, dict func() string) string{
	setByte, flipBit, addToByte, insertByte, removeByte, overwriteWord, setInteger, copyPart, swapParts,
}

// EditBytes returns s after one edit at a drawn position, of those that
// EditString makes or of those that mean something to binary formats too.
func EditBytes(src *draw.Source, s string, dict func() string) string {
	n := src.Choose("bytes edit", len(stringEdits)+len(byteEdits))
	at := src.Choose("position", len(s)+1)
	if n < len(stringEdits) {
		return stringEdits[n](src, s, at, dict)
	}
	return byteEdits[n-len(stringEdits)](src, s, at, dict)
}

// replaceAt returns s with b at position at, which lies within s and is cut to it.
func replaceAt(s string, at int, b string) string {
	b = b[:min(len(b), len(s)-at)]
	return s[:at] + b + s[at+len(b):]
}

func setByte(src *draw.Source, s string, at int, _ func() string) string {
	return replaceAt(s, at, string([]byte{byte(src.Choose("byte", 256))}))
}

func flipBit(src *draw.Source, s string, at int, _ func() string) string {
	if at == len(s) {
		return s
	}
	return replaceAt(s, at, string([]byte{s[at] ^ 1<<src.Choose("bit", 8)}))
}

// addToByte adds or takes away up to 16.
func addToByte(src *draw.Source, s string, at int, _ func() string) string {
	if at == len(s) {
		return s
	}
	d := src.Choose("step", 32) - 16
	if d >= 0 {
		d++
	}
	return replaceAt(s, at, string([]byte{s[at] + byte(d)}))
}

func insertByte(src *draw.Source, s string, at int, _ func() string) string {
	return s[:at] + string([]byte{byte(src.Choose("byte", 256))}) + s[at:]
}

func removeByte(_ *draw.Source, s string, at int, _ func() string) string {
	if at == len(s) {
		return s
	}
	return s[:at] + s[at+1:]
}

func overwriteWord(_ *draw.Source, s string, at int, dict func() string) string {
	return replaceAt(s, at, dict())
}

// edgeIntegers are what lengths, counts and offsets go wrong at.
var edgeIntegers = []uint64{
	0, 1, 2, 3, 4, 7, 8, 16, 32, 64, 100, 127, 128, 255, 256, 512, 1000, 1024, 4096, 32767, 32768, 65535, 65536,
	1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 2, 1<<64 - 128,
}

// setInteger overwrites one, two, four or eight bytes with an integer, in either
// order of bytes.
func setInteger(src *draw.Source, s string, at int, _ func() string) string {
	size := 1 << src.Choose("integer size", 4)
	v := edgeIntegers[src.Choose("integer", len(edgeIntegers))]
	b := make([]byte, size)
	big := src.Choose("byte order", 2) == 1
	for i := range b {
		shift := 8 * i
		if big {
			shift = 8 * (size - 1 - i)
		}
		b[i] = byte(v >> shift)
	}
	return replaceAt(s, at, string(b))
}

// maxPart bounds the parts that are copied and swapped.
const maxPart = 64

// copyPart inserts a part of the string at the position.
func copyPart(src *draw.Source, s string, at int, _ func() string) string {
	from := src.Choose("from", len(s)+1)
	n := src.Choose("length", min(maxPart, len(s)-from)+1)
	return s[:at] + s[from:from+n] + s[at:]
}

// swapParts exchanges what stands before the position with what stands behind it,
// as far as one length reaches.
func swapParts(src *draw.Source, s string, at int, _ func() string) string {
	n := src.Choose("length", min(maxPart, at, len(s)-at)+1)
	return s[:at-n] + s[at:at+n] + s[at-n:at] + s[at+n:]
}
