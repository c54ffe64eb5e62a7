//go:build !nofarm

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func deployFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// accepts fails the test unless foray knows the command and its flags.
func accepts(t *testing.T, place string, args []string) {
	t.Helper()
	list := commands()
	for i, arg := range args {
		for _, c := range list {
			if c.name != arg {
				continue
			}
			if c.sub != nil {
				list = c.sub
				break
			}
			p := &process{stdout: io.Discard, stderr: io.Discard, temps: &temps{}, stop: func() {}}
			if _, err := p.parse(&c, args[i+1:]); err != nil {
				t.Errorf("%s: foray %s: %v", place, strings.Join(args, " "), err)
			}
			return
		}
	}
	t.Errorf("%s: no command foray %s", place, strings.Join(args, " "))
}

func TestDeployKubernetes(t *testing.T) {
	type object map[string]any
	dec := yaml.NewDecoder(strings.NewReader(deployFile(t, "kubernetes.yaml")))
	labels := map[string]bool{} // of pods
	selected := 0
	for {
		var o struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   object
			Spec       struct {
				Selector    map[string]any
				ServiceName string `yaml:"serviceName"`
				Replicas    int
				Ports       []object
				Template    struct {
					Metadata struct{ Labels map[string]string }
					Spec     struct {
						Containers []struct {
							Name, Image  string
							Args         []string
							VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
						}
						Volumes []struct{ Name string }
					}
				}
			}
		}
		err := dec.Decode(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if o.APIVersion == "" || o.Metadata["name"] == "" {
			t.Errorf("%s without version or name", o.Kind)
		}
		if o.Kind == "Service" {
			if app, _ := o.Spec.Selector["app"].(string); !labels[app] {
				t.Errorf("the service selects %q, which no pod has", app)
			}
			selected++
			continue
		}
		app := o.Spec.Template.Metadata.Labels["app"]
		labels[app] = true
		if match, _ := o.Spec.Selector["matchLabels"].(map[string]any); match["app"] != app || app == "" {
			t.Errorf("%s selects %v, its pods have %q", o.Kind, match, app)
		}
		volumes := map[string]bool{}
		for _, v := range o.Spec.Template.Spec.Volumes {
			volumes[v.Name] = true
		}
		for _, c := range o.Spec.Template.Spec.Containers {
			accepts(t, o.Kind, c.Args)
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s mounts %s, which is no volume", c.Name, m.Name)
				}
			}
		}
	}
	if len(labels) != 2 || selected != 1 {
		t.Errorf("%d workloads, %d services", len(labels), selected)
	}
}

func TestDeploySystemd(t *testing.T) {
	unit := deployFile(t, "foray-farm.service")
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatal("no ExecStart")
	}
	// The farm file of the unit is not here, and only parsed when the command runs.
	accepts(t, "systemd", strings.Fields(start[2]))
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "foray-farm.service")
	if err := os.WriteFile(file, []byte(strings.Replace(unit, start[1], self, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("foray-farm.service")) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

func TestDeployWorkflow(t *testing.T) {
	var w struct {
		Name string
		On   struct {
			Schedule []struct{ Cron string }
		}
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  []struct {
				Uses, Run, Name, If string
				With                map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(deployFile(t, "github-workflow.yml")), &w); err != nil {
		t.Fatal(err)
	}
	if len(w.On.Schedule) != 1 || len(w.Jobs) != 1 {
		t.Fatalf("got %+v", w)
	}
	restored, saved := "", ""
	for _, job := range w.Jobs {
		for _, step := range job.Steps {
			command, _, _ := strings.Cut(strings.TrimPrefix(step.Run, "foray "), " |")
			command, _, _ = strings.Cut(command, " >")
			if strings.HasPrefix(step.Run, "foray ") {
				accepts(t, step.Name, strings.Fields(command))
			}
			switch {
			case strings.HasPrefix(step.Uses, "actions/cache/restore"):
				restored = step.With["key"]
				if !strings.HasPrefix(restored, step.With["restore-keys"]) {
					t.Errorf("key %q does not begin with %q", restored, step.With["restore-keys"])
				}
			case strings.HasPrefix(step.Uses, "actions/cache/save"):
				saved = step.With["key"]
			}
		}
	}
	if saved != restored || !strings.Contains(saved, "github.run_id") {
		t.Errorf("the cache is restored as %q and saved as %q; want both with the run's id, else it is saved once only", restored, saved)
	}
}

func TestDeployPolicy(t *testing.T) {
	var policy struct {
		Statement []struct {
			Effect   string
			Action   any
			Resource any
		}
	}
	if err := json.Unmarshal([]byte(deployFile(t, "bucket-policy.json")), &policy); err != nil {
		t.Fatal(err)
	}
	text := deployFile(t, "bucket-policy.json")
	if len(policy.Statement) != 2 || strings.Contains(text, "Delete") || strings.Contains(text, "night/manifest") || !strings.Contains(text, "s3:if-none-match") {
		t.Errorf("workers may do more than add: %s", text)
	}
}

func TestDeployContainer(t *testing.T) {
	file := deployFile(t, "Containerfile")
	mod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	if n := strings.Count(file, "golang:"+language); n != 2 {
		t.Errorf("%d stages from golang:%s, the version of go.mod; want 2", n, language)
	}
	for _, line := range regexp.MustCompile(`(?m)^COPY ([a-z].*) \S+$`).FindAllStringSubmatch(file, -1) {
		for _, name := range strings.Fields(line[1]) {
			if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
				t.Errorf("COPY %s: %v", name, err)
			}
		}
	}
}
