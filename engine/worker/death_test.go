package worker

import "testing"

func TestMemberOf(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"github.com/robfig/cron/v3.(*Cron).Start", "(*Cron).Start"},
		{"github.com/samber/lo.Async2[...].func1", "Async2"},
		{"example.org/p.(*T[...]).M.func1.2", "(*T).M"},
		{"p.T.M", "T"},
		{"main.main", "main"},
	} {
		if got := memberOf(tt.in); got != tt.want {
			t.Errorf("memberOf(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestStarter(t *testing.T) {
	const dump = `panic: boom

goroutine 19 [running]:
example.org/p.work()
	/x/p.go:7 +0x1d
created by example.org/p.(*Pool[...]).Start in goroutine 7
	/x/p.go:5 +0x2b

goroutine 7 [select]:
created by main.main in goroutine 1
`
	if got, want := (Death{Stderr: dump}).Starter(), "(*Pool).Start"; got != want {
		t.Errorf("Starter = %q, want %q", got, want)
	}
	if got := (Death{Stderr: "exit status 3"}).Starter(); got != "" {
		t.Errorf("without a dump: Starter = %q, want none", got)
	}
}
