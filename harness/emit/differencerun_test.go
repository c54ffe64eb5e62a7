package emit

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/harness/emit/testdata/varied"
	"foray.test/harness/observe"
)

// variedFuncs are the functions of package varied that a test tells apart.
var variedFuncs = []struct {
	name, result string
	f            any
}{
	{"Grade", "varied.Level", varied.Grade}, {"Grades", "[]varied.Level", varied.Grades}, {"ByGrade", "map[varied.Level]int", varied.ByGrade},
	{"Pause", "time.Duration", varied.Pause}, {"Rows", "[][]int", varied.Rows}, {"Long", "[]byte", varied.Long}, {"Words", "map[string]int", varied.Words},
	{"Half", "any", varied.Half}, {"Unclear", "complex128", varied.Unclear}, {"Nought", "float64", varied.Nought}, {"Found", "*varied.Point", varied.Found},
	{"Lost", "*varied.Point", varied.Lost}, {"Told", "varied.Report", varied.Told}, {"Retold", "varied.Report", varied.Retold}, {"Fault", "any", varied.Fault},
	{"Code", "varied.Failure", varied.Code}, {"Cause", "error", varied.Cause}, {"Inside", "varied.Outer", varied.Inside}, {"Mail", "string", varied.Mail},
	{"Many", "map[int]int", varied.Many}, {"Points", "any", varied.Points},
	{"Handler", "func() int", varied.Handler}, {"NoHandler", "func() int", varied.NoHandler}, {"Keyed", "map[any]int", varied.Keyed}, {"KeyedByPoint", "map[varied.Point]int", varied.KeyedByPoint},
	{"KeyedByFloat", "map[float64]int", varied.KeyedByFloat}, {"Nested", "map[string][]int", varied.Nested},
}

// variedNone are those for which Go has no short way to assert the result.
const variedNone = " ByGrade Many Points Keyed KeyedByPoint KeyedByFloat "

func variedAPI() *api {
	a := newAPI("example.com/varied", "varied", seq.Import{Name: "time", Path: "time"})
	a.typ(seq.Type{Name: "any", Interface: true})
	a.typ(seq.Type{Name: "error", Interface: true, Form: seq.Form{Std: seq.StdNamed("error")}})
	a.typ(seq.Type{Name: "varied.Level", Literal: seq.Int, Bits: 64})
	a.typ(seq.Type{Name: "varied.Failure", Literal: seq.Int, Bits: 64})
	a.typ(seq.Type{Name: "complex128", Literal: seq.Complex, Bits: 128, Basic: true})
	for _, f := range variedFuncs {
		call, params := "varied."+f.name+"()", ""
		if f.name == "Mail" {
			call, params = "varied.Mail($0)", "string "
		}
		a.op(seq.Func, call, f.name, params+"-> "+f.result)
	}
	return a
}

// variedRun returns what one version of a function varied.
func variedRun(f any, next bool) difference.Run {
	defer func() { varied.Next = false }()
	varied.Next = next
	v := reflect.ValueOf(f)
	var in []reflect.Value
	if v.Type().NumIn() == 1 {
		in = append(in, reflect.ValueOf("a@example.com"))
	}
	out := v.Call(in)[0].Interface()
	return difference.Run{Steps: []difference.Step{{Results: []difference.Value{observe.New("example.com/varied").Of(out)}}}}
}

// The tests of differences pass on the old version and fail on the new one.
func TestDifferencesPassAndFail(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	a := variedAPI()
	source, err := os.ReadFile(filepath.Join("testdata", "varied", "varied.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module example.com/varied\n\ngo 1.23\n"}
	written := 0
	for i, f := range variedFuncs {
		call := "v0 := varied." + f.name + "()"
		if f.name == "Mail" {
			call = `v0 := varied.Mail("a@example.com")`
		}
		s := a.parse(t, call)
		before, after := variedRun(f.f, false), variedRun(f.f, true)
		d, differ := difference.First(a.Table, s, before, after, func(seq.OpID) bool { return false })
		if !differ {
			t.Fatalf("%s: no difference", f.name)
		}
		src, err := Difference(a.Table, s, d, s[0].Op, before, after, Versions{"v1", "v2"}, Options{Name: "Test" + f.name})
		if none := strings.Contains(variedNone, " "+f.name+" "); none != (err != nil) {
			t.Errorf("%s: error %v, want one %v:\n%s", f.name, err, none, src)
		}
		if err == nil {
			files[fmt.Sprintf("d%d_test.go", i)] = string(src)
			written++
		}
	}
	files["varied.go"] = strings.NewReplacer("Next = false", `Next = os.Getenv("`+formEnv+`") == "next"`, `"math"`, "\"math\"\n\t\"os\"").Replace(string(source))
	outputs := goTest(t, files, "before", "next")
	for i, line := range []string{"--- PASS: ", "--- FAIL: "} {
		if out := outputs[i]; strings.Count(out, line) != written {
			t.Errorf("form %d: %d tests with %q, want %d:\n%s", i, strings.Count(out, line), line, written, out)
		}
	}
}
