package hashing

import (
	"fmt"
	"strings"
	"testing"
)

func TestSum128(t *testing.T) {
	s := Sum128{Hi: 0x0123456789abcdef, Lo: 0x0fedcba987654321}
	if got, want := s.String(), "0123456789abcdef0fedcba987654321"; got != want {
		t.Errorf("String: %s, want %s", got, want)
	}
	if b := s.Bytes(); b[0] != 0x01 || b[7] != 0xef || b[8] != 0x0f || b[15] != 0x21 {
		t.Errorf("Bytes: %x", b)
	}
	if got, want := (Sum128{Lo: 1}).String(), strings.Repeat("0", 31)+"1"; got != want {
		t.Errorf("String: %s, want %s", got, want)
	}
	for _, c := range []struct {
		s    Sum128
		want bool
	}{{Sum128{}, true}, {Sum128{Hi: 1}, false}, {Sum128{Lo: 1}, false}} {
		if got := c.s.IsZero(); got != c.want {
			t.Errorf("%v IsZero: %v", c.s, got)
		}
	}
}

func TestParseDigest(t *testing.T) {
	want := DigestOf([]byte("some content"))
	if got, err := ParseDigest(want.String()); err != nil || got != want {
		t.Errorf("ParseDigest(%v) = %v, %v", want, got, err)
	}
	if want.IsZero() || !(Digest{}).IsZero() {
		t.Error("IsZero is wrong")
	}
	good := want.String()
	for _, bad := range []string{"", good[:63], good + "0", strings.ToUpper(good), "g" + good[1:], good[:63] + " ",
		strings.Repeat("\xff", 64)} {
		if got, err := ParseDigest(bad); err == nil {
			t.Errorf("ParseDigest(%q) = %v", bad, got)
		}
	}
}

func TestSum(t *testing.T) {
	bytes := make([]byte, 32)
	for i := range bytes {
		bytes[i] = byte(0xf0 + i)
	}
	for _, size := range []int{4, 8, 16, 32} {
		s := sumOf(bytes[:size])
		if s.Len() != size || string(s.Bytes()) != string(bytes[:size]) || s.String() != fmt.Sprintf("%x", bytes[:size]) {
			t.Errorf("%d bytes: %v, %x", size, s, s.Bytes())
		}
		if got := s.Append([]byte("x")); string(got) != "x"+string(bytes[:size]) {
			t.Errorf("%d bytes appended: %x", size, got)
		}
		if size <= 16 && s.Sum128().sum(size) != s {
			t.Errorf("%v is not what its number %v says", s, s.Sum128())
		}
		bytes[size-1]++
		if sumOf(bytes[:size]) == s {
			t.Errorf("%v equals the sum of another last byte", s)
		}
	}
	if s := (Sum{}); s.Len() != 0 || s.String() != "" || len(s.Bytes()) != 0 {
		t.Errorf("zero: %v", s)
	}
	if (Sum128{Lo: 1}).sum(4) == (Sum128{Lo: 1}).sum(8) {
		t.Error("sums of different sizes are equal")
	}
}
