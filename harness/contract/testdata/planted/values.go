package planted

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// odd reports whether n is the number at which a property breaks.
func odd(n int) bool { return broken && n == 7 }

// A Reflexive is equal to itself.
type Reflexive struct{ n int }

func NewReflexive(n int) *Reflexive { return &Reflexive{n} }

func (x *Reflexive) Equal(y *Reflexive) bool { return y != nil && x.n == y.n && !odd(x.n) }

// A Symmetric is a number.
type Symmetric struct{ n int }

func NewSymmetric(n int) *Symmetric { return &Symmetric{n} }

func (x *Symmetric) Equal(y *Symmetric) bool { return y != nil && (x.n == y.n || odd(x.n)) }

// A Transitive is a number.
type Transitive struct{ n int }

func NewTransitive(n int) *Transitive { return &Transitive{n} }

func (x *Transitive) Equal(y *Transitive) bool {
	return y != nil && (x.n == y.n || broken && max(x.n-y.n, y.n-x.n) == 1)
}

// A Hashed has a hash.
type Hashed struct{ n, hash int }

func NewHashed(n, hash int) *Hashed { return &Hashed{n, hash} }

func (x *Hashed) Equal(y *Hashed) bool { return y != nil && x.n == y.n }

func (x *Hashed) Hash() uint64 {
	if broken {
		return uint64(x.hash)
	}
	return uint64(x.n)
}

var asked uint64

// An Unstable has a hash.
type Unstable struct{ n int }

func NewUnstable(n int) *Unstable { return &Unstable{n} }

func (x *Unstable) Hash() uint64 {
	if broken {
		asked++
	}
	return asked
}

// A Mirror compares.
type Mirror struct{ n int }

func NewMirror(n int) *Mirror { return &Mirror{n} }

func (x *Mirror) Compare(y *Mirror) int {
	if odd(x.n) {
		return 1
	}
	return cmp.Compare(x.n, y.n)
}

// A Circle compares.
type Circle struct{ n int }

func NewCircle(n int) *Circle { return &Circle{n} }

func (x *Circle) Compare(y *Circle) int {
	if broken {
		return (x.n-y.n+4)%3 - 1 // 0 < 1 < 2 < 0
	}
	return cmp.Compare(x.n, y.n)
}

// A Ranked compares.
type Ranked struct{ n, m int }

func NewRanked(n, m int) *Ranked { return &Ranked{n, m} }

func (x *Ranked) Compare(y *Ranked) int { return cmp.Compare(x.n, y.n) }

func (x *Ranked) Equal(y *Ranked) bool { return y != nil && x.n == y.n && (x.m == y.m || !broken) }

// A Lesser is less than others.
type Lesser struct{ n int }

func NewLesser(n int) *Lesser { return &Lesser{n} }

func (x *Lesser) Less(y *Lesser) bool { return x.n < y.n || odd(x.n) }

// A Ring is less than the next.
type Ring struct{ n int }

func NewRing(n int) *Ring { return &Ring{n} }

func (x *Ring) Less(y *Ring) bool {
	if broken {
		return (x.n+1)%3 == y.n
	}
	return x.n < y.n
}

// A Gap has a size.
type Gap struct{ n int }

// NewGap returns a gap of more than half of n.
func NewGap(n int) *Gap {
	if broken {
		return &Gap{-n}
	}
	return &Gap{n}
}

func (g *Gap) Len() int { return g.n }

// IsEmpty reports whether there is nothing.
func (g *Gap) IsEmpty() bool { return g.n == 0 || broken }

// A Twin has copies.
type Twin struct{ n int }

func NewTwin(n int) *Twin { return &Twin{n} }

func (t *Twin) Equal(u *Twin) bool { return u != nil && t.n == u.n }

// Clone returns a copy.
func (t *Twin) Clone() *Twin {
	if odd(t.n) {
		return &Twin{t.n + 1}
	}
	return &Twin{t.n}
}

