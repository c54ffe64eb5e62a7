package seq

import (
	"reflect"
	"testing"
)

// fill sets all that v consists of to something else than zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("a\xff")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.Set(reflect.ValueOf(7).Convert(v.Type()))
	}
}

// All facts of a table survive its encoding, and one without any does.
func TestEncodeTable(t *testing.T) {
	full := new(Table)
	fill(reflect.ValueOf(full).Elem())
	for _, want := range []*Table{{}, full, newFixture().Table} {
		data, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeTable(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := DecodeTable([]byte("{}")); err == nil {
		t.Error("text is no table")
	}
}
