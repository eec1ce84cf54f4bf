package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/tailscale/hujson"
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

// sameAsHujson fails the test unless the reference returns the same JSON. The reference requires a
// line end after the last comment.
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
