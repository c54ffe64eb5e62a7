package hidden

import "sync"

type builder struct {
	Name  string
	parts []string
}

func Build() *builder { return &builder{} }

func (b *builder) Add(s string) *builder { return b }
func (b *builder) reset()                {}

type kind int

const A kind = 1

func Of(k kind) string { return "" }

func Kinds() []kind { return nil }

type base struct{}

func (b *base) Touch() {}

type Outer struct {
	base
	sync.Mutex
	*Inner
}

type Inner struct{ N int }

func (i Inner) Count() int { return i.N }

func Local() any {
	type local struct{}
	return local{}
}
