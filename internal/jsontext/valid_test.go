package jsontext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
)

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

// Checking ends with its context, for all texts.
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
		want := 2 * (len(text) / chunk) // for syntax and keys, which skip strings
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
