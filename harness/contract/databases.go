package contract

import (
	"bytes"
	"reflect"
	"unicode/utf8"

	"foray.test/engine"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docSQLCopy  = `package database/sql, Scanner: "Reference types such as []byte are only valid until the next call to Scan and their underlying memory is owned by the driver. If retention is necessary, copy these values before the next call to Scan"`
	docSQLTrip  = `package database/sql: what a Valuer writes to a database, the Scanner of its type reads`
	docFlagZero = `package flag, Value: "The flag package may call the String method with a zero-valued receiver, such as a nil pointer"`
)

// sqlValue is how package database/sql writes and reads values of a type.
var sqlValue = encoding{encode: "Value", decode: "Scan", any: true, standard: true, able: docSQLTrip, copies: docSQLCopy}

// sqlLaws adds the laws of types that implement driver.Valuer and sql.Scanner.
func sqlLaws(a *api, add func(...Law)) {
	a.everyMethod("Value", "-> driver.Value, error", func(encode operation) {
		if r := a.roundTrip(&sqlValue, encode); r != nil && r.zero.exists() {
			add(r.scansValue(), r.scanCopies())
		}
	})
}

// scansValue is the law that a value written to a database can be read back
// unchanged.
func (r *roundTrip) scansValue() Law {
	law := r.blamed("scan-value", r.able+". "+cite(r.encode, r.decode))
	law.Claim = documentedClaim(r.encode, r.decode)
	return law.checked(func(c *Call) *Breach {
		value := c.out(0)
		if c.failed() || value.value == nil || noEquality(value.value) || noEquality(c.Args[0]) || mended(c.Args[0], value.value) {
			return nil
		}
		x, ok := r.zeroed(c)
		if !ok {
			return nil
		}
		err, ok := said(r.decode.error(c), x.value, value.value)
		if !ok {
			return nil
		}
		scan := calls(func(...any) error { return err }, r.decode)
		b := check3(c, property.Decodes, scan, x, value)
		if b != nil {
			b.Detail = "it says of what Value returned: " + blame.OneLine(blame.TextOf(err))
		} else {
			var again any
			values := calls(r.encode.both(c), r.encode)
			encode := values.value
			values.value = func(args ...any) (v any, err error) {
				if v, err = encode(args...); err != nil {
					panic(silence)
				}
				again = v
				return v, nil
			}
			if b = check5(c, property.ScansAgain, scan, values, r.valueOf("(*x)"), x, value); b == nil || !r.steady(c, value.value) {
				return nil
			}
			b.Detail = "what Value returned is read as another value: " + blame.OneLine(blame.TextOf(again))
		}
		b.Doubt = c.unchecked()
		return b
	})
}

// mended reports whether v holds text that is not UTF-8 and is written as text that is, as package
// encoding/json does.
func mended(v, written any) bool {
	text := reflect.ValueOf(written)
	switch {
	case text.Kind() == reflect.String && utf8.ValidString(text.String()):
	case text.Kind() == reflect.Slice && text.Type().Elem().Kind() == reflect.Uint8 && utf8.Valid(text.Bytes()):
	default:
		return false
	}
	return holdsBadText(v)
}

// steady reports whether the call's receiver is written as value again.
func (r *roundTrip) steady(c *Call, value any) bool {
	results := c.ask(r.encode.id, c.Args[0])
	return results != nil && results[1] == nil && reflect.DeepEqual(results[0], value)
}

// scanCopies is the law that a scanned value does not change with the memory of the
// driver.
func (r *roundTrip) scanCopies() Law {
	return r.blamed("scan-copies", r.copies).checked(func(c *Call) *Breach {
		var data []byte
		switch value := c.Results[0].(type) {
		case string:
			data = []byte(value)
		case []byte:
			data = bytes.Clone(value)
		}
		x, ok := r.zeroed(c)
		if c.failed() || !ok || len(data) == 0 {
			return nil
		}
		values := calls(r.encode.both(c), r.encode)
		encode := values.value
		values.value = func(args ...any) (any, error) {
			v, err := encode(args...)
			if shown, ok := sprint(v); ok && err == nil {
				return shown, nil
			}
			panic(silence)
		}
		return check5(c, property.ScanCopies, c.error(r.decode), values, r.valueOf("(*x)"), x, literal(data, c.std("fmt")+`Appendf(nil, "%s", `+c.result(0)+")")).
			says("what was read changes when the driver's memory is overwritten")
	})
}

// flagLaws adds the law that String of flags returns for a zero value of their
// type.
func flagLaws(a *api, add func(...Law)) {
	a.everyMethod("Set", "string -> error", func(set operation) {
		str, ty := a.methodOf(set.Params[0], "String", "-> String"), &a.t.Types[set.Params[0]]
		if str.exists() && ty.IsPointer() && !ty.Hidden {
			add(printsZero(set, str, ty.Elem))
		}
	})
}

func printsZero(set, str operation, name string) Law {
	law := set.law("flag-zero", engine.ClaimName, docFlagZero)
	if law.Op = str.id; set.says("flag") || str.says("flag") {
		law.Claim = engine.ClaimPromise
	}
	return law.checked(func(c *Call) *Breach {
		if blame.IsNil(c.Args[0]) {
			return nil
		}
		zero := literal(reflect.New(reflect.TypeOf(c.Args[0]).Elem()).Interface(), "new("+name+")")
		_, panicked := c.Call(str.id, zero.value)
		if panicked == nil || panicked == ErrRefused {
			return nil
		}
		return c.breach(property.FlagZero, c.any(str).text, zero.text).says("String of a zero value panics: " + blame.OneLine(blame.TextOf(panicked)))
	})
}
