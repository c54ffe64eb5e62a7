package usage

import (
	"fmt"
	"go/constant"
	"go/types"
	"strconv"
	"strings"
)

// fold returns the result of a function of the standard library that makes text of
// constants.
func fold(name string, args []value) (value, bool) {
	plain := make([]any, len(args))
	for i, a := range args {
		if a.kind != constval {
			return value{}, false
		}
		switch a.con.Kind() {
		case constant.String:
			plain[i] = constant.StringVal(a.con)
		case constant.Bool:
			plain[i] = constant.BoolVal(a.con)
		case constant.Int:
			n, exact := constant.Int64Val(a.con)
			if !exact {
				return value{}, false
			}
			plain[i] = int(n)
		case constant.Float:
			f, _ := constant.Float64Val(a.con)
			plain[i] = f
		default: // a complex number
			return value{}, false
		}
	}
	s, ok := foldText(name, plain)
	return constOf(constant.MakeString(s), types.Typ[types.String]), ok && len(s) <= maxText
}

func foldText(name string, args []any) (string, bool) {
	var text string
	var number int
	for i, a := range args {
		switch a := a.(type) {
		case string:
			if i == 0 {
				text = a
			}
		case int:
			number = a
		}
	}
	switch name {
	case "fmt.Sprintf":
		return fmt.Sprintf(text, args[min(1, len(args)):]...), len(args) > 0
	case "fmt.Sprint":
		return fmt.Sprint(args...), true
	case "strconv.Itoa":
		return strconv.Itoa(number), len(args) == 1
	case "strconv.Quote":
		return strconv.Quote(text), len(args) == 1
	case "strings.Repeat":
		if number < 0 || number*len(text) > maxText {
			return "", false
		}
		return strings.Repeat(text, number), len(args) == 2
	case "strings.ToUpper":
		return strings.ToUpper(text), true
	case "strings.ToLower":
		return strings.ToLower(text), true
	case "strings.TrimSpace":
		return strings.TrimSpace(text), true
	}
	return "", false
}
