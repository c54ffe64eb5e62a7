package funcs

type Option func(*config)

type config struct{ n int }

func WithN(n int) Option { return func(c *config) { c.n = n } }

type Tree struct{ cmp func(a, b any) int }

func New(cmp func(a, b interface{}) int, opts ...Option) *Tree { return &Tree{cmp: cmp} }

func (t *Tree) Each(f func(key, value any) bool) {}

func Filter(list []int, keep func(int) bool) []int { return nil }

func SortBy(list []string, less func(a, b string) bool) {}

func Map(list []int, f func(i, x int) (int, error)) ([]int, error) { return nil, nil }

func Adder(n int) func(int) int { return func(m int) int { return n + m } }

func Hashed(h func(string) uint64) {}

func Later(f func()) {}

func Log(f func(format string, args ...any)) {}