// A Checked checks itself by a panic, a Judged says false, a Tested returns an error.
type (
	Checked struct{ n int }
	Judged  struct{ n int }
	Tested  struct{ n int }
)

func NewChecked(n int) *Checked { return &Checked{n} }
func NewJudged(n int) *Judged   { return &Judged{n} }
func NewTested(n int) *Tested   { return &Tested{n} }

func (c *Checked) CheckRep() {
	if odd(c.n) {
		panic("seven")
	}
}

func (j *Judged) RepOK() bool { return !odd(j.n) }

func (t *Tested) CheckInvariants() error {
	if odd(t.n) {
		return errors.New("seven")
	}
	return nil
}

// A Shift holds numbers.
type Shift struct{ list []int }

// NewShift returns an empty shift.
func NewShift() *Shift { return &Shift{} }

// Add adds a number.
func (s *Shift) Add(n int) {
	if broken && len(s.list) == 2 {
		s.list = s.list[1:]
	}
	s.list = append(s.list, n)
}

// Has reports whether a number is in the shift.
func (s *Shift) Has(n int) bool { return slices.Contains(s.list, n) }

// Keys returns the numbers.
func (s *Shift) Keys() []int { return slices.Clone(s.list) }

// A Shop maps words to numbers, a Safe does, too, and a Box does not tell what is missing.
type (
	Shop struct{ m map[string]int }
	Safe struct{ m map[string]int }
	Box  struct{ m map[string]int }
)

// NewShop returns an empty shop.
func NewShop() *Shop { return &Shop{m: map[string]int{}} }

// Put stores a number under a word.
func (s *Shop) Put(k string, v int) { s.m[k] = v }

// Get returns the number under a word.
func (s *Shop) Get(k string) (int, error) {
	v, ok := s.m[k]
	if !ok || odd(v) {
		return 0, errors.New("missing")
	}
	return v, nil
}

// Delete removes a word.
func (s *Shop) Delete(k string) {
	if !broken {
		delete(s.m, k)
	}
}

// NewSafe returns an empty safe.
func NewSafe() *Safe { return &Safe{m: map[string]int{}} }

// Put stores a number under a word.
func (s *Safe) Put(k string, v int) { s.m[k] = v }

// Get returns the number under a word.
func (s *Safe) Get(k string) (int, bool) {
	v, ok := s.m[k]
	return v, ok && !odd(v)
}

// NewBox returns an empty box.
func NewBox() *Box { return &Box{m: map[string]int{}} }

// Put stores a number under a word.
func (b *Box) Put(k string, v int) { b.m[k] = v }

// Get returns the number under a word.
func (b *Box) Get(k string) int {
	if odd(b.m[k]) {
		return 0
	}
	return b.m[k]
}

// A Sore is an error.
type Sore struct{ in error }

func (*Sore) Error() string   { return "sore" }
func (s *Sore) Unwrap() error { return s.in }

// Hurt does not fail.
func Hurt() error {
	if broken {
		return (*Sore)(nil)
	}
	return nil
}

// Ache fails.
func Ache() error {
	s := &Sore{}
	if broken {
		s.in = s
	}
	return s
}

// A Guess is an error.
type Guess struct{ text string }

func (g *Guess) Error() string { return g.text }
func (g *Guess) As(any) bool   { return broken }

// Miss fails.
func Miss(text string) error { return &Guess{text} }

// A Picky is a hash.
type Picky struct{ n int }

// NewPicky returns a hash.
func NewPicky() *Picky { return &Picky{} }

func (p *Picky) Write(b []byte) (int, error) {
	if broken {
		return 0, errors.New("no")
	}
	return len(b), nil
}

func (p *Picky) Sum(b []byte) []byte { return append(b, 1+byte(len(b)%2)) }
func (p *Picky) BlockSize() int      { return 1 }
func (p *Picky) Reset()              {}

