package messages

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxElements limits the length of each list in a message. An element may take two bytes in the
// encoding but a hundred bytes in memory.
const maxElements = 1 << 20

// numbers caches field numbers by type.
var numbers sync.Map

// fieldNumbers returns the field numbers of a message type, in the order of its struct fields.
func fieldNumbers(t reflect.Type) []protowire.Number {
	if known, ok := numbers.Load(t); ok {
		return known.([]protowire.Number)
	}
	all := make([]protowire.Number, t.NumField())
	for i := range all {
		n, err := strconv.Atoi(t.Field(i).Tag.Get("field"))
		if err != nil {
			panic(fmt.Sprintf("%v.%s: %v", t, t.Field(i).Name, err))
		}
		all[i] = protowire.Number(n)
	}
	numbers.Store(t, all)
	return all
}

// Marshal encodes the message that m points to. Fields are in the order of their numbers, so equal
// messages have equal bytes. The bytes of an empty message are not nil.
func Marshal(m any) []byte { return appendMessage([]byte{}, reflect.ValueOf(m).Elem()) }

func appendMessage(b []byte, m reflect.Value) []byte {
	for i, number := range fieldNumbers(m.Type()) {
		b = appendField(b, number, m.Field(i))
	}
	return b
}

// appendField appends a field unless it has its zero value.
func appendField(b []byte, number protowire.Number, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Slice:
		return appendSlice(b, number, v)
	case reflect.Struct:
		if content := appendMessage(nil, v); len(content) > 0 {
			b = appendDelimited(b, number, content)
		}
		return b
	}
	if v.IsZero() {
		return b
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendDelimited(b, number, appendMessage(nil, v.Elem()))
	case reflect.String:
		return appendDelimited(b, number, v.String())
	}
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), integer(v))
}

// appendSlice appends bytes, packed numbers, or one field for each string or message.
func appendSlice(b []byte, number protowire.Number, v reflect.Value) []byte {
	if v.Len() == 0 {
		return b
	}
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		return appendDelimited(b, number, v.Bytes())
	case reflect.Int32:
		var packed []byte
		for i := range v.Len() {
			packed = protowire.AppendVarint(packed, integer(v.Index(i)))
		}
		return appendDelimited(b, number, packed)
	case reflect.String:
		for i := range v.Len() {
			b = appendDelimited(b, number, v.Index(i).String())
		}
		return b
	}
	for i := range v.Len() {
		b = appendDelimited(b, number, appendMessage(nil, v.Index(i)))
	}
	return b
}

func appendDelimited[T string | []byte](b []byte, number protowire.Number, content T) []byte {
	b = protowire.AppendTag(b, number, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(content)))
	return append(b, content...)
}

// integer returns the varint value of a number or a bool.
func integer(v reflect.Value) uint64 {
	if v.Kind() == reflect.Bool {
		return protowire.EncodeBool(v.Bool())
	}
	return uint64(v.Int())
}

// Unmarshal decodes a message into the struct that m points to. Afterwards, the struct does not
// refer to data. Unmarshal skips fields that the struct does not have.
func Unmarshal(data []byte, m any) error { return parseMessage(data, reflect.ValueOf(m).Elem()) }

func parseMessage(data []byte, m reflect.Value) error {
	fields := fieldNumbers(m.Type())
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if n = protowire.ConsumeFieldValue(number, wire, data); n < 0 {
			return protowire.ParseError(n)
		}
		value := data[:n]
		data = data[n:]
		i := slices.Index(fields, number)
		if i < 0 {
			continue
		}
		if err := parseField(value, wire, m.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// parseField decodes the value of a field. It skips a value with the wrong wire type, as it skips
// an unknown field.
func parseField(value []byte, wire protowire.Type, v reflect.Value) error {
	switch wire {
	case protowire.VarintType:
		x, _ := protowire.ConsumeVarint(value)
		return parseInteger(x, v)
	case protowire.BytesType:
		content, _ := protowire.ConsumeBytes(value)
		return parseBytes(content, v)
	}
	return nil
}

func parseInteger(x uint64, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(protowire.DecodeBool(x))
	case reflect.Int64:
		v.SetInt(int64(x))
	case reflect.Int32:
		v.SetInt(int64(int32(x)))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Int32 {
			element, err := growSlice(v)
			if err != nil {
				return err
			}
			element.SetInt(int64(int32(x)))
		}
	}
	return nil
}

func parseBytes(content []byte, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		if !utf8.Valid(content) {
			return errors.New("a string is not UTF-8")
		}
		v.SetString(string(content))
	case reflect.Struct:
		return parseMessage(content, v)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return parseMessage(content, v.Elem())
	case reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8:
			v.SetBytes(bytes.Clone(content))
		case reflect.Int32:
			return parsePacked(content, v)
		default:
			element, err := growSlice(v)
			if err != nil {
				return err
			}
			return parseBytes(content, element)
		}
	}
	return nil
}

func parsePacked(content []byte, v reflect.Value) error {
	for len(content) > 0 {
		x, n := protowire.ConsumeVarint(content)
		if n < 0 {
			return protowire.ParseError(n)
		}
		content = content[n:]
		if err := parseInteger(x, v); err != nil {
			return err
		}
	}
	return nil
}

// growSlice appends a zero element to a list and returns the element.
func growSlice(list reflect.Value) (reflect.Value, error) {
	n := list.Len()
	if n == maxElements {
		return reflect.Value{}, fmt.Errorf("a list has more than %d elements", maxElements)
	}
	list.Grow(1)
	list.SetLen(n + 1)
	element := list.Index(n)
	element.SetZero()
	return element, nil
}
