package foray_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The rules and contracts that documents name are those of the code.
func TestNamesInDocuments(t *testing.T) {
	blame, contracts := sources(t, "harness/blame", "engine", "harness/executor"), sources(t, "harness/contract")
	for _, name := range tableNames(t, "docs/rules.md", "| Rule |") {
		if !strings.Contains(blame, `"`+name+`"`) {
			t.Errorf("docs/rules.md: no rule is named %q", name)
		}
	}
	told := tableNames(t, "docs/contracts.md", "| Contract |", "| Law |")
	for _, name := range told {
		if !strings.Contains(contracts, `"`+name+`"`) {
			t.Errorf("docs/contracts.md: no contract is named %q", name)
		}
	}
	all := " " + strings.Join(told, " ") + " "
	for _, m := range regexp.MustCompile(`\.law\("([a-z-]+)"`).FindAllStringSubmatch(contracts, -1) {
		if !strings.Contains(all, " "+m[1]+" ") {
			t.Errorf("docs/contracts.md does not tell of the law %q", m[1])
		}
	}
}

// tableNames returns the names in the first columns of the tables of a document that have one of
// these headings. A name that begins with a dash has the first word of the one before it.
func tableNames(t *testing.T, file string, headings ...string) (names []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, heading := range headings {
		for _, table := range strings.Split(string(data), "\n"+heading)[1:] {
			table, _, _ = strings.Cut(table, "\n\n")
			for _, row := range strings.Split(table, "\n| ")[1:] {
				first, _, _ := strings.Cut(row, " |")
				word := ""
				for _, m := range quoted.FindAllStringSubmatch(first, -1) {
					name := m[1]
					if strings.HasPrefix(name, "-") {
						name = word + name
					}
					word, _, _ = strings.Cut(name, "-")
					names = append(names, name)
				}
			}
		}
	}
	if len(names) < 20 {
		t.Errorf("%s: %d names", file, len(names))
	}
	return names
}

// sources returns the source files of some directories, as one text.
func sources(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(data)
		}
	}
	return b.String()
}
