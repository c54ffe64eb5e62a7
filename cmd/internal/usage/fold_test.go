package usage

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

func TestFold(t *testing.T) {
	str := func(s string) value { return constOf(constant.MakeString(s), types.Typ[types.UntypedString]) }
	number := func(c constant.Value) value { return constOf(c, types.Typ[types.UntypedInt]) }
	imaginary := constant.BinaryOp(constant.MakeInt64(-1), token.ADD, constant.MakeImag(constant.MakeInt64(2)))
	for _, c := range []struct {
		name string
		args []value
		want string // empty: cannot be folded
	}{
		{"fmt.Sprintf", []value{str("%d %v %s"), number(constant.MakeInt64(3)), number(constant.MakeFloat64(0.5)), str("x")}, "3 0.5 x"},
		{"fmt.Sprint", []value{number(imaginary)}, ""},
		{"fmt.Sprint", []value{number(constant.ToComplex(constant.MakeInt64(-1)))}, ""},
		{"fmt.Sprint", []value{number(constant.Shift(constant.MakeInt64(1), token.SHL, 70))}, ""},
		{"strings.Repeat", []value{str("ab"), number(constant.MakeInt64(2))}, "abab"},
		{"os.Getenv", []value{str("HOME")}, ""},
	} {
		got, ok := fold(c.name, c.args)
		if ok != (c.want != "") || ok && constant.StringVal(got.con) != c.want {
			t.Errorf("%s(%v) = %v, %v, want %q", c.name, c.args, got.con, ok, c.want)
		}
	}
}
