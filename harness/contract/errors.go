package contract

import (
	"errors"
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docTypedNil = `Go FAQ, Why is my nil error value not equal to nil: "An interface value is nil only if the V and T are both unset"`
	docUnwrap   = `package errors: "The tree consists of err itself, followed by the errors obtained by repeatedly calling its Unwrap() error or Unwrap() []error method": what repeats has an end`
	docIs       = `package errors, Is and As: they report whether "any error in err's tree matches target", and call the Is and As methods of errors for targets of any type`
)

// errorLaws lists what holds of errors that calls return.
func errorLaws(a *api) []Law {
	var all []Law
	for i := range a.t.Ops {
		if op := &a.t.Ops[i]; op.ReturnsError && callable(op) {
			law := Law{On: seq.OpID(i), Op: seq.OpID(i), Tier: engine.Error}
			all = append(all, typedNil(law), unwraps(law), matches(law))
		}
	}
	return all
}

// typedNil is that an error is nil if there is nothing in it: the call's other results
// stand, yet whoever compares with nil takes it for failed.
func typedNil(law Law) Law {
	law.Name, law.Doc = "typed-nil", docTypedNil
	law.Check = func(c *Call, _ any) *Breach {
		err := c.Results[len(c.Results)-1]
		if err == nil || reflect.ValueOf(err).Kind() != reflect.Pointer || !isNil(err) || c.isGiven(err) {
			return nil
		}
		text := c.result(len(c.Results) - 1)
		return &Breach{
			Detail: "it returns a nil " + reflect.TypeOf(err).String() + " as an error that is not nil",
			Assert: text + " == nil || !" + c.std("reflect") + "ValueOf(" + text + ").IsNil()",
		}
	}
	return law
}

// isGiven reports whether v is, or is the same as, an argument of the call.
func (c *Call) isGiven(v any) bool {
	for _, a := range c.Args {
		if a != nil && identical(a, v) {
			return true
		}
	}
	return false
}

// unwraps is that what an error wraps comes to an end: errors.Is would not.
func unwraps(law Law) Law {
	law.Name, law.Doc = "error-unwraps", docUnwrap
	law.Check = func(c *Call, _ any) *Breach {
		err, ok := c.Results[len(c.Results)-1].(error)
		if !ok || isNil(err) || ends(err) {
			return nil
		}
		return &Breach{
			Detail: "what the error wraps has no end",
			Assert: block("err := "+c.result(len(c.Results)-1), "for i := 0; i < 100; i++ {", "if err = "+c.std("errors")+"Unwrap(err); err == nil {", "return true", "}", "}", "return false"),
		}
	}
	return law
}

// matches is that the Is and As methods of an error answer for targets that have
// nothing to do with it, and say no.
func matches(law Law) Law {
	law.Name, law.Doc = "error-is", docIs
	law.Check = func(c *Call, _ any) *Breach {
		err, ok := c.Results[len(c.Results)-1].(error)
		if !ok || isNil(err) || !ends(err) {
			return nil
		}
		text, pkg := c.result(len(c.Results)-1), c.std("errors")
		if said := answer(func() bool { return errors.Is(err, errors.New("foray")) }); said != "" {
			return &Breach{Detail: "errors.Is of it and an error of another type " + said, Assert: "!" + pkg + `Is(` + text + `, ` + pkg + `New("foray"))`}
		}
		var target interface{ Foray() }
		if said := answer(func() bool { return errors.As(err, &target) }); said != "" {
			return &Breach{
				Detail: "errors.As of it and a type that it has nothing to do with " + said,
				Assert: block("var target interface{ Foray() }", "return !"+pkg+"As("+text+", &target)"),
			}
		}
		return nil
	}
	return law
}

// answer returns what is wrong with the answer of f, which should be no: "says true",
// or that it panics.
func answer(f func() bool) (wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = "panics: " + line(text(p))
		}
	}()
	if f() {
		return "says true"
	}
	return ""
}

// maxChain is more than any error wraps that comes to an end.
const maxChain = 100

// ends reports whether what err wraps comes to an end. Unwrap is code under test.
func ends(err error) (end bool) {
	defer func() { end = recover() != nil || end }()
	for range maxChain {
		if err = errors.Unwrap(err); err == nil {
			return true
		}
	}
	return false
}
