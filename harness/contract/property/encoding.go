package property

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// ValidText: text is UTF-8.
func ValidText(data []byte) bool { return utf8.Valid(data) }

// ValidJSON: JSON is JSON.
func ValidJSON(data []byte) bool { return json.Valid(data) }

// Decodes: an encoded value can be decoded into a value made for it. Here and below,
// valueOf is that value, or the one it points to.
func Decodes(decode func(...any) error, made, data any) bool {
	x := made
	return decode(x, data) == nil
}

// DecodesEqual: decoding an encoded value gives an equal value.
func DecodesEqual(decode func(...any) error, equal func(...any) bool, valueOf func(any) any, made, data, of any) bool {
	x := made
	if decode(x, data) != nil {
		return false
	}
	return equal(of, valueOf(x))
}

// DecodesAgain: encoding the decoded value gives the same bytes.
func DecodesAgain(decode func(...any) error, encode func(...any) ([]byte, error), valueOf func(any) any, made any, data []byte) bool {
	x := made
	if decode(x, data) != nil {
		return false
	}
	again, err := encode(valueOf(x))
	return err == nil && bytes.Equal(again, data)
}

// ScansAgain is DecodesAgain of values of databases.
func ScansAgain(scan func(...any) error, encode func(...any) (any, error), valueOf func(any) any, made, data any) bool {
	x := made
	if scan(x, data) != nil {
		return false
	}
	again, err := encode(valueOf(x))
	return err == nil && reflect.DeepEqual(again, data)
}

// DecodeCopies: the decoded value does not change with the decoder's input.
func DecodeCopies(decode func(...any) error, encode func(...any) ([]byte, error), valueOf func(any) any, made any, input []byte) bool {
	x, data := made, bytes.Clone(input)
	if decode(x, data) != nil {
		return true
	}
	first, _ := encode(valueOf(x))
	clear(data)
	after, _ := encode(valueOf(x))
	return bytes.Equal(first, after)
}

// ScanCopies is DecodeCopies of values of databases.
func ScanCopies(scan func(...any) error, encode func(...any) (any, error), valueOf func(any) any, made any, input []byte) bool {
	x, data := made, input
	if scan(x, data) != nil {
		return true
	}
	first, _ := encode(valueOf(x))
	shown := fmt.Sprint(first)
	clear(data)
	after, _ := encode(valueOf(x))
	return fmt.Sprint(after) == shown
}

// Reads: a written value can be read.
func Reads(write func(any) (any, error), read func(data, x any) error, of, made any) bool {
	data, err := write(of)
	x := made
	return err == nil && read(data, x) == nil
}

// ReadsEqual: reading a written value gives an equal value.
func ReadsEqual(write func(any) (any, error), read func(data, x any) error, equal func(...any) bool, valueOf func(any) any, value, made, of any) bool {
	data, err := write(value)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	return equal(of, valueOf(x))
}

// ReadsAgain: writing the read value gives the same data.
func ReadsAgain(write func(any) (any, error), read func(data, x any) error, valueOf func(any) any, of, made any) bool {
	data, err := write(of)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	again, err := write(valueOf(x))
	return err == nil && reflect.DeepEqual(again, data)
}

// ReadsAs: the read value has the encoding of the written one.
func ReadsAs(write func(any) (any, error), read func(data, x any) error, encode func(...any) ([]byte, error), value, made any, encoded []byte) bool {
	data, err := write(value)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	again, err := encode(x)
	return err == nil && bytes.Equal(again, encoded)
}

// Inverts: the inverse of a call, given its result, returns its argument.
func Inverts(undo func(...any) any, result, given any) bool {
	x := undo(result)
	return x == given
}

// InvertsBytes is Inverts of bytes.
func InvertsBytes(undo func(...any) []byte, result any, given []byte) bool {
	x := undo(result)
	return bytes.Equal(x, given)
}

