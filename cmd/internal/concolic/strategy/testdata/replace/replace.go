// Package replace substitutes text: it behaves as the program replace of the Siemens
// suite, which has the patterns of Kernighan's and Plauger's Software Tools. In a pattern
//
//	c      is the character c
//	?      is any character but a newline
//	%      at the begin is the begin of a line
//	$      at the end is the end of a line
//	[...]  is one of some characters, with ranges; [^...] is any other
//	x*     is any number of x
//	@      takes the meaning of the next character; @n is a newline, @t a tab
//
// In a substitution, & is the text that was matched. A zero byte ends each argument.
package replace

const (
	end     = 0
	tab     = '\t'
	newline = '\n'
	escape  = '@'
	dash    = '-'
	negate  = '^'
	ditto   = 0xff
)

// Elements of a compiled pattern. A class is followed by its length and its members.
const (
	character = 'c'
	bol       = '%'
	eol       = '$'
	any       = '?'
	class     = '['
	notClass  = '!'
	closure   = '*'
	classEnd  = ']'
)

// maxPattern bounds compiled patterns and substitutions.
const maxPattern = 100

// buffer is a bounded list of bytes.
type buffer struct {
	b    [maxPattern]byte
	n    int
	over bool
}

func (p *buffer) add(c byte) {
	if p.n >= maxPattern {
		p.over = true
		return
	}
	p.b[p.n] = c
	p.n++
}

// text reads a string as if a zero byte ended it.
type text string

func (t text) at(i int) byte {
	if i < 0 || i >= len(t) {
		return end
	}
	return t[i]
}

// Replace replaces the matches of a pattern in a line. It reports false if pattern or
// substitution are not well formed.
func Replace(pattern, substitution, line string) (string, bool) {
	pat, ok := compile(text(pattern))
	if !ok {
		return "", false
	}
	sub, ok := compileSubstitution(text(substitution))
	if !ok {
		return "", false
	}
	return pat.change(text(line), sub), true
}

// unescape returns the character at i, and the index of its last byte.
func (t text) unescape(i int) (byte, int) {
	if t.at(i) != escape {
		return t.at(i), i
	}
	if t.at(i+1) == end {
		return escape, i
	}
	i++
	switch t.at(i) {
	case 'n':
		return newline, i
	case 't':
		return tab, i
	}
	return t.at(i), i
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// expand copies the members of a class, and writes ranges out.
func (p *buffer) expand(t text, i int) int {
	for t.at(i) != classEnd && t.at(i) != end {
		switch {
		case t.at(i) == escape:
			var c byte
			c, i = t.unescape(i)
			p.add(c)
		case t.at(i) != dash:
			p.add(t.at(i))
		case p.n <= 1 || t.at(i+1) == end:
			p.add(dash)
		case alphanumeric(t.at(i-1)) && alphanumeric(t.at(i+1)) && t.at(i-1) <= t.at(i+1):
			for c := int(t.at(i-1)) + 1; c <= int(t.at(i+1)); c++ {
				p.add(byte(c))
			}
			i++
		default:
			p.add(dash)
		}
		i++
	}
	return i
}

// addClass compiles a class. It reports false if it does not end.
func (p *buffer) addClass(t text, i int) (int, bool) {
	i++
	if t.at(i) == negate {
		p.add(notClass)
		i++
	} else {
		p.add(class)
	}
	start := p.n
	p.add(0)
	i = p.expand(t, i)
	if start < maxPattern {
		p.b[start] = byte(p.n - start - 1)
	}
	return i, t.at(i) == classEnd
}

// addClosure puts a closure before the element at last.
func (p *buffer) addClosure(last int) {
	if p.n >= maxPattern {
		p.over = true
		return
	}
	copy(p.b[last+1:p.n+1], p.b[last:p.n])
	p.b[last] = closure
	p.n++
}

func compile(t text) (*buffer, bool) {
	p := &buffer{}
	last := 0
	i := 0
	for t.at(i) != end {
		this := p.n
		ok := true
		switch c := t.at(i); {
		case c == any:
			p.add(any)
		case c == bol && i == 0:
			p.add(bol)
		case c == eol && t.at(i+1) == end:
			p.add(eol)
		case c == class:
			i, ok = p.addClass(t, i)
		case c == closure && i > 0:
			this = last
			switch p.b[this] {
			case bol, eol, closure:
				ok = false
			default:
				p.addClosure(last)
			}
		default:
			p.add(character)
			c, i = t.unescape(i)
			p.add(c)
		}
		if !ok {
			return nil, false
		}
		last = this
		i++
	}
	p.add(end)
	return p, !p.over
}

func compileSubstitution(t text) (*buffer, bool) {
	p := &buffer{}
	for i := 0; t.at(i) != end; i++ {
		if t.at(i) == '&' {
			p.add(ditto)
			continue
		}
		var c byte
		c, i = t.unescape(i)
		p.add(c)
	}
	p.add(end)
	return p, !p.over
}

// member looks a character up in the class whose length is at p.b[at].
func (p *buffer) member(c byte, at int) bool {
	for i := at + int(p.b[at]); i > at; i-- {
		if c == p.b[i] {
			return true
		}
	}
	return false
}

// one matches one element at j with the text at i. It returns how many bytes it takes, or
// -1.
func (p *buffer) one(t text, i, j int) int {
	c := t.at(i)
	if c == end {
		return -1
	}
	ok, width := false, 1
	switch p.b[j] {
	case character:
		ok = c == p.b[j+1]
	case bol:
		ok, width = i == 0, 0
	case any:
		ok = c != newline
	case eol:
		ok, width = c == newline, 0
	case class:
		ok = p.member(c, j+1)
	case notClass:
		ok = c != newline && !p.member(c, j+1)
	default:
		panic("replace: no such element")
	}
	if !ok {
		return -1
	}
	return width
}

// size returns the length of the element at j.
func (p *buffer) size(j int) int {
	switch p.b[j] {
	case character:
		return 2
	case bol, eol, any, closure:
		return 1
	case class, notClass:
		return int(p.b[j+1]) + 2
	}
	panic("replace: no such element")
}

// match matches the pattern from j on with the text from i on. It returns the end of the
// match, or -1.
func (p *buffer) match(t text, i, j int) int {
	for p.b[j] != end {
		if p.b[j] == closure {
			j += p.size(j)
			k := i
			for t.at(k) != end {
				n := p.one(t, k, j)
				if n < 0 {
					break
				}
				k += n
			}
			for ; k >= i; k-- {
				if m := p.match(t, k, j+p.size(j)); m >= 0 {
					return m
				}
			}
			return -1
		}
		n := p.one(t, i, j)
		if n < 0 {
			return -1
		}
		i += n
		j += p.size(j)
	}
	return i
}

func (p *buffer) change(t text, sub *buffer) string {
	var out []byte
	last := -1
	for i := 0; t.at(i) != end; {
		m := p.match(t, i, 0)
		if m >= 0 && last != m {
			for k := 0; sub.b[k] != end; k++ {
				if sub.b[k] == ditto {
					out = append(out, t[i:m]...)
				} else {
					out = append(out, sub.b[k])
				}
			}
			last = m
		}
		if m == -1 || m == i {
			out = append(out, t.at(i))
			i++
		} else {
			i = m
		}
	}
	return string(out)
}
