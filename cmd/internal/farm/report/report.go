// Package report writes the state of a farm for people and for other programs: Markdown
// for the summary of a GitHub step, SARIF for code scanning, JUnit for test reports.
package report

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/text"
)

// A Place is a line of a source file, below the root of the module.
type Place struct {
	File string
	Line int
}

// Input has all that a report is made of.
type Input struct {
	View    *farm.View
	Reports map[string]*record.Report // by key of the finding; some may be missing
	Places  map[string]Place          // of the operation that fails, likewise
	Prefix  string                    // the directory of the module in its repository; empty, or with a slash at its end
	Version string                    // of foray
}

// open reports whether a finding is still to be fixed.
func open(f *ledger.Finding) bool { return f.State != ledger.StateFixed }

// fails reports whether a finding is one that a build should fail for.
func fails(f *ledger.Finding) bool { return f.Tier == "error" && f.Open() }

// panics reports whether a finding is a panic that no precondition excludes. It is told, and
// fails no build.
func panics(f *ledger.Finding) bool { return f.Tier == "panic" && f.Open() }

// Fails reports whether a farm has a finding that a build should fail for: of tier error,
// neither fixed nor silenced.
func Fails(v *farm.View) bool {
	return slices.ContainsFunc(v.Findings, func(f ledger.Finding) bool { return fails(&f) })
}

// NoneRuns reports whether no target can be run: then no finding says nothing.
func NoneRuns(v *farm.View) bool {
	return !slices.ContainsFunc(v.Targets, func(t farm.TargetView) bool { return t.Known == nil || t.Known.Problem == "" })
}

