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

// Decodes: what was encoded can be decoded into a value that is made for it. Here and
// below, valueOf is that value, or what it points to.
func Decodes(decode func(...any) error, made, data any) bool {
	x := made
	return decode(x, data) == nil
}

// DecodesEqual: what was encoded is decoded as an equal value.
func DecodesEqual(decode func(...any) error, equal func(...any) bool, valueOf func(any) any, made, data, of any) bool {
	x := made
	if decode(x, data) != nil {
		return false
	}
	return equal(of, valueOf(x))
}

// DecodesAgain: what was encoded, decoded and encoded is the same.
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

// DecodeCopies: what was decoded does not change with its input.
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

// Reads: what was written of a value can be read.
func Reads(write func(any) (any, error), read func(data, x any) error, of, made any) bool {
	data, err := write(of)
	x := made
	return err == nil && read(data, x) == nil
}

// ReadsEqual: what was written of a value is read as an equal one.
func ReadsEqual(write func(any) (any, error), read func(data, x any) error, equal func(...any) bool, valueOf func(any) any, value, made, of any) bool {
	data, err := write(value)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	return equal(of, valueOf(x))
}

// ReadsAgain: what was written of a value, read and written is the same.
func ReadsAgain(write func(any) (any, error), read func(data, x any) error, valueOf func(any) any, of, made any) bool {
	data, err := write(of)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	again, err := write(valueOf(x))
	return err == nil && reflect.DeepEqual(again, data)
}

// ReadsAs: what was written of a value is read, and encoded, as the value was.
func ReadsAs(write func(any) (any, error), read func(data, x any) error, encode func(...any) ([]byte, error), value, made any, encoded []byte) bool {
	data, err := write(value)
	x := made
	if err != nil || read(data, x) != nil {
		return false
	}
	again, err := encode(x)
	return err == nil && bytes.Equal(again, encoded)
}

// Appends: what is appended is what the other method returns.
func Appends(marshal func(...any) ([]byte, error), x any, got, before []byte) bool {
	text, err := marshal(x)
	return err != nil || bytes.Equal(got, append(before, text...))
}

// ParsesString: what was parsed prints as what can be parsed.
func ParsesString(parse func(...any) (any, error), text func(...any) any, x any) bool {
	_, err := parse(text(x))
	return err == nil
}

// ParsesSame: what was parsed prints as what is parsed as the same.
func ParsesSame(parse func(...any) (any, error), text func(...any) any, x any) bool {
	y, err := parse(text(x))
	return err == nil && text(y) == text(x)
}

// FlagZero: String returns for the zero value of the type of a flag.
func FlagZero(text func(...any) any, zero any) bool {
	_ = text(zero)
	return true
}
