package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestJudgementWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(knownFile))
	write := func(signature, verdict, reason, want string) {
		t.Helper()
		j := judgement{signature, verdict, reason}
		if err := j.check(); err != nil {
			t.Fatal(err)
		}
		if err := j.write(file); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("after %s: error %v, got\n%swant\n%s", signature, err, got, want)
		}
	}
	write("panic:index:F", "false", "as for a slice", "panic:index:F  # false: as for a slice\n")
	write("hang:busy:G", "real", "issue 4", "panic:index:F  # false: as for a slice\nhang:busy:G  # real: issue 4\n")
	write("panic:index:F", "real", "it is one", "panic:index:F  # real: it is one\nhang:busy:G  # real: issue 4\n")
	write("panic:explicit:no #1:H", "false", "so", "panic:index:F  # real: it is one\nhang:busy:G  # real: issue 4\n\"panic:explicit:no #1:H\"  # false: so\n")
	k, bad := readKnown(dir)
	if len(bad) > 0 || len(k.lines) != 1 || k.lines["panic:explicit:no #1:H"] != 3 || k.real["hang:busy:G"] != 2 || !k.false["H"] || k.false["F"] {
		t.Errorf("read %+v, %v", k, bad)
	}
}

func TestJudgementCheck(t *testing.T) {
	for _, j := range []judgement{{"F", "false", "r"}, {"panic:index:F", "maybe", "r"}, {"panic:index:F", "real", ""}, {"panic:index:F", "real", "two\nlines"}} {
		if j.check() == nil {
			t.Errorf("%+v is taken", j)
		}
	}
}
