// Package grep finds lines that match a regular expression, in the way of basic and
// extended patterns: . ^ $ [a-z] [^x] [[:alpha:]] * + ? {m,n} ( ) | \< \> \b \w \W \d.
package grep

import "errors"

// Errors of patterns.
var (
	errBracket = errors.New("unmatched [")
	errParen   = errors.New("unmatched ( or )")
	errRepeat  = errors.New("nothing to repeat")
	errBrace   = errors.New("invalid {}")
	errEscape  = errors.New("trailing backslash")
	errClass   = errors.New("unknown class name")
	errRange   = errors.New("invalid range")
	errLarge   = errors.New("pattern too large")
)

type opcode uint8

const (
	opChar opcode = iota
	opAny
	opSet
	opSplit
	opJump
	opBegin
	opEnd
	opWordBegin
	opWordEnd
	opBoundary
	opMatch
)

type set [8]uint32

func (s *set) add(c byte)      { s[c>>5] |= 1 << (c & 31) }
func (s *set) has(c byte) bool { return s[c>>5]>>(c&31)&1 == 1 }

func (s *set) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s.add(byte(c))
	}
}

type inst struct {
	op   opcode
	c    byte
	set  *set
	x, y int
}

type parser struct {
	src   string
	pos   int
	depth int
	prog  []inst
}

const maxProgram = 400

func (p *parser) more() bool { return p.pos < len(p.src) && p.src[p.pos] != 0 }

func (p *parser) peek() byte {
	if !p.more() {
		return 0
	}
	return p.src[p.pos]
}

func (p *parser) emit(i inst) int {
	p.prog = append(p.prog, i)
	return len(p.prog) - 1
}

// alternation = sequence { "|" sequence }
func (p *parser) alternation() error {
	start := len(p.prog)
	if err := p.sequence(); err != nil {
		return err
	}
	for p.peek() == '|' {
		p.pos++
		p.insert(start, inst{op: opSplit, x: start + 1, y: len(p.prog) + 2})
		jump := p.emit(inst{op: opJump})
		if err := p.sequence(); err != nil {
			return err
		}
		p.prog[jump].x = len(p.prog)
	}
	return nil
}

// insert inserts an instruction, and moves the targets of those behind it.
func (p *parser) insert(at int, i inst) {
	p.prog = append(p.prog, inst{})
	copy(p.prog[at+1:], p.prog[at:])
	for k := at + 1; k < len(p.prog); k++ {
		if op := p.prog[k].op; op == opSplit || op == opJump {
			p.prog[k].x++
			if op == opSplit {
				p.prog[k].y++
			}
		}
	}
	p.prog[at] = i
}

func (p *parser) sequence() error {
	for p.more() {
		switch p.peek() {
		case '|':
			return nil
		case ')':
			if p.depth == 0 {
				return errParen
			}
			return nil
		}
		start := len(p.prog)
		if err := p.atom(); err != nil {
			return err
		}
		if err := p.repeats(start); err != nil {
			return err
		}
		if len(p.prog) > maxProgram {
			return errLarge
		}
	}
	return nil
}

func (p *parser) repeats(start int) error {
	for p.more() {
		switch p.peek() {
		case '*':
			p.insert(start, inst{op: opSplit, x: start + 1, y: len(p.prog) + 2})
			p.emit(inst{op: opJump, x: start})
		case '+':
			p.emit(inst{op: opSplit, x: start, y: len(p.prog) + 1})
		case '?':
			p.insert(start, inst{op: opSplit, x: start + 1, y: len(p.prog) + 1})
		case '{':
			if err := p.braces(start); err != nil {
				return err
			}
		default:
			return nil
		}
		p.pos++
		if len(p.prog) > maxProgram {
			return errLarge
		}
	}
	return nil
}

func (p *parser) number() (int, bool) {
	n, ok := 0, false
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		n, ok = n*10+int(c-'0'), true
		if n > 255 {
			return n, false
		}
		p.pos++
	}
	return n, ok
}

// braces repeats the instructions from start on m to n times.
func (p *parser) braces(start int) error {
	p.pos++
	m, ok := p.number()
	if !ok {
		return errBrace
	}
	n := m
	if p.peek() == ',' {
		p.pos++
		if n, ok = p.number(); !ok {
			n = m + 1
		}
	}
	if p.peek() != '}' || n < m {
		return errBrace
	}
	body := append([]inst(nil), p.prog[start:]...)
	p.prog = p.prog[:start]
	for k := 0; k < n; k++ {
		if len(p.prog) > maxProgram {
			return errLarge
		}
		if k >= m {
			p.emit(inst{op: opSplit, x: len(p.prog) + 1, y: len(p.prog) + 1 + len(body)})
		}
		shift := len(p.prog) - start
		for _, i := range body {
			if i.op == opSplit || i.op == opJump {
				i.x += shift
				i.y += shift
			}
			p.prog = append(p.prog, i)
		}
	}
	return nil
}

func (p *parser) atom() error {
	c := p.peek()
	p.pos++
	switch c {
	case '*', '+', '?':
		return errRepeat
	case '{':
		return errBrace
	case '.':
		p.emit(inst{op: opAny})
	case '^':
		p.emit(inst{op: opBegin})
	case '$':
		p.emit(inst{op: opEnd})
	case '(':
		p.depth++
		if err := p.alternation(); err != nil {
			return err
		}
		if p.peek() != ')' {
			return errParen
		}
		p.depth--
		p.pos++
	case '[':
		return p.bracket()
	case '\\':
		return p.escape()
	default:
		p.emit(inst{op: opChar, c: c})
	}
	return nil
}

