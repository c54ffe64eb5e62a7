package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/harness/build"
)

// A command is interrupted if it leaves packages out, not if it was done when its reader went.
func TestEachInterrupted(t *testing.T) {
	for targets, want := range map[int]string{1: "", 2: "foray: interrupted\n"} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr strings.Builder
		c := &common{out: event.NewPrinter(io.Discard, &stderr, event.Options{})}
		code, err := c.each(ctx, make([]*build.Target, targets), nil, func(*build.Target) error {
			cancel()
			return nil
		})
		if err != nil || (code == exitClean) != (want == "") || stderr.String() != want {
			t.Errorf("%d packages: exit %d, %v, %q, want %q", targets, code, err, stderr.String(), want)
		}
	}
}
