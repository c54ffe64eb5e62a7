package contract

import (
	"errors"
	"fmt"
)

var errorsPlantings = []Planting{
	{`v0 := planted.Hurt()`, "typed-nil"},
	{`v0 := planted.Ache()`, "error-unwraps"},
	{`v0 := planted.Fail("a")`, "error-is"},
	{`v0 := planted.Miss("a")`, "error-is"},
}

var errorsCases = []lawCase{
	{"error-is", "good", "NewPot", failing(matchAll{}), "NewPot(); Do(v0)", true},
	{"error-is", "matches all", "NewPot", failing(matchAll{all: true}), "NewPot(); Do(v0)", false},
	{"error-is", "panics for other types", "NewPot", failing(fmt.Errorf("in: %w", matchAll{panics: true})), "NewPot(); Do(v0)", false},
	{"error-is", "is as all", "NewPot", failing(asAll{errors.New("no")}), "NewPot(); Do(v0)", false},
	{"typed-nil", "good", "NewPot", ops("(*T).Do() error", func([]any) any { return many{nil} }), "NewPot(); Do(v0)", true},
	{"typed-nil", "an error", "NewPot", ops("(*T).Do() error", func([]any) any { return many{errors.New("no")} }), "NewPot(); Do(v0)", true},
	{"typed-nil", "a pointer that is nil", "NewPot", ops("(*T).Do() error", func([]any) any { return many{(*potError)(nil)} }), "NewPot(); Do(v0)", false},
	{"typed-nil", "what it was given", "", ops("Made() error", func([]any) any { return many{(*potError)(nil)} }, "Wrap(error) error", func(a []any) any { return many{a[0]} }), "Made(); Wrap(v0)", true},
	{"error-unwraps", "good", "NewPot", ops("(*T).Do() error", func([]any) any { return many{fmt.Errorf("no: %w", errors.New("not"))} }), "NewPot(); Do(v0)", true},
	{"error-unwraps", "a long list", "NewPot", ops("(*T).Do() error", func([]any) any { return many{deepError(1000)} }), "NewPot(); Do(v0)", true},
	{"error-unwraps", "itself", "NewPot", ops("(*T).Do() error", func([]any) any { return many{new(potError)} }), "NewPot(); Do(v0)", false},
}

// matchAll is an error that matches any target, or panics for those of other types.
type matchAll struct{ all, panics bool }

func (matchAll) Error() string { return "all" }

func (m matchAll) Is(target error) bool {
	if m.panics {
		return target.(matchAll) == m
	}
	return m.all
}

type asAll struct{ error }

func (asAll) As(any) bool { return true }

func failing(err error) map[string]func([]any) any {
	return ops("(*T).Do() error", func([]any) any { return many{err} })
}

// A potError wraps itself.
type potError struct{}

func (*potError) Error() string { return "pot" }

func (e *potError) Unwrap() error { return e }

// A deepError wraps as many errors.
type deepError int

func (e deepError) Error() string { return "deep" }

func (e deepError) Unwrap() error {
	if e == 0 {
		return nil
	}
	return e - 1
}
