package catalog

import (
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"testing"
)

// minedOf returns the literals mined for the type of the package variable V, from the
// given declarations and those of a test file.
func minedOf(t *testing.T, declarations, test string) string {
	t.Helper()
	s := checkSource(t, "example.com/q", "package q\n"+declarations)
	file, err := parser.ParseFile(s.Fset, "q_test.go", "package q\n"+test, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.TestFiles = []*ast.File{file}
	f, err := newFinder(s.Input)
	if err != nil {
		t.Fatal(err)
	}
	typ := s.Types.Scope().Lookup("V").Type()
	return strings.Join(f.mine().of(typ, f.tableType(typ)), " ")
}

// TestMined lists the literals for the type of V, the most telling first.
func TestMined(t *testing.T) {
	for _, tt := range []struct{ name, source, test, want string }{
		{"in order", "var V string\nvar a, b = \"x\", \"y\"", "", `"x" "y"`},
		{"each once", "var V string\nvar a, b = \"x\", \"x\"", "", `"x"`},
		{"comparison first", "var V = \"plain\"\nconst c = \"const\"\nvar b = V == \"compared\"", "", `"compared" "const" "plain"`},
		{"case", "var V = \"plain\"\nfunc f() { switch V { case \"a\", \"b\": } }", "", `"a" "b" "plain"`},
		{"search", "import \"strings\"\nvar V = \"plain\"\nvar b = strings.Contains(V, \"found\")", "", `"found" "plain"`},
		{"sum is no comparison", "var V = \"plain\"\nvar b = V + \"sum\"", "", `"plain" "sum"`},
		{"message last", "import \"errors\"\nvar V string\nvar e = errors.New(\"text\")\nvar a = \"plain\"", "", `"plain" "text"`},
		{"panic last", "var V string\nfunc f() { panic(\"text\") }\nvar a = \"plain\"", "", `"plain" "text"`},
		{"format last", "var V, a = \"n is %d\", \"plain\"", "", `"plain" "n is %d"`},
		{"percent alone", "var V, a = \"%d\", \"plain\"", "", `"%d" "plain"`},
		{"prose last", "var V, a = \"one two three\", \"plain\"", "", `"plain" "one two three"`},
		{"compared prose first", "var V = \"plain\"\nvar b = V == \"one two three\"", "", `"one two three" "plain"`},
		{"best place counts", "var V = \"x\"\nvar a, b = \"y\", V == \"y\"", "", `"y" "x"`},
		{"of the test later", "var V = \"mine\"", "var a = \"test\"\nvar b = a == \"mine too\"", `"mine" "test" "mine too"`},
		{"message of the test last", "var V = \"mine\"", "func f() { t.Errorf(\"a\"); g(\"b\") }", `"mine" "b" "a"`},
		{"no import, no tag", "import \"strings\"\nvar V string\nvar _ = strings.ToUpper\ntype s struct{ A int `json:\"a\"` }", "", ""},
		{"long", "var V = \"" + strings.Repeat("x", 201) + "\"", "", ""},
		{"not so long", "var V = \"" + strings.Repeat("x", 200) + "\"", "", `"` + strings.Repeat("x", 200) + `"`},
		{"constant expression", "var V = 3 << 10 + 1", "", "3073"},
		{"negative", "var V = -7", "var a = -8\nvar b = 2 - 1", "-7 -8 2 1"},
		{"constants and literals in turn", "type T string\nvar V T\nconst (\nH T = \"h\"\nG T = \"g\"\nF T = \"f\"\nE T = \"e\"\nD T = \"d\"\nC T = \"c\"\nB T = \"b\"\nA T = \"a\"\n)", "", `"a" "b" "h" "c" "g" "d" "f" "e"`},
		{"boolean", "var V, a = true, 1", "", ""},
		{"imaginary", "var V int", "var a = 3i", ""},
		{"compared character in text", "var V string\nvar r rune\nvar b = r == ';'", "", `";"`},
		{"plain character in text", "var V string\nvar r = ';'", "", ""},
		{"compared number in text", "var V string\nvar r rune\nvar b = r == 59", "", ""},
		{"text in numbers", "var V, a = 3, \"x\"", "", "3"},
		{"out of range", "var V int8\nvar a, b, c, d, e = 127, 128, -128, -129, 1.5", "", "127 -128"},
		{"unsigned", "var V uint8\nvar a, b, c = 255, 256, -1", "", "255"},
		{"large unsigned", "var V uint64 = 1<<64 - 1", "", "18446744073709551615"},
		{"integral float", "var V int\nvar a = 2.0", "", "2"},
		{"float", "var V float64 = 1.5\nvar a = 2", "", "1.5 2"},
		{"small float", "var V float32 = 0.1", "var a = 1e300", "0.1"},
		{"named first", "type N int\nvar V N = 5\nvar a = 1", "", "5 1"},
		{"constants of a named type", "type N int\nconst (B N = iota + 3; A; c)\nvar V N", "", "4 3 5"},
		{"constants of another type", "type N int\ntype M int\nconst A M = 4\nvar V N = 5", "", "5 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := minedOf(t, tt.source, tt.test); got != tt.want {
				t.Errorf("mined %s, want %s", got, tt.want)
			}
		})
	}
}

// Constants of a named type of another package are mined, as its exported ones.
func TestMinedForeign(t *testing.T) {
	got := strings.Fields(minedOf(t, "import \"reflect\"\nvar V reflect.ChanDir", ""))
	if slices.Sort(got); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("mined %v, want the three directions", got)
	}
}

// A type without a name gets all literals up to a limit, a named one few of others.
func TestMinedLimits(t *testing.T) {
	var list strings.Builder
	for i := range 300 {
		fmt.Fprintf(&list, "%d.5, ", i)
	}
	numbers := "var a = []float64{" + list.String() + "}\n"
	for _, tt := range []struct {
		typ  string
		want int
	}{{"var V float64\n", maxMined}, {"type N float64\nvar V N\n", maxUntyped}} {
		if got := len(strings.Fields(minedOf(t, tt.typ+numbers, ""))); got != tt.want {
			t.Errorf("%s: %d literals, want %d", tt.typ, got, tt.want)
		}
	}
}

// A call's name tells whether its arguments are messages.
func TestCallRank(t *testing.T) {
	for text, want := range map[string]rank{
		`f("")`: plain, `panic("")`: message, `errorf("")`: message, `Errorf("")`: message, `(panic)("")`: message, `printf("")`: plain,
		`strings.Index(s, "")`: compared, `bytes.Cut(b, "")`: compared, `text.Index(s, "")`: plain,
		`errors.New("")`: message, `fmt.Printf("")`: message, `x.If("")`: plain, `log.Fatal("")`: message, `t.Log("")`: message,
		`t.Skip("")`: message, `t.Skipped("")`: plain, `t.Run("", f)`: message, `t.Running("", f)`: plain, `x.y.Error("")`: message, `f()("")`: plain,
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := callRank(e.(*ast.CallExpr)); got != want {
			t.Errorf("%s: rank %d, want %d", text, got, want)
		}
	}
}
