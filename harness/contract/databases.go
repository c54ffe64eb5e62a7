package contract

import (
	"bytes"
	"reflect"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docSQLCopy  = `package database/sql, Scanner: "Reference types such as []byte are only valid until the next call to Scan and their underlying memory is owned by the driver. If retention is necessary, copy these values before the next call to Scan"`
	docSQLTrip  = `package database/sql: what a Valuer writes to a database, the Scanner of its type reads`
	docFlagZero = `package flag, Value: "The flag package may call the String method with a zero-valued receiver, such as a nil pointer"`
)

// sqlValue is how package database/sql writes and reads values of a type.
var sqlValue = encoding{encode: "Value", decode: "Scan", any: true, standard: true, able: docSQLTrip, copies: docSQLCopy}

// sqlLaws lists what holds of types that databases take and give.
func sqlLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Value", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 1 || len(op.Results) != 2 || !op.ReturnsError || a.t.Types[op.Results[0]].Name != "driver.Value" {
			return
		}
		if r := a.roundTrip(&sqlValue, id, op); r != nil && r.zeroOp != nil {
			law := Law{On: id, Op: r.decode}
			all = append(all, r.scansValue(law), r.scanCopies(law))
		}
	})
	return all
}

// value returns as what the value is written that was decoded into x.
func (r *roundTrip) value(c *Call, x any) (any, bool) {
	results := c.ask(r.encode, r.decoded(x))
	if results == nil || results[1] != nil {
		return nil, false
	}
	return results[0], true
}

// decoded returns the value at x, into which was decoded, as the encoder takes it.
func (r *roundTrip) decoded(x any) any {
	if r.pointer {
		return reflect.ValueOf(x).Elem().Interface()
	}
	return x
}

// decodedText is the text of decoded of x.
func (r *roundTrip) decodedText() string {
	if r.pointer {
		return "(*x)"
	}
	return "x"
}

// scansValue is that what was written to a database can be read, and is the same.
func (r *roundTrip) scansValue(law Law) Law {
	law.Name, law.Tier, law.Doc = "scan-value", sure(r.encOp, r.decOp), r.able+". "+cite(r.encOp, r.decOp)
	law.Check = func(c *Call, _ any) *Breach {
		value := c.Results[0]
		if c.failed() || value == nil || odd(value) || odd(c.Args[0]) {
			return nil
		}
		x, ok := one(c, r.zero)
		if !ok {
			return nil
		}
		results := c.ask(r.decode, x, value)
		if results == nil {
			return nil
		}
		enter, scan := "x := "+expr(r.zeroOp), expr(r.decOp, "x", c.result(0))
		if results[0] != nil {
			return &Breach{
				Detail: "it says of what Value returned: " + line(text(results[0])), Doubt: c.unchecked(),
				Assert: block(enter, "return "+scan+" == nil"),
			}
		}
		again, ok := r.value(c, x)
		if !ok || reflect.DeepEqual(again, value) || !r.steady(c, value) {
			return nil
		}
		return &Breach{
			Detail: "what Value returned is read as another value: " + line(text(again)), Doubt: c.unchecked(),
			Assert: block(enter, "if "+scan+" != nil {", "return false", "}", "again, err := "+expr(r.encOp, r.decodedText()), "return err == nil && "+c.std("reflect")+"DeepEqual(again, "+c.result(0)+")"),
		}
	}
	return law
}

// steady reports whether the call's receiver is written as value again.
func (r *roundTrip) steady(c *Call, value any) bool {
	results := c.ask(r.encode, c.Args[0])
	return results != nil && results[1] == nil && reflect.DeepEqual(results[0], value)
}

// scanCopies is that what was read does not change with the memory of the driver.
func (r *roundTrip) scanCopies(law Law) Law {
	law.Name, law.Tier, law.Doc = "scan-copies", engine.Error, r.copies
	law.Check = func(c *Call, _ any) *Breach {
		var data []byte
		switch value := c.Results[0].(type) {
		case string:
			data = []byte(value)
		case []byte:
			data = bytes.Clone(value)
		}
		x, ok := one(c, r.zero)
		if c.failed() || !ok || len(data) == 0 {
			return nil
		}
		results := c.ask(r.decode, x, data)
		if results == nil || results[0] != nil {
			return nil
		}
		before, ok := r.value(c, x)
		shown, fine := sprint(before)
		if !ok || !fine {
			return nil
		}
		clear(data)
		after, ok := r.value(c, x)
		if again, fine := sprint(after); ok && (!fine || again == shown) {
			return nil
		}
		look := expr(r.encOp, r.decodedText())
		return &Breach{
			Detail: "what was read changes when the driver's memory is overwritten",
			Assert: block("x, data := "+expr(r.zeroOp)+", []byte("+c.show(c.result(0))+")", "if "+expr(r.decOp, "x", "data")+" != nil {", "return true", "}",
				"before, _ := "+look, "shown := "+c.show("before"), "clear(data)", "after, _ := "+look, "return "+c.show("after")+" == shown"),
		}
	}
	return law
}

// flagLaws lists what holds of the values of flags.
func flagLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Set", func(id seq.OpID, op *seq.Operation) {
		str, strOp := a.method(op.Params[0], "String", func(s *seq.Operation) bool { return len(s.Params) == 1 && a.returns(s, seq.String) })
		name := a.t.Types[op.Params[0]].Name
		isFlag := len(op.Params) == 2 && len(op.Results) == 1 && op.ReturnsError && a.t.Types[op.Params[1]].Name == "string"
		if isFlag && strOp != nil && strings.HasPrefix(name, "*") && !a.t.Types[op.Params[0]].Hidden {
			all = append(all, printsZero(Law{On: id, Op: str, Doc: docFlagZero}, strings.TrimPrefix(name, "*"), op, strOp))
		}
	})
	return all
}

// printsZero is that String returns for a zero value of the type.
func printsZero(law Law, name string, op, strOp *seq.Operation) Law {
	law.Name, law.Tier = "flag-zero", engine.Suspect
	if says(op, "flag") || says(strOp, "flag") {
		law.Tier = engine.Error
	}
	law.Check = func(c *Call, _ any) *Breach {
		if isNil(c.Args[0]) {
			return nil
		}
		_, panicked := c.Call(law.Op, reflect.New(reflect.TypeOf(c.Args[0]).Elem()).Interface())
		if panicked == nil || panicked == ErrRefused {
			return nil
		}
		return &Breach{
			Detail: "String of a zero value panics: " + line(text(panicked)),
			Assert: block("_ = "+expr(strOp, "new("+name+")"), "return true"),
		}
	}
	return law
}
