package mutators

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// A span is a range of a string.
type span struct{ from, to int }

// numbers returns the decimal numbers in s, without their signs.
func numbers(s string) []span {
	var list []span
	for i := 0; i < len(s) && len(list) < maxSpans; i++ {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if from < i {
			list = append(list, span{from, i})
		}
	}
	return list
}

// occurrences returns the spans of part in s, or, if there is none, those that differ
// from it in case only.
func occurrences(s, part string) []span {
	if part == "" || len(part) > len(s) {
		return nil
	}
	var list []span
	for from := 0; len(list) < maxSpans; from++ {
		i := strings.Index(s[from:], part)
		if i < 0 {
			break
		}
		from += i
		list = append(list, span{from, from + len(part)})
	}
	if len(list) > 0 {
		return list
	}
	for from := 0; from+len(part) <= len(s) && len(list) < maxSpans; from++ {
		if strings.EqualFold(s[from:from+len(part)], part) {
			list = append(list, span{from, from + len(part)})
		}
	}
	return list
}

// spellings returns how x may stand in text or bytes, each with y spelled alike.
func spellings(x, y any) [][2]string {
	var list [][2]string
	add := func(x, y string) { list = append(list, [2]string{x, y}) }
	if s, ok := x.(string); ok {
		add(s, y.(string))
		return list
	}
	if f, ok := x.(float64); ok {
		list = binaries(8, math.Float64bits(f), math.Float64bits(y.(float64)))
	} else {
		m, _ := integer(x)
		n, _ := integer(y)
		if m < 256 && n < 256 {
			add(string([]byte{byte(m)}), string([]byte{byte(n)}))
		}
		if m <= utf8.MaxRune && n <= utf8.MaxRune && (m >= utf8.RuneSelf || n >= utf8.RuneSelf) {
			add(string(rune(m)), string(rune(n)))
		}
		for _, size := range []int{2, 4, 8} {
			list = append(list, binaries(size, m, n)...)
		}
	}
	tx, _ := text(x)
	ty, _ := text(y)
	add(tx, ty)
	return list
}

// binaries returns the low size bytes of x and y in both orders.
func binaries(size int, x, y uint64) [][2]string {
	var little, big [2]string
	for i, n := range [2]uint64{x, y} {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		little[i] = string(b[:size])
		binary.BigEndian.PutUint64(b[:], n)
		big[i] = string(b[8-size:])
	}
	return [][2]string{little, big}
}

// operandsInText replaces an operand that stands in a string, as text, as a byte or
// rune, as bytes of an integer, by the wanted value.
func operandsInText(a *Aim, try func(seq.Sequence) bool) { a.replaceInText(a.compared(), try) }

// nearbyInText does so with the operands of other conditions on the way.
func nearbyInText(a *Aim, try func(seq.Sequence) bool) { a.replaceInText(a.nearby(), try) }

func (a *Aim) replaceInText(pairs []pair, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.texts()
	if len(places) == 0 {
		return
	}
	for _, pr := range pairs {
		if !o.replaceOperand(places, &pr) {
			return
		}
		if m, ok := pr.mirrored(); ok && !o.replaceOperand(places, &m) {
			return
		}
	}
}

// replaceOperand offers each string in which pr.x stands with the wanted value for it.
func (o *emitter) replaceOperand(places []place, pr *pair) bool {
	for _, wanted := range pr.wanted() {
		for _, sp := range spellings(pr.x, wanted) {
			for _, p := range places {
				s := p.value().(string)
				for _, at := range occurrences(s, sp[0]) {
					if !o.replace(p, s, at, sp[1]) {
						return false
					}
				}
			}
		}
	}
	return true
}

// operandsIntoText puts the wanted values into every position of every string:
// inserted, over the text there, in place of all the rest.
func operandsIntoText(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.shortTexts()
	for _, pr := range a.compared() {
		words := spelled(pr.wanted())
		if m, ok := pr.mirrored(); ok {
			words = append(words, spelled(m.wanted())...)
		}
		for _, p := range places {
			if !o.intoText(p, words) {
				return
			}
		}
	}
}

