package hashing

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A field records a call of a Key method: its kind, its tag and its value.
type field struct {
	Kind  byte
	Tag   string
	Value any
}

func (f field) add(k *Key) {
	switch v := f.Value.(type) {
	case string:
		k.String(f.Tag, v)
	case []byte:
		k.Bytes(f.Tag, v)
	case uint64:
		k.Uint64(f.Tag, v)
	case int64:
		k.Int64(f.Tag, v)
	case float64:
		k.Float64(f.Tag, v)
	case bool:
		k.Bool(f.Tag, v)
	case Digest:
		k.Digest(f.Tag, v)
	case []string:
		k.Strings(f.Tag, v)
	}
}

func keyOf(domain string, fields []field) *Key {
	k := NewKey(domain)
	for _, f := range fields {
		f.add(k)
	}
	return k
}

// parse parses the encoded bytes of a key. Because it works for every key, no two sequences of
// fields have the same bytes.
func parse(b []byte) (domain string, fields []field, err error) {
	take := func(n uint64) []byte {
		if n > uint64(len(b)) {
			err = fmt.Errorf("%d bytes wanted of %d", n, len(b))
			return make([]byte, 8)
		}
		out := b[:n]
		b = b[n:]
		return out
	}
	length := func(of *[]byte) uint64 {
		v, n := binary.Uvarint(*of)
		if n <= 0 {
			err = fmt.Errorf("bad length")
			return 0
		}
		*of = (*of)[n:]
		return v
	}
	for len(b) > 0 && err == nil {
		tag := string(take(length(&b)))
		kind := take(1)[0]
		value := take(length(&b))
		f := field{Kind: kind, Tag: tag}
		switch kind {
		case keyDomain:
			domain = string(value)
			continue
		case keyString:
			f.Value = string(value)
		case keyBytes:
			f.Value = slices.Clone(value)
		case keyUint64:
			f.Value = binary.LittleEndian.Uint64(value)
		case keyInt64:
			f.Value = int64(binary.LittleEndian.Uint64(value))
		case keyFloat64:
			f.Value = math.Float64frombits(binary.LittleEndian.Uint64(value))
		case keyBool:
			f.Value = value[0] == 1
		case keyDigest:
			f.Value = Digest(value)
		case keyStrings:
			list := make([]string, 0)
			for n := length(&value); n > 0 && err == nil; n-- {
				size := length(&value)
				list = append(list, string(value[:size]))
				value = value[size:]
			}
			f.Value = list
		default:
			err = fmt.Errorf("kind %q", kind)
		}
		fields = append(fields, f)
	}
	return domain, fields, err
}

// drawFields returns random fields over a tiny alphabet. Many of the sequences therefore differ
// only in the boundary between two parts.
func drawFields(t *rapid.T, label string) []field {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00\x01s")), 0, 4, -1)
	tags := rapid.OneOf(text, rapid.Just(strings.Repeat("t", 200)))
	draw := rapid.Custom(func(t *rapid.T) field {
		tag := tags.Draw(t, "tag")
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return field{keyString, tag, text.Draw(t, "v")}
		case 1:
			return field{keyBytes, tag, []byte(text.Draw(t, "v"))}
		case 2:
			return field{keyUint64, tag, rapid.Uint64Range(0, 2).Draw(t, "v")}
		case 3:
			return field{keyInt64, tag, rapid.Int64Range(-1, 1).Draw(t, "v")}
		case 4:
			return field{keyFloat64, tag, rapid.Float64Range(-1, 1).Draw(t, "v")}
		case 5:
			return field{keyBool, tag, rapid.Bool().Draw(t, "v")}
		case 6:
			return field{keyDigest, tag, Digest{rapid.Byte().Draw(t, "v")}}
		}
		return field{keyStrings, tag, rapid.SliceOfN(text, 0, 3).Draw(t, "v")}
	})
	return rapid.SliceOfN(draw, 0, 5).Draw(t, label)
}

func TestKeyCanBeTakenApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		domain := rapid.String().Draw(t, "domain")
		fields := drawFields(t, "fields")
		gotDomain, got, err := parse(keyOf(domain, fields).buf)
		if err != nil || gotDomain != domain || len(got) != len(fields) {
			t.Fatalf("%q, %d fields, %v; want %q, %d", gotDomain, len(got), err, domain, len(fields))
		}
		for i := range fields {
			if diff := cmp.Diff(fields[i], got[i]); diff != "" {
				t.Fatalf("field %d: %s", i, diff)
			}
		}
	})
}

func TestKeysDifferAsFieldsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFields(t, "a"), drawFields(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = slices.Clone(a)
		}
		if same := cmp.Equal(a, b); same != (keyOf("d", a).Sum() == keyOf("d", b).Sum()) {
			t.Fatalf("fields equal: %v, keys equal: %v", same, !same)
		}
	})
}

func TestKeyNeighbors(t *testing.T) {
	seen := map[Digest]int{}
	for i, fields := range [][]field{
		nil,
		{{Tag: "", Value: ""}},
		{{Tag: "ab", Value: "c"}},
		{{Tag: "a", Value: "bc"}},
		{{Tag: "", Value: "abc"}},
		{{Tag: "abc", Value: ""}},
		{{Tag: "ab", Value: []byte("c")}},
		{{Tag: "ab", Value: []string{"c"}}},
		{{Tag: "ab", Value: []string{"c", ""}}},
		{{Tag: "ab", Value: "c"}, {Tag: "ab", Value: ""}},
		{{Tag: "a", Value: "x"}, {Tag: "b", Value: "y"}},
		{{Tag: "b", Value: "y"}, {Tag: "a", Value: "x"}},
		{{Tag: "n", Value: uint64(1)}},
		{{Tag: "n", Value: int64(1)}},
		{{Tag: "n", Value: 1.0}},
		{{Tag: "n", Value: true}},
		{{Tag: "n", Value: false}},
		{{Tag: "n", Value: 0.0}},
		{{Tag: "n", Value: math.Copysign(0, -1)}},
		{{Tag: "n", Value: "\x01\x00\x00\x00\x00\x00\x00\x00"}},
		{{Tag: "n", Value: Digest{}}},
		{{Tag: "n", Value: make([]byte, 32)}},
	} {
		for j, domain := range []string{"", "a", "ab"} {
			sum := keyOf(domain, fields).Sum()
			if other, ok := seen[sum]; ok {
				t.Errorf("keys %d and %d are equal", other, 3*i+j)
			}
			seen[sum] = 3*i + j
		}
	}
}

func TestKeyContinuesAfterSum(t *testing.T) {
	k, whole := NewKey("d"), NewKey("d")
	for i := range 200 {
		v := strings.Repeat("x", 100)
		k.String("tag", v)
		whole.String("tag", v)
		if first, second := k.Sum(), k.Sum(); first != second {
			t.Fatalf("asked twice after %d fields: %v, %v", i+1, first, second)
		}
	}
	if k.Sum() != whole.Sum() {
		t.Error("Sum changed the key")
	}
	k.Reset("d")
	if k.Sum() != NewKey("d").Sum() {
		t.Error("Reset kept something")
	}
}

// TestKeyFormatIsFixed compares keys with constants, because a change of the format would make
// every stored result unreachable.
func TestKeyFormatIsFixed(t *testing.T) {
	k := NewKey("d1")
	k.String("s", "text")
	k.Bytes("b", []byte{0xff})
	k.Uint64("u", 1)
	k.Int64("i", -1)
	k.Float64("f", 1)
	k.Bool("t", true)
	k.Strings("l", []string{"x", ""})
	want := "\x00D\x02d1" + "\x01ss\x04text" + "\x01bb\x01\xff" +
		"\x01uu\x08\x01\x00\x00\x00\x00\x00\x00\x00" + "\x01ii\x08\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\x01ff\x08\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x01tt\x01\x01" + "\x01ll\x04\x02\x01x\x00"
	if got := string(k.buf); got != want {
		t.Errorf("framed\n%q, want\n%q", got, want)
	}
	if got := DigestOf([]byte(want)); k.Sum() != got {
		t.Errorf("Sum %v, want %v", k.Sum(), got)
	}
}
