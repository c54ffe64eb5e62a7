package godump

import "strings"

// EscapePath returns an import path as symbol names have it: the dots of its last
// element are escaped.
func EscapePath(path string) string {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i] + strings.ReplaceAll(path[i:], ".", "%2e")
}

// UnescapePath undoes EscapePath.
func UnescapePath(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// Split splits the name of a function into the import path of its package and the rest.
func Split(symbol string) (path, name string) {
	// A type argument, which has a path of its own, is printed as "...".
	slash := strings.LastIndexByte(symbol, '/') + 1
	pkg, name, _ := strings.Cut(symbol[slash:], ".")
	return symbol[:slash] + UnescapePath(pkg), name
}

// Member returns the name of a function without its package and type arguments. A
// closure has the name of the function around it, a call that was inlined into an
// outer function its own name:
// "example.org/p.(*T[...]).M.func1" → "(*T).M", "p.F.func2.G.func1" → "G".
func Member(symbol string) string {
	symbol = strings.ReplaceAll(symbol, "[...]", "")
	symbol = symbol[strings.LastIndexByte(symbol, '/')+1:]
	pkg, name, _ := strings.Cut(symbol, ".")
	if strings.HasSuffix(pkg, "_test") {
		if i := strings.IndexByte(name, '.'); i > 0 && name[0] != '(' {
			name = strings.TrimLeft(name[i+1:], ".")
		}
	}
	for i := strings.LastIndex(name, "func"); i >= 0; i = strings.LastIndex(name[:i], "func") {
		rest := strings.TrimLeft(name[i+len("func"):], digits)
		if (i == 0 || name[i-1] == '.') && len(rest) > 1 && rest[0] == '.' && !strings.Contains(digits, rest[1:2]) && !isGenerated(rest[1:]) {
			name = rest[1:]
			break
		}
	}
	name = strings.TrimSuffix(name, "-fm")
	for i := strings.LastIndexAny(name, ".-"); i >= 0 && isGenerated(name[i+1:]); i = strings.LastIndexAny(name, ".-") {
		name = name[:i]
	}
	return inlined(name)
}

const digits = "0123456789"

// inlined returns the inlined function of a name of the form outer.inner, as far as
// the name tells: "(*T).M.(*U).N" → "(*U).N", "(*T).M.F" → "F", "F.F" → "F".
// "F.G" may as well be a type and its method, and stays.
func inlined(name string) string {
	if i := strings.LastIndex(name, ".("); i > 0 {
		return name[i+1:]
	}
	parts := strings.Split(name, ".")
	if n := len(parts); name != "" && name[0] == '(' && n > 2 || n == 2 && parts[0] == parts[1] {
		return parts[n-1]
	}
	return name
}

// isGenerated reports whether the compiler gives closures and wrappers the name part:
// "func1", "range2", "gowrap1", "3".
func isGenerated(part string) bool {
	switch stem := strings.TrimRight(part, digits); stem {
	case "", "func", "range", "gowrap", "deferwrap":
		return stem != part
	}
	return false
}

// SameMember reports whether two members are one function, where a method and its
// wrapper for the other form of the receiver count as one: "(*T).M" and "T.M".
//
// A panic is compared with all operations of a package, so nothing is allocated here.
func SameMember(a, b string) bool {
	const receiver = "(*)"
	for {
		a, b = strings.TrimLeft(a, receiver), strings.TrimLeft(b, receiver)
		if a == "" || b == "" {
			return a == b
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}