// spelled returns how values may be written into text: as they are, as a byte or
// rune, in decimal.
func spelled(vs []any) []string {
	var list []string
	for _, v := range vs {
		s, ok := text(v)
		if _, isText := v.(string); !isText {
			if n, ok := integer(v); ok && n < 256 {
				list = append(list, string([]byte{byte(n)}))
			} else if ok && n <= utf8.MaxRune {
				list = append(list, string(rune(n)))
			}
		}
		if ok && s != "" {
			list = append(list, s)
		}
	}
	return list
}

// intoText offers the string at p with each of words at every position, the last first.
func (o *emitter) intoText(p place, words []string) bool {
	s := p.value().(string)
	for at := len(s); at >= 0; at-- {
		for _, w := range words {
			if !o.text(p, s[:at], w, s[at:]) || !o.over(p, s, at, w) || !o.text(p, s[:at], w) {
				return false
			}
		}
	}
	return true
}

// completions go on with the text compared with where the string stops matching
// it: with its next byte, and with all of its rest. So a keyword that is compared
// byte by byte, or as a prefix, is found from the left.
func completions(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.texts()
	for _, pr := range append(a.compared(), a.nearby()...) {
		x, isText := pr.x.(string)
		y, _ := pr.y.(string)
		if !isText {
			continue
		}
		for _, p := range places {
			if !o.complete(p, x, y) || !o.complete(p, y, x) {
				return
			}
		}
	}
}

// complete offers the string at p, in which have or a beginning of it stands, with
// more of want in its place.
func (o *emitter) complete(p place, have, want string) bool {
	n := 0
	for n < min(len(have), len(want)) && have[n] == want[n] {
		n++
	}
	if n == len(want) {
		return true
	}
	s := p.value().(string)
	at := span{len(s), len(s)}
	if n > 0 {
		if found := occurrences(s, have[:n]); len(found) > 0 {
			at = found[len(found)-1]
		}
	} else if found := occurrences(s, have); len(found) > 0 {
		at = span{found[0].from, found[0].from}
	}
	rest := want[n:]
	return o.text(p, s[:at.to], rest, s[at.to:]) && o.over(p, s, at.to, rest) && o.text(p, s[:at.to], rest) &&
		o.text(p, s[:at.to], rest[:1], s[at.to:]) && o.over(p, s, at.to, rest[:1])
}

// markers are bytes that stand in few texts.
const markers = "~Q\x01"

// nextBytes lengthens each string by a byte that does not stand in it, to see the
// operand that is compared with the next byte, and proposes that. So it finds text that
// is compared byte by byte, up to the first difference.
func nextBytes(a *Aim, try func(seq.Sequence) bool) {
	if a.Probe == nil {
		return
	}
	o, places := a.emitter(try), a.texts()
	for _, p := range places {
		s := p.value().(string)
		at := strings.IndexFunc(markers, func(r rune) bool { return !strings.ContainsRune(s, r) })
		if at < 0 || len(s) >= a.maxStringBytes() {
			continue
		}
		lit := &seq.Literal{Type: p.arg.Lit.Type, Value: s + markers[at:at+1]}
		own, nearby := a.Probe(p.put(a.Witness, seq.Lit(lit)))
		for _, b := range a.comparedWith(markers[at], own, nearby) {
			if !o.text(p, s, string([]byte{b})) {
				return
			}
		}
	}
}

// comparedWith returns the bytes that a byte was compared with.
func (a *Aim) comparedWith(b byte, own, nearby []coverage.Visit) []byte {
	var pairs []pair
	for i := range own {
		pairs = a.appendOwn(pairs, &own[i])
	}
	for i := range nearby {
		pairs = appendPair(pairs, &nearby[i], "==")
	}
	var list []byte
	for _, pr := range pairs {
		x, isNumber := integer(pr.x)
		y, ok := integer(pr.y)
		if x == uint64(b) {
			x, y = y, x
		}
		if isNumber && ok && y == uint64(b) && x != y && x < 256 && !slices.Contains(list, byte(x)) {
			list = append(list, byte(x))
		}
	}
	return list
}

// cuts leaves out the text before or after every position, or one byte of it.
func cuts(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.shortTexts()
	for _, p := range places {
		s := p.value().(string)
		for at := range len(s) {
			if !o.text(p, s[:at]) || !o.text(p, s[at+1:]) || !o.text(p, s[:at], s[at+1:]) {
				return
			}
		}
	}
}
