package seq

import "testing"

func TestPackageNames(t *testing.T) {
	var n PackageNames
	for _, test := range []struct{ path, name, want string }{
		{"a/list", "list", "list"}, {"b/list", "list", "list2"}, {"a/list", "other", "list"}, // the first name stands
		{"c/v1", "v1", "v1pkg"}, {"d", "main", "mainpkg"}, {"e/type", "type", "typepkg"}, // variables, keywords
		{"f/copy", "copy", "copypkg"}, {"g/forays", "forays", "pkgforays"}, // predeclared, declarations of ours
		{"crypto/x509", "x509", "x509"}, {"h/r", "r", "rpkg"}, {"i/r", "r", "rpkg2"},
		{"j/list3", "list", "list4"}, {"k/errorpkg", "error", "errorpkg2"}, // an import without a name would have another one
	} {
		if got := n.Use(test.path, test.name); got != test.want {
			t.Errorf("%s is called %s, want %s", test.path, got, test.want)
		}
	}
	if path, ok := n.Path("list2"); path != "b/list" || !ok {
		t.Errorf("list2 is %q", path)
	}
	if _, ok := n.Known("x"); ok {
		t.Error("a package has a name before it is used")
	}
	list := n.Imports(func(name string) bool { return name != "list" })
	if len(list) != 11 || list[0] != (Import{"copypkg", "f/copy"}) {
		t.Errorf("imports are %v", list)
	}
}

func TestTemplateText(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Holes(0, 0, false), ""}, {Holes(1, 3, false), "$1, $2"}, {Holes(1, 3, true), "$1, $*"}, {Holes(0, 1, true), "$*"},
		{FuncHeader(nil, nil), "func()"},
		{FuncHeader([]string{"int", "int"}, []string{"bool"}), "func(a, b int) bool"},
		{FuncHeader([]string{"int", "...int"}, []string{"int", "error"}), "func(a int, b ...int) (int, error)"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