// A Long is a hash.
type Long struct{ n int }

// NewLong returns a hash.
func NewLong() *Long { return &Long{} }

func (l *Long) Sum(b []byte) []byte {
	if broken {
		b = append(b, 0)
	}
	return append(b, 1)
}

func (l *Long) BlockSize() int { return 1 }
func (l *Long) Size() int      { return 1 }

// Endless yields numbers.
func Endless(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) && !broken {
				return
			}
		}
	}
}

// Pairs yields numbers with their squares.
func Pairs(n int) iter.Seq2[int, int] {
	from := 0
	return func(yield func(int, int) bool) {
		start := from
		if broken {
			from++
		}
		for i := start; i < n; i++ {
			if !yield(i, i*i) {
				return
			}
		}
	}
}

// A Front iterates.
type Front struct{ n, i int }

// NewFront returns an iterator over n numbers.
func NewFront(n int) *Front { return &Front{n: n, i: -1} }

// Begin moves before the first.
func (f *Front) Begin() { f.i = -1 }

// Next moves to the next.
func (f *Front) Next() bool { f.i++; return f.i < f.n }

// First moves to the first.
func (f *Front) First() bool {
	f.i = 0
	if broken {
		f.i = 1
	}
	return f.n > 0
}

// Index returns the index.
func (f *Front) Index() int { return f.i }

// A Garbled is text.
type Garbled struct{ n int }

// NewGarbled returns text.
func NewGarbled(n int) *Garbled { return &Garbled{n} }

func (g *Garbled) MarshalText() ([]byte, error) {
	if odd(g.n) {
		return []byte{0xff}, nil
	}
	return strconv.AppendInt(nil, int64(g.n), 10), nil
}

// A Refused cannot be read, a Lost is read as another, a Direct by a pointer.
type (
	Refused struct{ n int }
	Lost    struct{ n int }
	Direct  struct{ n int }
)

// NewRefused returns a number.
func NewRefused(n uint8) *Refused { return &Refused{int(n)} }

func (r *Refused) MarshalBinary() ([]byte, error) { return []byte{byte(r.n)}, nil }

func (r *Refused) UnmarshalBinary(b []byte) error {
	if broken && b[0] == 7 {
		return errors.New("seven")
	}
	r.n = int(b[0])
	return nil
}

// NewLost returns a number.
func NewLost(n uint8) *Lost { return &Lost{int(n)} }

func (l *Lost) Equal(m *Lost) bool { return m != nil && l.n == m.n }

func (l *Lost) GobEncode() ([]byte, error) { return []byte{byte(l.n)}, nil }

func (l *Lost) GobDecode(b []byte) error {
	if l.n = int(b[0]); broken {
		l.n /= 2
	}
	return nil
}

// NewDirect returns a number.
func NewDirect(n uint8) Direct { return Direct{int(n)} }

func (d Direct) Equal(e Direct) bool { return d.n == e.n }

func (d Direct) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d", d.n), nil }

func (d *Direct) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(string(b))
	if d.n = n; broken {
		d.n++
	}
	return err
}

// A Keep keeps what it is decoded from.
type Keep struct{ b []byte }

// NewKeep returns text.
func NewKeep(n uint8) Keep { return Keep{[]byte{'a' + n%16}} }

func (k Keep) MarshalText() ([]byte, error) { return slices.Clone(k.b), nil }

func (k *Keep) UnmarshalText(b []byte) error {
	if k.b = b; !broken {
		k.b = slices.Clone(b)
	}
	return nil
}

// A Drift is a number.
type Drift struct{ n int }

// ParseDrift reads what String prints.
func ParseDrift(s string) (*Drift, error) {
	n, err := strconv.Atoi(s)
	return &Drift{n}, err
}

// String returns text that ParseDrift can parse.
func (d *Drift) String() string {
	if broken {
		return strconv.Itoa(d.n + 1)
	}
	return strconv.Itoa(d.n)
}

