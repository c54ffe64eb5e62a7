package concolic

import (
	"math"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// variables of packages that are not interpreted, and their values; those that are not
// numbers are zero.
var variables = map[string]uint64{
	"internal/cpu.X86":               0,
	"internal/cpu.ARM64":             0,
	"internal/bytealg.MaxLen":        64,
	"internal/bytealg.MaxBruteForce": 64,
}

// replacements are functions of package models, by the function that they replace.
var replacements = map[string]string{
	"internal/bytealg.Count":         "Count",
	"internal/bytealg.CountString":   "CountString",
	"internal/bytealg.Equal":         "Equal",
	"internal/bytealg.Compare":       "Compare",
	"internal/bytealg.CompareString": "CompareString",
	"internal/bytealg.Index":         "Index",
	"internal/bytealg.IndexString":   "IndexString",
	"internal/bytealg.MakeNoZero":    "MakeNoZero",
	"internal/stringslite.Clone":     "Clone",
	"strings.Clone":                  "Clone",
	"errors.Is":                      "Is",
}

// natives are models that act on values.
var natives = map[string]func(m *Machine, args []value) value{
	"math.Float64bits":     func(_ *Machine, a []value) value { return value{n: a[0].n} },
	"math.Float64frombits": func(_ *Machine, a []value) value { return value{n: a[0].n} },
	"math.Float32bits": func(_ *Machine, a []value) value {
		return value{n: uint64(math.Float32bits(float32(a[0].float())))}
	},
	"math.Float32frombits": func(_ *Machine, a []value) value {
		return float(float64(math.Float32frombits(uint32(a[0].n))))
	},
	"math.FMA": func(_ *Machine, a []value) value {
		return float(math.FMA(a[0].float(), a[1].float(), a[2].float()))
	},
	"internal/abi.NoEscape":                     first,
	"internal/abi.Escape":                       first,
	"(*sync.Mutex).Lock":                        nothing,
	"(*sync.Mutex).Unlock":                      nothing,
	"(*sync.RWMutex).Lock":                      nothing,
	"(*sync.RWMutex).Unlock":                    nothing,
	"(*sync.RWMutex).RLock":                     nothing,
	"(*sync.RWMutex).RUnlock":                   nothing,
	"(*sync.Pool).Put":                          nothing,
	"sync.runtime_registerPoolCleanup":          nothing,
	"sync.runtime_notifyListCheck":              nothing,
	"runtime.KeepAlive":                         nothing,
	"internal/godebug.New":                      nothing,
	"(*internal/godebug.Setting).Name":          nothing,
	"(*internal/godebug.Setting).Value":         nothing,
	"(*internal/godebug.Setting).IncNonDefault": nothing,
	"internal/bytealg.Cutover":                  func(_ *Machine, a []value) value { return integer((int(a[0].n) + 16) / 8) },
	"internal/race.ReadObjectPC":                nothing,
	"syscall.Getenv":                            func(*Machine, []value) value { return tuple(text(""), boolean(true)) },
	"time.now":                                  func(*Machine, []value) value { return tuple(integer(1_700_000_000), value{}, integer(1)) },
	"time.runtimeNow":                           func(*Machine, []value) value { return tuple(integer(1_700_000_000), value{}, integer(1)) },
	"time.runtimeNano":                          func(*Machine, []value) value { return integer(1) },
	"math/rand.runtime_rand":                    func(*Machine, []value) value { return value{n: 0x9E3779B97F4A7C15} },
	"math/rand/v2.runtime_rand":                 func(*Machine, []value) value { return value{n: 0x9E3779B97F4A7C15} },
	"internal/reflectlite.ValueOf":              func(_ *Machine, a []value) value { return tuple(value{}, a[0], value{}) },
	"(internal/reflectlite.Value).Len":          func(_ *Machine, a []value) value { i := a[0].fields()[1].iface(); return lengthOf(&i.v) },
}

// floatModels are functions of floats that are in assembly on some machines. A model
// costs less than interpreting them, too.
var floatModels = map[string]func(float64) float64{
	"math.Sqrt": math.Sqrt, "math.Floor": math.Floor, "math.Ceil": math.Ceil, "math.Trunc": math.Trunc, "math.Exp": math.Exp,
	"math.Log": math.Log, "math.Abs": math.Abs, "math.Sin": math.Sin, "math.Cos": math.Cos, "math.Tan": math.Tan,
	"math.Exp2": math.Exp2, "math.Atan": math.Atan, "math.Log2": math.Log2, "math.Log10": math.Log10, "math.Log1p": math.Log1p,
	"math.Expm1": math.Expm1, "math.Cbrt": math.Cbrt, "math.Asin": math.Asin, "math.Acos": math.Acos, "math.Sinh": math.Sinh,
	"math.Cosh": math.Cosh, "math.Tanh": math.Tanh, "math.Asinh": math.Asinh, "math.Acosh": math.Acosh, "math.Atanh": math.Atanh,
	"math.Erf": math.Erf, "math.Erfc": math.Erfc, "math.Gamma": math.Gamma, "math.RoundToEven": math.RoundToEven,
}

var floatPairs = map[string]func(x, y float64) float64{
	"math.Pow": math.Pow, "math.Hypot": math.Hypot, "math.Atan2": math.Atan2, "math.Mod": math.Mod, "math.Max": math.Max,
	"math.Min": math.Min, "math.Remainder": math.Remainder, "math.Dim": math.Dim,
}

func first(_ *Machine, a []value) value { return a[0] }

func nothing(*Machine, []value) value { return value{} }

// findModel sets the model of a function that has one.
func (m *Machine) findModel(f *function) {
	name := f.ssa.String()
	if f.ssa.Origin() != nil {
		name = f.ssa.Origin().String()
	}
	if isNoEscape(f.ssa) {
		f.model = first
		return
	}
	if by, ok := replacements[name]; ok {
		f.replaced = m.function(m.prog.models.Func(by))
		return
	}
	if f.model = modelOf(name); f.model != nil {
		return
	}
	if fn := floatModels[name]; fn != nil {
		f.model = func(_ *Machine, a []value) value { return float(fn(a[0].float())) }
		return
	}
	if fn := floatPairs[name]; fn != nil {
		f.model = func(_ *Machine, a []value) value { return float(fn(a[0].float(), a[1].float())) }
		return
	}
	if short, ok := strings.CutPrefix(name, "sync/atomic."); ok {
		f.model = atomicModel(f.ssa, short)
	}
}

// modelOf returns the model of a function of that name, or nil.
func modelOf(name string) func(*Machine, []value) value {
	switch name { // these refer to natives themselves
	case "internal/bytealg.IndexByteString", "internal/bytealg.LastIndexByteString", "internal/bytealg.IndexByte":
		return indexByte(strings.TrimPrefix(name, "internal/bytealg."))
	case "fmt.Sprintf":
		return sprintf
	case "fmt.Sprint":
		return sprint
	case "fmt.Sprintln":
		return sprintln
	case "fmt.Fprintf":
		return fprint(sprintf)
	case "fmt.Fprint":
		return fprint(sprint)
	case "fmt.Fprintln":
		return fprint(sprintln)
	case "fmt.Errorf":
		return errorf
	case "errors.As":
		return errorsAs
	case "(*sync.Pool).Get":
		return poolGet
	case "internal/reflectlite.Swapper":
		return swapper
	}
	return natives[name]
}

// indexByte returns the model of a search for a byte. In text without symbols that is one
// lookup: most often it asks whether a byte is in a set.
func indexByte(name string) func(m *Machine, a []value) value {
	index := strings.IndexByte
	if name == "LastIndexByteString" {
		index = strings.LastIndexByte
	}
	return func(m *Machine, a []value) value {
		s, ok := a[0].x.(*str)
		if list, isSlice := a[0].x.(*slice); isSlice {
			s, ok = textOf(list.a, list.n), true
		}
		if !ok || s.symbolic() || a[1].e == nil {
			return m.model(name, a...)
		}
		at := func(c int) uint64 { return uint64(index(s.s, byte(c))) }
		return value{n: at(int(a[1].n)), e: m.lookupTerm([]byte(name+s.s), 64, a[1].e, at, 1<<8)}
	}
}

// isNoEscape reports whether a function hides a pointer from escape analysis, as a common
// idiom does by way of a uintptr.
func isNoEscape(fn *ssa.Function) bool {
	sig := fn.Signature
	return strings.EqualFold(fn.Name(), "noescape") && sig.Params().Len() == 1 && sig.Results().Len() == 1 &&
		isUnsafe(sig.Params().At(0).Type()) && isUnsafe(sig.Results().At(0).Type())
}

// atomicModel returns the model of a function of sync/atomic, or nil.
func atomicModel(fn *ssa.Function, name string) func(m *Machine, a []value) value {
	switch {
	case strings.HasPrefix(name, "Load"):
		return func(m *Machine, a []value) value { return *m.deref(&a[0]) }
	case strings.HasPrefix(name, "Store"):
		return func(m *Machine, a []value) value { m.store(m.deref(&a[0]), a[1]); return value{} }
	case strings.HasPrefix(name, "Swap"):
		return func(m *Machine, a []value) value {
			p := m.deref(&a[0])
			old := *p
			m.store(p, a[1])
			return old
		}
	case strings.HasPrefix(name, "CompareAndSwap"):
		return func(m *Machine, a []value) value {
			p := m.deref(&a[0])
			if p.n != a[1].n || p.x != a[1].x {
				return value{}
			}
			m.store(p, a[2])
			return boolean(true)
		}
	case strings.HasPrefix(name, "Add"):
		k := kindOf(fn.Signature.Results().At(0).Type())
		return func(m *Machine, a []value) value {
			p := m.deref(&a[0])
			m.store(p, value{n: k.extend(p.n + a[1].n)})
			return *p
		}
	}
	return nil
}

// poolGet calls the New of a sync.Pool, which is its last field.
func poolGet(m *Machine, a []value) value {
	f := m.deref(&a[0]).fields()
	if cl, ok := f[len(f)-1].x.(*closure); ok {
		return m.call(cl.fn, nil, cl.free)
	}
	return value{}
}

// swapper swaps elements of a slice in an interface value.
func swapper(m *Machine, a []value) value {
	i := a[0].iface()
	list := i.v.elems()
	return value{x: &closure{fn: &function{model: func(m *Machine, a []value) value {
		m.inBounds(0, &a[0], kind{intClass, 64, true}, integer(len(list)))
		m.inBounds(0, &a[1], kind{intClass, 64, true}, integer(len(list)))
		x, y := clone(list[a[0].n]), clone(list[a[1].n])
		m.store(&list[a[0].n], y)
		m.store(&list[a[1].n], x)
		return value{}
	}}}}
}

// contiguous returns n values from an element of a slice on, as unsafe.Slice does: elements
// are contiguous here, too.
func contiguous(p *value, n int) []value {
	first, ok := p.x.(*value)
	if !ok || n == 0 {
		return nil
	}
	return unsafe.Slice(first, n)
}
