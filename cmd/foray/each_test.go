package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// A command is interrupted if it leaves packages out, not if it was done when its reader went.
func TestEachInterrupted(t *testing.T) {
	for targets, want := range map[int]string{1: "", 2: "foray: interrupted\n"} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr strings.Builder
		c := &common{out: event.NewPrinter(io.Discard, &stderr, event.Options{})}
		code, err := c.each(ctx, slices.Repeat([]*build.Target{{}}, targets), nil, func(*build.Target) error {
			cancel()
			return nil
		})
		if err != nil || (code == exitClean) != (want == "") || stderr.String() != want {
			t.Errorf("%d packages: exit %d, %v, %q, want %q", targets, code, err, stderr.String(), want)
		}
	}
}

// A package that offers nothing to call is passed over, and is an error where no other is.
func TestEachPassesOver(t *testing.T) {
	nothing := &load.Error{Place: "p", Msg: nothingToCall, Hint: "look"}
	for _, tt := range []struct {
		errs   []error
		code   int
		stderr string
	}{
		{[]error{nil, nothing}, exitClean, "foray: p: no exported operation to call\n"},
		{[]error{nothing}, exitUsage, "foray: p: no exported operation to call\n  hint: look\n"},
		{[]error{nothing, nothing}, exitUsage, "foray: p: no exported operation to call\nforay: p: no exported operation to call\n"},
		{[]error{nothing, &load.Error{Place: "q", Msg: "broken"}}, exitUsage, "foray: p: no exported operation to call\nforay: q: broken\n"},
	} {
		var stderr strings.Builder
		c := &common{out: event.NewPrinter(io.Discard, &stderr, event.Options{})}
		i := -1
		code, err := c.each(t.Context(), slices.Repeat([]*build.Target{{}}, len(tt.errs)), nil, func(*build.Target) error { i++; return tt.errs[i] })
		if err != nil || code != tt.code || stderr.String() != tt.stderr {
			t.Errorf("%v: exit %d, %v, %q; want %d, %q", tt.errs, code, err, stderr.String(), tt.code, tt.stderr)
		}
	}
}
