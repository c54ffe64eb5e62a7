package contract

import (
	"reflect"
	"slices"

	"foray.test/engine"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docTypedNil = `Go FAQ, Why is my nil error value not equal to nil: "An interface value is nil only if the V and T are both unset"`
	docUnwrap   = `package errors: "The tree consists of err itself, followed by the errors obtained by repeatedly calling its Unwrap() error or Unwrap() []error method": what repeats has an end`
	docIs       = `package errors, Is and As: they report whether "any error in err's tree matches target", and call the Is and As methods of errors for targets of any type`
)

// errorLaws adds the laws of errors that calls return.
func errorLaws(a *api, add func(...Law)) {
	for _, o := range a.ops {
		if o.ReturnsError && callable(o.Operation) {
			add(typedNil(o), unwraps(o), matches(o))
		}
	}
}

// err returns the last result of the call.
func (c *Call) err() term[error] { return output[error](c, len(c.Results)-1) }

// typedNil is the law that an error is no nil pointer of a concrete type. Comparing
// it with nil makes the call look failed, although its other results are good.
func typedNil(o operation) Law {
	return o.law("typed-nil", engine.ClaimPromise, docTypedNil).checked(func(c *Call) *Breach {
		err := c.err()
		if err.value == nil || reflect.ValueOf(err.value).Kind() != reflect.Pointer || c.isGiven(err.value) {
			return nil
		}
		return check1(c, property.TypedNil, err).says("it returns a nil " + reflect.TypeOf(err.value).String() + " as an error that is not nil")
	})
}

// isGiven reports whether v is, or is the same as, an argument of the call.
func (c *Call) isGiven(v any) bool {
	return slices.ContainsFunc(c.Args, func(a any) bool { return a != nil && identical(a, v) })
}

// unwraps is the law that the chain of wrapped errors ends. Otherwise errors.Is does
// not return.
func unwraps(o operation) Law {
	return o.law("error-unwraps", engine.ClaimPromise, docUnwrap).checked(func(c *Call) *Breach {
		if err := c.err(); !blame.IsNil(err.value) {
			return check1(c, property.ErrorUnwraps, err).says("what the error wraps has no end")
		}
		return nil
	})
}

// matches is the law that the Is and As methods of an error return false for unrelated
// targets, without a panic.
func matches(o operation) Law {
	return o.law("error-is", engine.ClaimPromise, docIs).checked(func(c *Call) *Breach {
		err := c.err()
		if blame.IsNil(err.value) || fails(func() bool { return property.ErrorUnwraps(err.value) }) {
			return nil
		}
		for _, p := range []struct {
			holds func(error) bool
			of    string
		}{{property.ErrorIs, "errors.Is of it and an error of another type "}, {property.ErrorAs, "errors.As of it and a type that it has nothing to do with "}} {
			if said := answer(func() bool { return !p.holds(err.value) }); said != "" {
				return c.breach(p.holds, err.text).says(p.of + said)
			}
		}
		return nil
	})
}

// answer returns how f fails, which should return false: "says true", or the text of
// its panic.
func answer(f func() bool) (wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = "panics: " + blame.OneLine(blame.TextOf(p))
		}
	}()
	if f() {
		return "says true"
	}
	return ""
}