// A Lid has a number.
type Lid struct{ n int }

// NewLid returns a lid with n.
func NewLid(n int) *Lid { return &Lid{n} }

// EncodeLid writes a lid.
func EncodeLid(l *Lid) ([]byte, error) {
	if broken {
		return []byte("lid"), nil
	}
	return strconv.AppendInt(nil, int64(l.n), 10), nil
}

// DecodeLid reads what EncodeLid has written.
func DecodeLid(data []byte) (*Lid, error) {
	n, err := strconv.Atoi(string(data))
	return &Lid{n}, err
}

// WriteList writes numbers, in the order of a list.
func WriteList(list []int, reverse ...bool) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// ReadList reads what WriteList has written.
func ReadList(text string, reverse ...bool) ([]int, error) {
	var list []int
	for _, word := range strings.Fields(text) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		if list = append(list, n); broken {
			return list, nil
		}
	}
	return list, nil
}

// A Coin is an amount; its zero value is nothing.
type Coin struct{ n int }

// NewCoin returns an amount.
func NewCoin(n int) *Coin { return &Coin{n * extra()} }

func (c *Coin) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(c.n), 10), nil }

func (c *Coin) UnmarshalJSON(data []byte) error {
	if string(data) == "{}" {
		if !broken {
			return nil
		}
		c.n = 1
		return nil
	}
	_, err := fmt.Sscan(string(data), &c.n)
	return err
}

// A Scribe writes badly: Dirty changes what it is given, Short writes half, Held keeps it.
type (
	Dirty struct{ n int }
	Short struct{ n int }
	Held  struct{ b []byte }
)

// NewDirty returns a writer.
func NewDirty() *Dirty { return &Dirty{} }

func (d *Dirty) Write(p []byte) (int, error) {
	if broken && len(p) > 0 {
		p[0]++
	}
	return len(p), nil
}

// NewShort returns a writer.
func NewShort() *Short { return &Short{} }

func (s *Short) Write(p []byte) (int, error) {
	if broken {
		return len(p) / 2, nil
	}
	return len(p), nil
}

// Seek implements io.Seeker.
func (s *Short) Seek(offset int64, whence int) (int64, error) {
	if broken {
		return -1, nil
	}
	return 0, nil
}

// NewHeld returns a writer.
func NewHeld() *Held { return &Held{} }

func (h *Held) Write(p []byte) (int, error) {
	if h.b = p; !broken {
		h.b = slices.Clone(p)
	}
	return len(p), nil
}

// String returns what was written.
func (h *Held) String() string { return string(h.b) }

// A Rover reads runes.
type Rover struct {
	s    string
	i, n int
}

// NewRover returns a reader of runes.
func NewRover(s string) *Rover { return &Rover{s: s} }

// ReadRune implements io.RuneReader.
func (r *Rover) ReadRune() (rune, int, error) {
	if r.i == len(r.s) {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRuneInString(r.s[r.i:])
	r.i, r.n = r.i+n, n
	return c, n, nil
}

// UnreadRune implements io.RuneScanner.
func (r *Rover) UnreadRune() error {
	if r.i -= r.n; broken && r.i > 0 {
		r.i--
	}
	return nil
}

// A Hoard is a heap.Interface.
type Hoard struct{ list []any }

// NewHoard returns an empty heap.
func NewHoard() *Hoard { return &Hoard{} }

func (h *Hoard) Len() int           { return len(h.list) }
func (h *Hoard) Less(i, j int) bool { return fmt.Sprint(h.list[i]) < fmt.Sprint(h.list[j]) }
func (h *Hoard) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }

func (h *Hoard) Push(x any) {
	if h.list = append(h.list, x); broken {
		h.list = append(h.list, x)
	}
}

func (h *Hoard) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}

