package usage

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"foray.test/harness/catalog"
)

// An outside is how often tests call a function of another package.
type outside struct {
	number    int // of its first call
	count     int
	discarded bool
}

// noteCall counts the call of an exported function or method of another package.
func (h *handed) noteCall(e *ast.CallExpr) {
	if call, ok := h.outsideCall(e); ok {
		if h.outside[call] == nil {
			h.outside[call] = &outside{number: len(h.outside)}
		}
		h.outside[call].count++
	}
}

// noteDiscarded notes that a statement drops the results of a call.
func (h *handed) noteDiscarded(s *ast.ExprStmt) {
	e, ok := s.X.(*ast.CallExpr)
	if !ok {
		return
	}
	if call, ok := h.outsideCall(e); ok {
		h.noteCall(e) // twice, with the visit of e
		h.outside[call].discarded = true
	}
}

// random are packages whose functions return another value each time, unless they make a source of
// such values.
var random = map[string]bool{"crypto/rand": true, "math/rand": true, "math/rand/v2": true}

// outsideCall returns the call of a function of another package, if it returns the same each time.
func (h *handed) outsideCall(e *ast.CallExpr) (call catalog.Call, ok bool) {
	fn := calledFunc(h.unit.Info, e)
	if fn == nil || !fn.Exported() || fn.Pkg() == nil || fn.Pkg() == h.unit.Types || fn.Pkg().Path() == h.pkg.Path() || fn.Pkg().Path() == "testing" {
		return call, false
	}
	call = catalog.Call{Path: fn.Pkg().Path(), Name: fn.Name()}
	recv := fn.Signature().Recv()
	if recv == nil {
		return call, !impure.MatchString(call.Name) && (!random[call.Path] || strings.HasPrefix(call.Name, "New"))
	}
	named, ok := pointed(recv.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() != fn.Pkg() {
		return call, false
	}
	call.Type = named.Obj().Name()
	return call, true
}

// calls returns the calls of other packages, the most frequent first.
func (h *handed) calls() []catalog.Call {
	list := slices.SortedFunc(maps.Keys(h.outside), func(a, b catalog.Call) int {
		x, y := h.outside[a], h.outside[b]
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.number, y.number))
	})
	for i, call := range list {
		list[i].Discarded = h.outside[call].discarded
	}
	return list
}
