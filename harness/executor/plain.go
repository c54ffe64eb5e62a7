package executor

import (
	"reflect"

	"foray.test/engine"
)

// plainness returns how plain the data of a context are. Of objects nothing is asked.
func plainness(values []any) engine.Plainness {
	p := look{left: maxPlain, plain: engine.Words}
	for _, v := range values {
		p.at(reflect.ValueOf(v))
	}
	return p.plain
}

// A look at data finds the least plain part.
type look struct {
	left  int // parts
	plain engine.Plainness
}

func (l *look) at(v reflect.Value) {
	if l.left--; l.left < 0 {
		l.plain = engine.Strange
	}
	if l.plain == engine.Strange {
		return
	}
	ok := true
	switch v.Kind() {
	case reflect.Invalid:
		ok = false
	case reflect.String:
		l.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		ok = -maxPlainNumber <= v.Int() && v.Int() <= maxPlainNumber
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		ok = v.Uint() <= maxPlainNumber
	case reflect.Float32, reflect.Float64:
		ok = -maxPlainNumber <= v.Float() && v.Float() <= maxPlainNumber
	case reflect.Interface:
		l.at(v.Elem())
	case reflect.Slice, reflect.Array:
		l.list(v)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			l.at(it.Key())
			l.at(it.Value())
		}
		ok = v.Len() > 0
	}
	if !ok {
		l.plain = engine.Strange
	}
}

func (l *look) list(v reflect.Value) {
	switch {
	case v.Len() == 0:
		l.plain = engine.Strange
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		l.text(string(v.Bytes()))
	default:
		for i := range min(v.Len(), maxPlain+1) {
			l.at(v.Index(i))
		}
	}
}

func (l *look) text(s string) {
	if s == "" {
		l.plain = engine.Strange
	}
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '.', r == '-', r == '_':
			l.plain = min(l.plain, engine.Plain)
		default:
			l.plain = engine.Strange
		}
	}
}
