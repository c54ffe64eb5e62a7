package engine

import (
	"math"
	"math/bits"

	"foray.test/engine/seq"
)

// simpler lists values to try in place of v, the simplest first.
func simpler(v any) []any {
	switch v := v.(type) {
	case bool:
		return []any{false}
	case int64:
		list := []any{int64(0), int64(1), int64(-1), -v}
		for d := v / 2; d != 0; d /= 2 { // half of it, three quarters, … all but one
			list = append(list, v-d)
		}
		return list
	case uint64:
		list := []any{uint64(0), uint64(1)}
		for d := v / 2; d != 0; d /= 2 {
			list = append(list, v-d)
		}
		return list
	case float64:
		if v-v != 0 { // NaN or infinite
			return []any{0.0, 1.0, -1.0, math.Copysign(math.MaxFloat32, v)}
		}
		return []any{0.0, 1.0, math.Trunc(v), v / 2}
	case complex128:
		return []any{complex128(0), complex(real(v), 0)}
	case string:
		return simplerStrings(v)
	}
	return nil
}

func simplerStrings(s string) []any {
	var list []any
	for n := len(s); n > 0; n /= 2 {
		for at := 0; at+n <= len(s) && len(list) < maxStringCuts; at += n {
			list = append(list, s[:at]+s[at+n:])
		}
	}
	for i := range s {
		if s[i] != 'a' && s[i] != '0' && len(list) < maxStringTries {
			list = append(list, s[:i]+"0"+s[i+1:], s[:i]+"a"+s[i+1:])
		}
	}
	return list
}

// literalWeight orders literals by how much a reader has to take in.
func literalWeight(l *seq.Literal) int {
	switch v := l.Value.(type) {
	case bool:
		if v {
			return 1
		}
	case int64:
		if v < 0 {
			return 1 + intWeight(uint64(-v))
		}
		return intWeight(uint64(v))
	case uint64:
		return intWeight(v)
	case float64:
		switch {
		case v == 0 && !math.Signbit(v):
			return 0
		case v == math.Trunc(v) && math.Abs(v) < 1<<53:
			return 1 + bits.Len64(uint64(math.Abs(v)))
		case v-v != 0: // many calls refuse NaN and infinity
			return 71
		}
		return 70
	case complex128:
		if v != 0 {
			return 70
		}
	case string:
		w := 0
		for i := range len(v) {
			switch v[i] {
			case '0':
				w += 100
			case 'a':
				w += 101
			default:
				w += 102
			}
		}
		return w
	}
	return 0
}

// intWeight counts small numbers exactly and large ones by their size.
func intWeight(v uint64) int {
	if v < 1<<10 {
		return int(v)
	}
	return 1<<10 + bits.Len64(v)
}
