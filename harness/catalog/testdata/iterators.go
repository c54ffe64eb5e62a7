package iterators

import "iter"

type List struct{}

func Of(list ...string) *List { return &List{} }

func (l *List) All() iter.Seq2[int, string] { return nil }

func (l *List) Values() iter.Seq[string] { return nil }

func (l *List) Append(seq iter.Seq[string]) {}

func Collect(seq func(yield func(int, bool) bool)) {}