func (p *parser) escape() error {
	if !p.more() {
		return errEscape
	}
	c := p.peek()
	p.pos++
	s := &set{}
	switch c {
	case '<':
		p.emit(inst{op: opWordBegin})
	case '>':
		p.emit(inst{op: opWordEnd})
	case 'b':
		p.emit(inst{op: opBoundary})
	case 'w', 'W':
		for i := 0; i < 256; i++ {
			if word(byte(i)) == (c == 'w') {
				s.add(byte(i))
			}
		}
		p.emit(inst{op: opSet, set: s})
	case 'd':
		s.addRange('0', '9')
		p.emit(inst{op: opSet, set: s})
	case 'n':
		p.emit(inst{op: opChar, c: '\n'})
	case 't':
		p.emit(inst{op: opChar, c: '\t'})
	default:
		p.emit(inst{op: opChar, c: c})
	}
	return nil
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *parser) bracket() error {
	s := &set{}
	negated := false
	if p.peek() == '^' {
		negated = true
		p.pos++
	}
	for first := true; first || p.peek() != ']'; first = false {
		if !p.more() {
			return errBracket
		}
		c := p.peek()
		p.pos++
		if c == '[' && p.peek() == ':' {
			if err := p.class(s); err != nil {
				return err
			}
			continue
		}
		if p.peek() == '-' && p.pos+1 < len(p.src) && p.src[p.pos+1] != ']' {
			hi := p.src[p.pos+1]
			if hi == 0 {
				return errBracket
			}
			if hi < c {
				return errRange
			}
			p.pos += 2
			s.addRange(c, hi)
			continue
		}
		s.add(c)
	}
	p.pos++
	if negated {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	p.emit(inst{op: opSet, set: s})
	return nil
}

// class adds the members of [:name:].
func (p *parser) class(s *set) error {
	p.pos++
	start := p.pos
	for p.more() && p.peek() != ':' {
		p.pos++
	}
	name := p.src[start:p.pos]
	if p.pos+1 >= len(p.src) || p.src[p.pos+1] != ']' {
		return errBracket
	}
	p.pos += 2
	switch name {
	case "alpha":
		s.addRange('a', 'z')
		s.addRange('A', 'Z')
	case "digit":
		s.addRange('0', '9')
	case "upper":
		s.addRange('A', 'Z')
	case "lower":
		s.addRange('a', 'z')
	case "space":
		s.add(' ')
		s.addRange('\t', '\r')
	case "xdigit":
		s.addRange('0', '9')
		s.addRange('a', 'f')
		s.addRange('A', 'F')
	default:
		return errClass
	}
	return nil
}

func compile(pattern string) ([]inst, error) {
	p := &parser{src: pattern}
	if err := p.alternation(); err != nil {
		return nil, err
	}
	if p.more() {
		return nil, errParen
	}
	p.emit(inst{op: opMatch})
	return p.prog, nil
}

// threads is a set of places in a program.
type threads struct {
	list []int
	in   []bool
}

func (t *threads) reset() {
	for _, pc := range t.list {
		t.in[pc] = false
	}
	t.list = t.list[:0]
}

// add adds a place, and those that follow it without reading.
func (t *threads) add(prog []inst, pc int, line string, i int) {
	if t.in[pc] {
		return
	}
	t.in[pc] = true
	t.list = append(t.list, pc)
	before := i > 0 && word(line[i-1])
	after := i < len(line) && word(line[i])
	switch in := prog[pc]; in.op {
	case opJump:
		t.add(prog, in.x, line, i)
	case opSplit:
		t.add(prog, in.x, line, i)
		t.add(prog, in.y, line, i)
	case opBegin:
		if i == 0 {
			t.add(prog, pc+1, line, i)
		}
	case opEnd:
		if i == len(line) {
			t.add(prog, pc+1, line, i)
		}
	case opWordBegin:
		if !before && after {
			t.add(prog, pc+1, line, i)
		}
	case opWordEnd:
		if before && !after {
			t.add(prog, pc+1, line, i)
		}
	case opBoundary:
		if before != after {
			t.add(prog, pc+1, line, i)
		}
	}
}

func matches(prog []inst, line string) bool {
	now, next := &threads{in: make([]bool, len(prog))}, &threads{in: make([]bool, len(prog))}
	for i := 0; ; i++ {
		now.add(prog, 0, line, i)
		next.reset()
		for _, pc := range now.list {
			in := prog[pc]
			if in.op == opMatch {
				return true
			}
			if i == len(line) {
				continue
			}
			ok := false
			switch in.op {
			case opChar:
				ok = line[i] == in.c
			case opAny:
				ok = line[i] != '\n'
			case opSet:
				ok = in.set.has(line[i])
			}
			if ok {
				next.add(prog, pc+1, line, i+1)
			}
		}
		if i == len(line) {
			return false
		}
		now, next = next, now
	}
}

// Grep returns how many lines of a text match a pattern. A zero byte ends each.
func Grep(pattern, text string) (int, error) {
	prog, err := compile(pattern)
	if err != nil {
		return 0, err
	}
	n := 0
	for start, i := 0, 0; ; i++ {
		end := i >= len(text) || text[i] == 0
		if end || text[i] == '\n' {
			if i > start || !end {
				if matches(prog, text[start:i]) {
					n++
				}
			}
			if end {
				return n, nil
			}
			start = i + 1
		}
	}
}