// maxResults is how many results GitHub takes of one SARIF file.
const maxResults = 25_000

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name    string      `json:"name"`
			Version string      `json:"version,omitempty"`
			Rules   []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID  string `json:"ruleId"`
	Level   string `json:"level"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// SARIF writes a SARIF 2.1.0 log with one result for each finding that is not fixed. Its
// fingerprint is the signature, so that an alert stays the same from night to night, and
// closes when the finding is gone.
func SARIF(w io.Writer, in Input) error {
	run := sarifRun{Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.Version, driver.Rules = "foray", in.Version, []sarifRule{}
	for i := range in.View.Findings {
		f := &in.View.Findings[i]
		if !open(f) || len(run.Results) == maxResults {
			continue
		}
		if rule := (sarifRule{f.Kind}); !slices.Contains(driver.Rules, rule) {
			driver.Rules = append(driver.Rules, rule)
		}
		run.Results = append(run.Results, sarifOf(&in, f))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifOf(in *Input, f *ledger.Finding) sarifResult {
	r := sarifResult{RuleID: f.Kind, Level: "warning", Fingerprints: map[string]string{"foraySignature/v1": f.Key}, Locations: make([]sarifLocation, 1)}
	r.Message.Text = fmt.Sprintf("%s: %s\n\n%s", f.Operation, f.Message, calls(in, f))
	if f.Tier == "error" {
		r.Level = "error"
	}
	if f.State == ledger.StateSilenced {
		r.Suppressions = []sarifSuppression{{"external", f.Reason}}
	}
	at := in.Places[f.Key]
	if at.File == "" {
		at = Place{"go.mod", 1} // GitHub drops results without a file
	}
	place := &r.Locations[0].Physical
	place.Artifact.URI, place.Region.StartLine = in.Prefix+at.File, max(at.Line, 1)
	return r
}

// calls returns the calls that show a finding, or the input.
func calls(in *Input, f *ledger.Finding) string {
	if r := in.Reports[f.Key]; r != nil {
		return cmp.Or(r.Sequence, string(r.Input))
	}
	return f.Signature
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Error   *junitProblem `xml:"error,omitempty"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Skipped *junitProblem `xml:"skipped,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes a JUnit report: a suite for each target with one test that says whether it
// ran, and one for each finding that is not fixed. Silenced ones and suspects are skipped.
// Targets that the farm does not fuzz any more have their findings only.
func JUnit(w io.Writer, in Input) error {
	var all junitSuites
	var suites []junitSuite
	known := map[string]bool{}
	for i := range in.View.Targets {
		t := &in.View.Targets[i]
		known[t.ID()] = true
		suites = append(suites, junitOf(&in, t))
	}
	for i := range in.View.Findings {
		if f := &in.View.Findings[i]; open(f) && !known[f.Target] {
			known[f.Target] = true
			s := junitSuite{Name: in.View.Name(f.Target), Time: "0"}
			s.add(&in, f.Target)
			suites = append(suites, s)
		}
	}
	for _, s := range suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(in *Input, t *farm.TargetView) junitSuite {
	ran := junitCase{Class: t.Name, Name: "fuzz", Time: "0"}
	s := junitSuite{Name: t.Name, Time: "0"}
	if k := t.Known; k != nil {
		s.Time = fmt.Sprintf("%.3f", k.Seconds)
		ran.Time = s.Time
		if k.Problem != "" {
			ran.Error = &junitProblem{Message: clean(k.Problem)}
			s.Errors++
		}
	} else {
		ran.Skipped = &junitProblem{Message: "it had no turn yet"}
	}
	s.Cases = append(s.Cases, ran)
	s.add(in, t.ID())
	return s
}

// add adds the findings of a target.
func (s *junitSuite) add(in *Input, target string) {
	for i := range in.View.Findings {
		f := &in.View.Findings[i]
		if f.Target != target || !open(f) {
			continue
		}
		c := junitCase{Class: s.Name, Name: clean(f.Signature), Time: "0"}
		p := &junitProblem{Message: clean(f.Message), Type: f.Kind, Text: clean(calls(in, f))}
		if fails(f) {
			c.Failure = p
			s.Failures++
		} else {
			c.Skipped = p
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests = len(s.Cases)
}

// clean drops characters that XML does not know.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Markdown writes a summary with a table of targets, and the findings with their tests.
func Markdown(w io.Writer, in Input) error {
	v := in.View
	var b strings.Builder
	fmt.Fprintf(&b, "## foray farm\n\n%d targets, %d jobs, %s.\n\n", len(v.Targets), v.Runs, counted(v))
	b.WriteString("| Target | Branch sides | Entries | Fuzzed | Open errors |\n| --- | ---: | ---: | ---: | ---: |\n")
	for i := range v.Targets {
		t := &v.Targets[i]
		switch k := t.Known; {
		case k == nil:
			fmt.Fprintf(&b, "| %s | no turn yet | | | |\n", cell(t.Name))
		case k.Problem != "":
			fmt.Fprintf(&b, "| %s | cannot run: %s | | | |\n", cell(t.Name), cell(k.Problem))
		default:
			fmt.Fprintf(&b, "| %s | %d of %d | %d | %v | %d |\n", cell(t.Name), k.SidesCovered, k.Sides, k.Entries, time.Duration(k.Seconds)*time.Second, t.Open)
		}
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; fails(f) || panics(f) {
			markdownOf(&b, &in, f)
		}
	}
	for _, p := range v.Problems {
		fmt.Fprintf(&b, "\n- %s: %s\n", cell(p.Place), cell(p.Msg))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted counts the findings by state.
func counted(v *farm.View) string {
	fail, fixed, panic, suspect := 0, 0, 0, 0
	for i := range v.Findings {
		switch f := &v.Findings[i]; {
		case fails(f):
			fail++
		case f.State == ledger.StateFixed:
			fixed++
		case panics(f):
			panic++
		case f.State != ledger.StateSilenced:
			suspect++
		}
	}
	return fmt.Sprintf("%d error, %d panic, %d suspect, %d fixed", fail, panic, suspect, fixed)
}

func markdownOf(b *strings.Builder, in *Input, f *ledger.Finding) {
	fmt.Fprintf(b, "\n### %s: %s\n\n%s\n\nsince %s, seen by %d jobs, signature %s\n", f.State, cell(f.Operation), cell(f.Message), f.First.Format(time.DateTime), f.Runs, text.Code(f.Signature))
	if f.Bisection != nil {
		fmt.Fprintf(b, "\n%s\n", cell(f.Bisection.String()))
	}
	if r := in.Reports[f.Key]; r != nil && r.Test+string(r.Input) != "" {
		test, summary := r.Test, "test"
		if test == "" {
			test, summary = string(r.Input), "input"
		}
		fence := text.Fence(test, "```")
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%sgo\n%s\n%s\n\n</details>\n", summary, fence, strings.TrimRight(test, "\n"), fence)
	}
}

// cellEscaper escapes all that Markdown may take for more than text.
var cellEscaper = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`",
	"\\", "\\\\", "[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#")

// cell returns a text as it stands in a cell of a table, or in a line.
func cell(s string) string { return cellEscaper.Replace(s) }
