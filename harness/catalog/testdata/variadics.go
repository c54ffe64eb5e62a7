package variadics

import "time"

type ID [2]byte

type Grid [3][3]int

func Join(sep string, parts ...string) string { return "" }

func Any(args ...any) {}

func Tags(m map[string]int, at map[ID]bool) {}

func Bytes(b []byte, r []rune, g Grid) ID { return ID{} }

func Pointers(n *int, s *string, t *time.Time, opts struct{ A int }) {}
