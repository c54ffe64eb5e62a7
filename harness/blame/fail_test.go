package blame

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

func TestFail(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{{Short: "FuzzX"}}}
	for _, tt := range []struct{ name, output, message, signature string }{
		{
			"one message",
			"    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: got 1, want 2\n",
			"x_test.go:9: got 1, want 2", "fail:FuzzX at x_test.go:9",
		},
		{
			"the last of several places",
			"--- FAIL: FuzzX (0.00s)\n    x_test.go:9: one\n    x_test.go:12: two\n        of two lines: 7\n",
			"x_test.go:9: one\nx_test.go:12: two\n    of two lines: 7", "fail:FuzzX at x_test.go:12",
		},
		{"no message", "--- FAIL: FuzzX (0.00s)\n", "FuzzX fails without a message", "fail:FuzzX"},
		{"nothing", "", "FuzzX fails without a message", "fail:FuzzX"},
		{
			"a subtest",
			"--- FAIL: FuzzX (0.00s)\n    --- FAIL: FuzzX/sub (0.00s)\n        y_test.go:3: no\n",
			"y_test.go:3: no", "fail:FuzzX at y_test.go:3",
		},
		{"text without a place", "    hello: there\n", "hello: there", "fail:FuzzX"},
	} {
		v := Fail(table, 0, tt.output)
		if v.Tier != engine.Error || v.Kind != engine.KindFail || v.Message != tt.message || v.Signature.String() != tt.signature {
			t.Errorf("%s: got %+v, want message %q and signature %q", tt.name, v, tt.message, tt.signature)
		}
	}
	long := Fail(table, 0, "    x_test.go:1: "+strings.Repeat("é", maxOutput))
	if n := len(long.Message); n > maxOutput+len(" …") {
		t.Errorf("message of %d bytes, want at most %d", n, maxOutput)
	}
}
