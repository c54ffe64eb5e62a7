package property

import "bytes"

// HashWrite: a hash takes all.
func HashWrite(err error) bool { return err == nil }

// HashSplit: data may be written in any number of parts.
func HashSplit(reset, write func(...any) []any, sum func(x any, b []byte) []byte, x any, p []byte, times, cut int) bool {
	digest := func(parts ...[]byte) string {
		reset(x)
		for _, part := range parts {
			write(x, part)
		}
		return string(sum(x, nil))
	}
	data := bytes.Repeat(p, times)
	return digest(data) == digest(data[:cut], data[cut:])
}

// HashReset: a hash that was reset is as it was when it was new.
func HashReset(write, reset func(...any) []any, sum func(x any, b []byte) []byte, made any) bool {
	x := made
	first := sum(x, nil)
	write(x, []byte("foray"))
	reset(x)
	return bytes.Equal(first, sum(x, nil))
}

// SumAgain: asked again, a hash has the same sum.
func SumAgain(sum func(x any, b []byte) []byte, x any, got, before []byte) bool {
	return bytes.Equal(sum(x, before), got)
}

// SumSize: Sum appends as many bytes as Size says.
func SumSize(size func(...any) int, x any, got, before []byte) bool {
	return len(got) == len(before)+size(x) && bytes.HasPrefix(got, before)
}
