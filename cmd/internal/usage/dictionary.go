package usage

import "foray.test/engine/seq"

// Dictionary returns the literals of u by parameter. A parameter of the API that tests hand no constant
// has those of the parameters of its type and name.
func (u *Usage) Dictionary(t *seq.Table) []Literals {
	type kind struct {
		typ  seq.TypeID
		name string
	}
	kindOf := func(op *seq.Operation, i int) (kind, bool) {
		if !op.API || i >= len(op.Names) || i >= len(op.Params) || op.Names[i] == "" || op.Names[i] == "_" {
			return kind{}, false
		}
		return kind{op.Params[i], op.Names[i]}, true
	}
	shared, own := map[kind][]string{}, map[parameter]bool{}
	bytes := 0
	for _, l := range u.Literals {
		own[parameter{l.Op, l.Param}] = true
		if k, ok := kindOf(&t.Ops[l.Op], l.Param); ok {
			shared[k] = append(shared[k], l.Texts...)
		}
		for _, text := range l.Texts {
			bytes += len(text)
		}
	}
	list := u.Literals[:len(u.Literals):len(u.Literals)]
	for i := range t.Ops {
		for j := range t.Ops[i].Params {
			k, ok := kindOf(&t.Ops[i], j)
			if !ok || own[parameter{seq.OpID(i), j}] {
				continue
			}
			texts := shared[k][:min(len(shared[k]), maxLiterals)]
			for _, text := range texts {
				bytes += len(text)
			}
			if len(texts) > 0 && bytes <= 2*maxBytes {
				list = append(list, Literals{seq.OpID(i), j, texts})
			}
		}
	}
	return list
}
