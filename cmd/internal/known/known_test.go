package known

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

func TestJudgementWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(File))
	write := func(signature, verdict, reason, want string) {
		t.Helper()
		j := Judgement{signature, verdict, reason}
		if err := j.Check(); err != nil {
			t.Fatal(err)
		}
		if err := j.Write(file); err != nil {
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
	k, bad := Read(dir)
	if len(bad) > 0 || len(k.Lines) != 1 || k.Lines["panic:explicit:no #1:H"] != 3 || k.Real["hang:busy:G"] != 2 || !k.False["H"] || k.False["F"] {
		t.Errorf("read %+v, %v", k, bad)
	}
}

// A list is replaced in one step: one that cannot be written stays as it was. It may have the byte
// order mark and the ends of lines of an editor on Windows.
func TestJudgementReplaces(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, filepath.FromSlash(File)), filepath.Join(dir, "other")
	const before = "\ufeffpanic:index:F  # false: so\r\npanic:index:G  # false: so\r\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(before), 0o640), os.Link(file, other)); err != nil {
		t.Fatal(err)
	}
	if k, bad := Read(dir); len(bad) > 0 || len(k.Lines) != 2 {
		t.Errorf("read %+v, %v; want two lines", k, bad)
	}
	if err := (&Judgement{"panic:index:F", "real", "it is"}).Write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(other); string(got) != before {
		t.Errorf("%v: the list was written in place: a link to it has %q", err, got)
	}
	if got, err := os.ReadFile(file); string(got) != "panic:index:F  # real: it is\npanic:index:G  # false: so\n" {
		t.Errorf("%v: got %q", err, got)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v: mode %v, want that of before", err, info.Mode())
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
		t.Errorf("%v: %v are left, want the list", err, list)
	}
}

// Judgements that are written at once are all in the list. One is refused while a process is stuck,
// with the file that it has left.
func TestJudgementsAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), filepath.FromSlash(File))
	const writers, each = 4, 16
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				if err := (&Judgement{fmt.Sprintf("panic:index:F%dx%d", w, n), False, "so"}).Write(file); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(file)
	if n := strings.Count(string(data), "\n"); err != nil || n != writers*each {
		t.Errorf("%v: %d lines, want %d", err, n, writers*each)
	}
	if err := os.WriteFile(file+".new", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		err := (&Judgement{"panic:index:G", False, "so"}).Write(file)
		if busy := (*BusyError)(nil); !errors.As(err, &busy) || busy.File != file+".new" {
			t.Errorf("%v, want that another process writes", err)
		}
	})
	if after, err := os.ReadFile(file); err != nil || string(after) != string(data) {
		t.Errorf("%v: the list was changed", err)
	}
}

func TestJudgementCheck(t *testing.T) {
	for _, j := range []Judgement{{"F", "false", "r"}, {"panic:index:F", "maybe", "r"}, {"panic:index:F", "real", ""}, {"panic:index:F", "real", "two\nlines"}} {
		if j.Check() == nil {
			t.Errorf("%+v is taken", j)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ line, signature, err string }{
		{"panic:index:(*Queue).Get # issue 41", "panic:index:(*Queue).Get", ""},
		{"contract:put-get:(*Table[...]).Put\t  #see #41 and # 42", "contract:put-get:(*Table[...]).Put", ""},
		{`"panic:explicit:want # of rows:Rows" # ours`, "panic:explicit:want # of rows:Rows", ""},
		{"panic:explicit:bad kind:Parse  # documented soon", "panic:explicit:bad kind:Parse", ""},
		{"panic:index:Get", "", "no reason: want it behind the signature and #"},
		{"panic:index:Get #  ", "", "no reason: want it behind the signature and #"},
		{"Get # a reason", "", `"Get" is not a signature: want one such as panic:index:(*Queue).Get`},
		{"crash:Get # a reason", "", `"crash:Get" is not a signature: want one such as panic:index:(*Queue).Get`},
		{`"panic:index:Get`, "", `"\"panic:index:Get" is not a signature: want one such as panic:index:(*Queue).Get`},
	} {
		got, _, err := parse(tt.line)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.signature || text != tt.err {
			t.Errorf("parse(%q) = %q, %q; want %q, %q", tt.line, got, text, tt.signature, tt.err)
		}
	}
}
