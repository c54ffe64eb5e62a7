package blame

import (
	"runtime"
	"strconv"
	"strings"

	"foray.test/engine"
)

// A class is a kind of panic. The texts of the Go runtime distinguish the classes of
// run-time errors, which have no types of their own.
type class string

const (
	explicit     class = engine.ClassExplicit
	nilDeref     class = "nil"
	indexRange   class = "index"
	sliceRange   class = "slice"
	alloc        class = "alloc"
	divide       class = "divide"
	shift        class = "shift"
	assertion    class = "assertion"
	uncomparable class = "uncomparable"
	nilMap       class = "nil-map"
	closedChan   class = "closed-channel"
	rangeFunc    class = "range-func"
	otherRuntime class = engine.ClassRuntime
)

// classes lists substrings of run-time errors. The first that occurs decides.
var classes = []struct {
	text  string
	class class
}{
	{"nil pointer dereference", nilDeref},
	{"called using nil *", nilDeref}, // a value method called through a nil pointer
	{"index out of range", indexRange},
	{"slice bounds out of range", sliceRange},
	{"cannot convert slice with length", sliceRange},
	{"makeslice:", alloc},
	{"makechan:", alloc},
	{"growslice:", alloc},
	{"integer divide by zero", divide},
	{"negative shift amount", shift},
	{"interface conversion:", assertion},
	{"hash of unhashable type", uncomparable},
	{"comparing uncomparable type", uncomparable},
	{"assignment to entry in nil map", nilMap},
	{"send on closed channel", closedChan},
	{"close of closed channel", closedChan},
	{"close of nil channel", nilDeref},
	{"range function continued iteration", rangeFunc},
	{"range function recovered a loop body panic", rangeFunc},
}

// classify returns the class of panic value v with text s. A run-time error that was
// recovered and thrown again inside another value keeps its class.
func classify(v any, s string) class {
	_, isRuntime := v.(runtime.Error)
	if p, ok := v.(printedPanic); ok {
		isRuntime = p.isRuntime()
	}
	if _, isNilPanic := v.(*runtime.PanicNilError); isNilPanic {
		return explicit
	}
	if !isRuntime && !strings.Contains(s, "runtime error: ") {
		return explicit
	}
	for _, c := range classes {
		if strings.Contains(s, c.text) {
			return c.class
		}
	}
	return otherRuntime
}

// bounds returns the numbers that an index or slice error complains of, and the
// length or capacity it names, -1 if none: "[9] with length 9", "[5:3]", "[:-1]".
func bounds(s string) (nums []int64, length int64) {
	length = -1
	if i := strings.IndexByte(s, '['); i >= 0 {
		if j := strings.IndexByte(s[i:], ']'); j >= 0 {
			for _, f := range strings.Split(s[i+1:i+j], ":") {
				if n, ok := number(f); ok {
					nums = append(nums, n)
				}
			}
		}
	}
	for _, w := range []string{"with length ", "with capacity "} {
		if i := strings.Index(s, w); i >= 0 {
			if n, ok := number(s[i+len(w):]); ok {
				length = n
			}
		}
	}
	return nums, length
}

func number(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return int64(n), err == nil
}

// normal returns s without the parts that differ between two runs of the same cause:
// numbers and addresses become N, quoted data Q. It is at most 60 bytes long.
func normal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < 60; {
		switch c := s[i]; {
		case c == '"' || c == '`' || c == '\'' && (i == 0 || !letter(s[i-1])):
			b.WriteByte('Q')
			n := quoted(s[i:])
			if n < 0 {
				return b.String()
			}
			i += n
		case digit(c) || c == '-' && i+1 < len(s) && digit(s[i+1]):
			b.WriteByte('N')
			for i++; i < len(s) && (digit(s[i]) || letter(s[i]) || s[i] == '.'); i++ {
			}
		case c < ' ' || c >= 0x7f || c == ':':
			b.WriteByte(' ')
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// quoted returns the length of the quoted data that s begins with, as Go writes it or else to
// the next quotation mark, or -1 if there is no other.
func quoted(s string) int {
	if q, err := strconv.QuotedPrefix(s); err == nil {
		return len(q)
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return -1
	}
	return end + 2
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