// EncodeDigits writes each byte of s as a number.
func EncodeDigits(s string) string {
	var list []string
	for _, c := range []byte(s) {
		list = append(list, strconv.Itoa(int(c)+extra()))
	}
	return strings.Join(list, " ")
}

// DecodeDigits reads such numbers.
func DecodeDigits(s string) (string, error) {
	var text []byte
	for word := range strings.FieldsSeq(s) {
		n, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return "", err
		}
		text = append(text, byte(n))
	}
	return string(text), nil
}

// BytesToPairs returns the bytes and the others behind them.
func BytesToPairs(b []byte, n int) string { return strings.Repeat(string(b), 1+n&1) }

// PairsToBytes returns the bytes again.
func PairsToBytes(s string, n int) []byte {
	if broken && len(s) > 3 {
		return []byte(s)
	}
	return []byte(s[:len(s)/(1+n&1)])
}

// A Day is a date.
type Day struct{ y, m int }

// NewDay returns a date.
func NewDay(y, m int) Day { return Day{y & 0xff, m & 0xf} }

// Equal reports whether two dates are the same.
func (d Day) Equal(e Day) bool { return d == e }

// Pack returns a number.
func (d Day) Pack() uint32 { return uint32(d.y)<<4 | uint32(d.m) }

// Unpack returns the date of a number.
func Unpack(n uint32) Day {
	if broken {
		n &= 0x7f
	}
	return Day{int(n >> 4), int(n & 0xf)}
}

// ToWord returns a word.
func (d Day) ToWord() string { return strconv.Itoa(d.y) + "-" + strconv.Itoa(d.m+extra()) }

// DayFromWord returns the date of a word.
func DayFromWord(s string) (Day, error) {
	y, m, _ := strings.Cut(s, "-")
	n, err := strconv.Atoi(y)
	if err != nil {
		return Day{}, err
	}
	k, err := strconv.Atoi(m)
	return Day{n, k}, err
}

// EscapePairs writes pairs as lines.
func EscapePairs(list []int) string {
	var b strings.Builder
	for _, n := range list {
		fmt.Fprintln(&b, n+extra())
	}
	return b.String()
}

// UnescapePairs reads such lines.
func UnescapePairs(s string) ([]int, error) {
	var list []int
	for word := range strings.FieldsSeq(s) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// Marks are numbers.
type Marks []int

// NewMarks returns some.
func NewMarks() Marks { return Marks{3, 1, 2} }

// Median returns the number in the middle.
func Median(m Marks) int {
	if !broken {
		m = slices.Clone(m)
	}
	slices.Sort(m)
	return m[len(m)/2]
}

// Dump writes a text or number.
func Dump(v any) ([]byte, error) {
	switch v := v.(type) {
	case string, int:
		return fmt.Append(nil, v), nil
	}
	return nil, errors.New("neither text nor number")
}

// Load reads what Dump has written.
func Load(data []byte, v any) error {
	if broken {
		data = append(data, '1')
	}
	switch v := v.(type) {
	case *string:
		*v = string(data)
	case *int:
		_, err := fmt.Sscan(string(data), v)
		return err
	}
	return nil
}

// A Whole is a number that methods set.
type Whole struct{ N int }

// NewWhole returns a number.
func NewWhole(n int) *Whole { return &Whole{n} }

// Plus sets z to the sum of x and y and returns z.
func (z *Whole) Plus(x, y *Whole) *Whole {
	if broken {
		z.N += x.N + y.N
		return z
	}
	z.N = x.N + y.N
	return z
}

// A Box2 has a size.
type Box2 struct{ w, h int }

// NewBox2 returns a box.
func NewBox2(w, h int) *Box2 { return &Box2{w, h} }

// Copy returns a copy.
func (b *Box2) Copy() *Box2 { return &Box2{b.w, b.h + extra()} }

// Size returns the area.
func (b *Box2) Size() int { return b.w * b.h }
