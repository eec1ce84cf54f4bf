package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/assetcook/assetcook/internal/countdown"
)

var commented = []string{
	"// a\n{\"a\": 1, /* b */ \"b\": [true, false,],}\n", "[,]", "[1,,]", "{\"a\":,}", "{,}", ",", "[1 /*", "[1] // x", "[1]/", "[\"//\", \"/* \\\" */\",]", "[1/**/,/**/]",
	"\"a\n//\"", "[\"\\", "/*/ 1", "/**/1", "[1, // ]\n]", "{\"a\":[1,2,],\"b\":{},}", "1,", "[1,]]", "[1,//\xff\n]", "'a',", "[{},]", "[\"a\",]", "[1,\r\n]", "/",
}

func FuzzWithoutComments(f *testing.F) {
	for _, text := range commented {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sameAsHujson(t, text) })
}

// sameAsHujson compares the result with the library hujson, which requires a line end after the
// last comment.
func sameAsHujson(t *testing.T, text []byte) {
	text = append(bytes.Clone(text), '\n')
	if !utf8.Valid(text) {
		return
	}
	got, err := WithoutComments(t.Context(), text)
	if err == nil && !json.Valid(got) {
		err = json.Unmarshal(got, new(any))
	}
	want, theirs := hujson.Standardize(text)
	if theirs == nil && !json.Valid(want) {
		theirs = json.Unmarshal(want, new(any))
	}
	if (err == nil) != (theirs == nil) {
		t.Errorf("%q: error %v, but the reference returns %v", text, err, theirs)
	}
	if err == nil && (!bytes.Equal(compact(got), compact(want)) || len(got) != len(text)) {
		t.Errorf("%q: %q, but the reference returns %q", text, got, want)
	}
}

func compact(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

func TestWithoutComments(t *testing.T) {
	for text, want := range map[string]string{
		"[1] // x": "[1]     ", "[1,/*é\n*/]//": "[1     \n  ]  ", "[ /* x": "", "[\xff]": "",
	} {
		if got, err := WithoutComments(t.Context(), []byte(text)); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestRemovingCommentsStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := WithoutComments(ctx, []byte(strings.Repeat("1,", chunk))); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func FuzzCompact(f *testing.F) {
	for _, text := range append(texts, " { \"a b\" : [ 1 ,\t2 , \"\\\" \\\\\" ] } \r\n", "\"<\u2028>\"") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want bytes.Buffer
		if json.Compact(&want, text) != nil {
			return
		}
		if got, err := Compact(t.Context(), text); err != nil || string(got) != want.String() {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want.String())
		}
	})
}

func TestCompactStopsWithContext(t *testing.T) {
	for left := range 4 {
		if _, err := Compact(countdown.New(t.Context(), left), []byte("["+strings.Repeat("1,", 2*chunk)+"1]")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v after %d checks", err, left)
		}
	}
}

var texts = []string{
	"\"\x002", "[\"\\x2]", "\"\n-1",
	"", " ", "1", "-", "-0", "01", "1.", ".5", "1.5e", "1e+", "1e+5", "1E-05", "tru", "true", "nullx", "false ", "[", "]", "[]", "[1", "[1,", "[1,]", "[,1]", "[1 2]",
	"{", "{}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1}", "{\"a\":1,}", "{,}", "{1:2}", "{\"a\" : [ { } , [ ] ] , \"b\":{\"c\":null}}", "[}", "{]", "[]]", "1 2",
	"\"", "\"a", "\"\\\"", "\"\\n\\u00e9\\/\"", "\"\\u00g0\"", "\"\\x\"", "\"\n\"", "\"\x7f\"", "\"é\"", "[\"\\\\\"]", "\u00a01", "1\x00", "--1", "+1",
}

func FuzzValid(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if ok, err := validInPieces(t.Context(), text); ok != json.Valid(text) || err != nil {
			t.Errorf("%q: %v, %v; the library returns %v", text, ok, err, json.Valid(text))
		}
	})
}

func TestValidDepth(t *testing.T) {
	for _, n := range []int{maxNesting, maxNesting + 1} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {"[1,", "]"}} {
			text := []byte(strings.Repeat(pair[0], n) + "1" + strings.Repeat(pair[1], n))
			if pair[0] == "[" && n%2 == 1 {
				text = []byte(nothing(n))
			}
			if ok, _ := validInPieces(t.Context(), text); ok != json.Valid(text) || ok != (n <= maxNesting) {
				t.Errorf("%d times %s: %v", n, pair[0], ok)
			}
		}
	}
}

// nothing returns n nested lists.
func nothing(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// TestCheckStopsWithContext expects that checking stops for any text when the context is canceled.
func TestCheckStopsWithContext(t *testing.T) {
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `"key%06d":1,`, i*7919%20_000)
	}
	for name, text := range map[string]string{
		"one string": `"` + strings.Repeat("é", 10*chunk) + `"`,
		"one number": strings.Repeat("1", 20*chunk),
		"one list":   "[" + strings.Repeat("1,", 10*chunk) + "1]",
		"space":      strings.Repeat(" ", 20*chunk) + "1",
		"keys":       "{" + keys.String() + `"z":1}`,
	} {
		looks := countdown.New(t.Context(), 1<<30)
		if err := CheckContext(looks, []byte(text)); err != nil {
			t.Fatal(name, err)
		}
		all := 1<<30 - looks.Left
		want := 2 * (len(text) / chunk) // one check per chunk for syntax, and one for duplicate keys
		if name == "one string" {
			want /= 2
		}
		if all < want {
			t.Errorf("%s: the context is checked %d times for %d bytes", name, all, len(text))
		}
		for left := 0; left < all; left += max(1, all/16) {
			if err := CheckContext(countdown.New(t.Context(), left), []byte(text)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v after %d of %d checks", name, err, left, all)
			}
		}
	}
}
