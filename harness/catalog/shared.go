package catalog

import (
	"go/types"
	"regexp"
)

var (
	// concurrent matches documentation that lets goroutines share a value.
	concurrent = regexp.MustCompile(`(?i)\bsafe for (concurrent|simultaneous|use by multiple)|\b(concurrency|goroutine|thread)[- ]safe\b|\bsafely (be )?(used|called) concurrently`)
	// alone matches documentation that forbids it.
	alone = regexp.MustCompile(`(?i)(\bnot|n't)[- ]?\s?(safe|thread[- ]?safe|goroutine[- ]?safe|concurren)`)
)

// shared returns why goroutines may share the values of t: a sentence of the type's
// documentation, or else that it has a lock. Only pointers to types of the package
// are shared: a copied lock locks nothing.
func (f *finder) shared(t types.Type) (why string, locks bool) {
	named, ptr := pointee(t)
	if named == nil || !ptr || named.Obj().Pkg() != f.pkg {
		return "", false
	}
	doc := f.source.typeDocs[named.Origin().Obj()]
	if alone.MatchString(doc) {
		return "", false
	}
	for _, s := range sentences(doc) {
		if concurrent.MatchString(s) {
			return s, false
		}
	}
	if st, ok := named.Underlying().(*types.Struct); ok {
		if lock := lockIn(st, 2); lock != "" {
			return "it holds a " + lock, true
		}
	}
	return "", false
}

// lockIn returns the name of a lock or atomic value among the fields of a struct, or
// of structs in it.
func lockIn(st *types.Struct, depth int) string {
	for i := range st.NumFields() {
		t := st.Field(i).Type()
		if named, _ := pointee(t); named != nil && named.Obj().Pkg() != nil {
			path, name := named.Obj().Pkg().Path(), named.Obj().Name()
			if path == "sync" && (name == "Mutex" || name == "RWMutex" || name == "Map") || path == "sync/atomic" {
				return named.Obj().Pkg().Name() + "." + name
			}
			if path == "sync" {
				continue // a Once, a Pool: they guard nothing else
			}
		}
		if in, ok := t.Underlying().(*types.Struct); ok && depth > 1 {
			if lock := lockIn(in, depth-1); lock != "" {
				return lock
			}
		}
	}
	return ""
}
