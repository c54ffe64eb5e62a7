package farmfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	f, err := Parse("f.yaml", []byte(`
packages: [./..., container/list]
build: [-race]
only: ['queue']
skip: ['\.FuzzSlow$']
retention: 240h
job: 90s
for: 8h
workers: 3
store: s3://corpus/foray
http: localhost:8700
webhook: https://example.com/hook
queue: {url: "nats://a:4222", credentials: c.creds, ca: ca.pem, replicas: 3}
`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Packages, []string{"./...", "container/list"}) || f.Build[0] != "-race" || !f.Skip[0].MatchString("m.FuzzSlow") || !f.Only[0].MatchString("m/queue") || time.Duration(f.Retention) != 240*time.Hour ||
		time.Duration(f.Job) != 90*time.Second || time.Duration(f.For) != 8*time.Hour || f.Workers != 3 || f.Store != "s3://corpus/foray" ||
		f.HTTP != "localhost:8700" || f.Webhook != "https://example.com/hook" || f.Queue != (Connection{"nats://a:4222", "c.creds", "ca.pem", 3}) {
		t.Errorf("got %+v", f)
	}
}

// The template is a farm file as it stands, and also with all that is commented out.
func TestTemplate(t *testing.T) {
	f, err := Parse("t", []byte(Template))
	if err != nil || len(f.Packages) != 1 || time.Duration(f.Job) != 2*time.Minute {
		t.Fatalf("%+v, %v", f, err)
	}
	var all strings.Builder
	fields, seen := 0, map[string]bool{}
	for line := range strings.Lines(Template) {
		field, ok := strings.CutPrefix(line, "# ")
		if name, _, found := strings.Cut(strings.TrimSpace(field), ":"); ok && found && strings.ToLower(name) == name && !strings.Contains(name, " ") {
			if seen[name] {
				continue
			}
			seen[name] = true
			line = field
			fields++
		}
		all.WriteString(line)
	}
	if f, err = Parse("t", []byte(all.String())); err != nil || fields < 11 || f.Queue.Replicas != 3 {
		t.Errorf("%d fields, %v in\n%s", fields, err, all.String())
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ file, place, msg string }{
		{"job: soon", "1:6", `"soon", want a time such as 90s`},
		{"packages: [a]\njob: 1ms", "2:6", "at least 1s"},
		{"job: [1m]", "1:6", "want a time"},
		{"\nworkers: many", "2:10", "want a number"},
		{"workers: 99999999", "1:10", "want a number from 0 to 10000"},
		{"workers: -1", "1:10", "want a number from 0 to 10000"},
		{"skip:\n  - ok\n  - '('", "3:5", "missing closing )"},
		{"webhook: ftp://x", "1:10", "want an address"},
		{"jobs: 2m", "1:1", `unknown field "jobs"`},
		{"queue:\n  host: a", "2:3", `unknown field "host"`},
		{"packages: 7: 8", "1:", ""},
		{"packages: {a: b}", "1:", ""},
		{"job: 2m\njob: 3m", "2:1", "already defined"},
		{"a: [", "1:", ""},
		{"- a", "1:", ""},
	} {
		_, err := Parse("f.yaml", []byte(tt.file))
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml:"+tt.place) || !strings.Contains(err.Error(), tt.msg) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want f.yaml:%s … %s", tt.file, err, tt.place, tt.msg)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{large, filepath.Join(dir, "none")} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Template))
	f.Add([]byte("job: &a 2m\nfor: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Parse("f", data); err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("error without a place: %v", err)
		}
	})
}