// InvertsData is Inverts of lists, maps and structs.
func InvertsData(undo func(...any) any, result, given any) bool {
	x := undo(result)
	return reflect.DeepEqual(x, given)
}

// InvertsShown is Inverts of objects that print themselves.
func InvertsShown(undo func(...any) any, result, given any) bool {
	x := undo(result)
	return fmt.Sprint(x) == fmt.Sprint(given)
}

// InvertsEqual is Inverts of values with an equality.
func InvertsEqual(undo func(...any) any, equal func(...any) bool, result, given any) bool {
	x := undo(result)
	return equal(given, x)
}

// DecodesTo is InvertsEqual for an operation that may fail.
func DecodesTo(undo func(...any) (any, error), equal func(...any) bool, result, given any) bool {
	x, err := undo(result)
	return err == nil && equal(given, x)
}

// DecodesOver: a value into which other data were decoded before shows what a new one does.
func DecodesOver(decode func(...any) error, contents func(any) any, made, another, before, data any) bool {
	x, used := made, another
	if decode(used, before) != nil || decode(used, data) != nil || decode(x, data) != nil {
		return true
	}
	return fmt.Sprint(contents(x)) == fmt.Sprint(contents(used))
}

// DecodesOverAgain is DecodesOver of a value that is encoded to compare it.
func DecodesOverAgain(decode func(...any) error, encode func(...any) ([]byte, error), valueOf func(any) any, made, another, before, data any) bool {
	x, used := made, another
	if decode(used, before) != nil || decode(used, data) != nil || decode(x, data) != nil {
		return true
	}
	want, err := encode(valueOf(x))
	if err != nil {
		return true
	}
	got, err := encode(valueOf(used))
	return err == nil && bytes.Equal(got, want)
}

// EncodesAgain: a decoded value is encoded as data that are decoded, and encoded as the same.
func EncodesAgain(decode func(...any) error, encode func(...any) ([]byte, error), valueOf func(any) any, made, another, data any) bool {
	x, y := made, another
	if decode(x, data) != nil {
		return true
	}
	first, err := encode(valueOf(x))
	if err != nil {
		return true
	}
	if decode(y, bytes.Clone(first)) != nil {
		return false
	}
	again, err := encode(valueOf(y))
	return err == nil && bytes.Equal(again, first)
}

// ReadsBack: a written value is read as it was.
func ReadsBack(read func(...any) error, valueOf func(any) any, made, data, given any) bool {
	x := made
	if read(data, x) != nil {
		return false
	}
	return reflect.DeepEqual(valueOf(x), given)
}

// Appends: a call appends the result of the other method.
func Appends(marshal func(...any) ([]byte, error), x any, got, before []byte) bool {
	text, err := marshal(x)
	return err != nil || bytes.Equal(got, append(before, text...))
}

// ParsesString: the printed form of a parsed value can be parsed.
func ParsesString(parse func(...any) (any, error), text func(...any) any, x any) bool {
	_, err := parse(text(x))
	return err == nil
}

// ParsesSame: parsing the printed form of a parsed value gives a value that prints
// the same.
func ParsesSame(parse func(...any) (any, error), text func(...any) any, x any) bool {
	y, err := parse(text(x))
	return err == nil && text(y) == text(x)
}

// ParsesEqual: parsing the printed form of a parsed value gives an equal value.
func ParsesEqual(parse func(...any) (any, error), text func(...any) any, equal func(...any) bool, x any) bool {
	y, err := parse(text(x))
	return err != nil || equal(x, y)
}

// ParsesData is ParsesEqual of values without an equality.
func ParsesData(parse func(...any) (any, error), text func(...any) any, x any) bool {
	y, err := parse(text(x))
	return err != nil || reflect.DeepEqual(x, y)
}

// FlagZero: String returns for the zero value of the type of a flag.
func FlagZero(text func(...any) any, zero any) bool {
	_ = text(zero)
	return true
}
