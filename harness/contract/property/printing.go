package property

import (
	"fmt"
	"strings"
)

// FormatReturns: a Format method does not panic, unless a function of the caller's does.
func FormatReturns(x any) bool {
	printed := fmt.Sprintf("%v %+v %#v %s %q %d %x %8.3f", x, x, x, x, x, x, x, x)
	const panics = "(PANIC=Format method: "
	return !strings.Contains(strings.ReplaceAll(printed, panics+"foray)", ""), panics)
}
