package property

import (
	"bytes"
	"fmt"
	"io"
	"testing/iotest"
)

// CountWithin: the number of bytes is that of a part of p.
func CountWithin(n int, p []byte) bool { return n >= 0 && n <= len(p) }

// CountsAll: fewer bytes than p has are an error.
func CountsAll(n int, p []byte, err error) bool { return n == len(p) || err != nil }

// CountNotNegative: without an error, the number is not negative.
func CountNotNegative(n int64, err error) bool { return err != nil || n >= 0 }

// Cloned returns a copy of bytes made before a call.
func Cloned(p []byte) []byte { return bytes.Clone(p) }

// BytesKept: bytes stay as they were.
func BytesKept(p, before []byte) bool { return bytes.Equal(p, before) }

// WriteCopies: written data do not change with the caller's buffer.
func WriteCopies(show func(...any) any, x any, p []byte) bool {
	shown := fmt.Sprint(show(x))
	for i := range p {
		p[i] ^= 0x55
	}
	return fmt.Sprint(show(x)) == shown
}

// UnreadRead: an unread unit is read next.
func UnreadRead(unread func(...any) error, read func(...any) any, x, last any) bool {
	if unread(x) != nil {
		return true
	}
	again := read(x)
	return again == last
}

// ReadEnd: a reader that was at its end stays there.
func ReadEnd(read func(...any) (int, error), x any, err error) bool {
	n, _ := read(x, make([]byte, 16))
	return err != io.EOF || n <= 0
}

// ReadAlike: a reader gives the same bytes for any sizes of its reads. x and y were
// made in the same way, here and below.
func ReadAlike(x, y io.Reader) bool {
	data, err := io.ReadAll(x)
	return err != nil || iotest.TestReader(y, data) == nil
}

// ReadBytes: ReadByte gives the bytes that Read gives.
func ReadBytes(readByte func(...any) (byte, error), x io.Reader, y any) bool {
	data, err := io.ReadAll(x)
	r, got := y, []byte{}
	for len(got) <= len(data) {
		b, err := readByte(r)
		if err != nil {
			break
		}
		got = append(got, b)
	}
	return err != nil || bytes.Equal(got, data)
}

// WriteTo: WriteTo writes the bytes that Read gives.
func WriteTo(writeTo func(...any) (any, error), x io.Reader, y any) bool {
	data, err := io.ReadAll(x)
	if err != nil {
		return true
	}
	var buf bytes.Buffer
	_, err = writeTo(y, &buf)
	return err == nil && bytes.Equal(buf.Bytes(), data)
}

// WriteString: WriteString has the effect of Write.
func WriteString(writeString, write func(...any) []any, show func(...any) any, a, b any, s string) bool {
	x, y := a, b
	writeString(x, s)
	write(y, []byte(s))
	return fmt.Sprint(show(x)) == fmt.Sprint(show(y))
}
