package digest

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Odd constants without further meaning: digits of the fractional parts of pi and e.
const (
	seedRoot  = 0x243f6a8885a308d3
	seedEntry = 0x13198a2e03707345
	mulWord   = 0xb7e151628aed2a6b
	mulBytes  = 0xa4093822299f31d1
	mulLast   = 0x8aed2a6abf715881
)

// fold multiplies to 128 bits and folds the halves, as wyhash does. Every bit
// of the operands affects the whole result at the price of one multiplication.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// mix appends the word x to the text hashed in h.
func mix(h, x uint64) uint64 { return fold(h^x, mulWord) }

// finish spreads h, so that it can be added to others of its kind.
func finish(h uint64) uint64 { return fold(h^h>>32, mulLast) }

// mixBytes appends the n bytes at p. It does not append n: that is known from the
// type, or was appended before.
func mixBytes(h uint64, p unsafe.Pointer, n uintptr) uint64 {
	for ; n > 16; n -= 16 {
		h = fold(h^load64(p), mulBytes^load64(unsafe.Add(p, 8)))
		p = unsafe.Add(p, 16)
	}
	var x, y uint64
	switch {
	case n >= 8:
		x, y = load64(p), load64(unsafe.Add(p, n-8))
	case n >= 4:
		x, y = load32(p), load32(unsafe.Add(p, n-4))
	case n > 0:
		x, y = uint64(*(*byte)(p))|uint64(*(*byte)(unsafe.Add(p, n/2)))<<8, uint64(*(*byte)(unsafe.Add(p, n-1)))
	default:
		return h
	}
	return fold(h^x, mulBytes^y)
}

// load64 reads eight bytes at any alignment.
func load64(p unsafe.Pointer) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(p)[:]) }

func load32(p unsafe.Pointer) uint64 { return uint64(binary.NativeEndian.Uint32((*[4]byte)(p)[:])) }

func mixString(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	return mixBytes(h, unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
}
