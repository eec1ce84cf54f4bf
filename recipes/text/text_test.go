package text

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/recipeset"
)

func cook(t testing.TB, source string, options map[string]any) (string, error) {
	t.Helper()
	r := Recipe()
	c := r.New()
	for key, v := range options {
		if err := recipeset.SetOption(c, key, v); err != nil {
			t.Fatal(err)
		}
	}
	res := recipetest.Cook(t, r, c, fstest.MapFS{"a.txt": &fstest.MapFile{Data: []byte(source)}}, "", "a.txt")
	return string(res.Outputs[0]), res.Err
}

type options = map[string]any

func TestRecipe(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"encoding": "latin1", "line_endings": "crlf", "final_newline": true, "trim_space": true, "private_keys": true,
	})
}

func TestPrivateKeysAreRefused(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMII=\n"
	if _, err := cook(t, key, nil); err == nil {
		t.Error("a private key is accepted")
	}
	if got, err := cook(t, key, options{"private_keys": true}); err != nil || got != key {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTextBecomesUTF8WithLineEnds(t *testing.T) {
	for _, tc := range []struct {
		source string
		o      options
		want   string
	}{
		{"a\r\nb\rc\nd", nil, "a\nb\nc\nd"},
		{"a\r\n\r\n", nil, "a\n\n"},
		{"", nil, ""},
		{"", options{"final_newline": true}, ""},
		{"a\n\r\nb", options{"line_endings": "crlf"}, "a\r\n\r\nb"},
		{"a\r\nb\rc", options{"line_endings": "keep"}, "a\r\nb\rc"},
		{"a\r\nb", options{"line_endings": "keep", "final_newline": true}, "a\r\nb\r\n"},
		{"a\nb\rc", options{"line_endings": "keep", "final_newline": true}, "a\nb\rc\r"},
		{"a", options{"line_endings": "keep", "final_newline": true}, "a\n"},
		{"a", options{"line_endings": "crlf", "final_newline": true}, "a\r\n"},
		{"a\n", options{"final_newline": true}, "a\n"},
		{"a \t\n b  ", options{"trim_space": true}, "a\n b"},
		{"\xef\xbb\xbfé", nil, "é"},
		{"\xff\xfea\x00\x3d\xd8\x00\xde", nil, "a😀"},
		{"\xfe\xff\x00a\x00\r\x00\n", nil, "a\n"},
		{"a\x00b\x00", options{"encoding": "utf-16"}, "ab"},
		{"\xe9\x80", options{"encoding": "latin1"}, "é\u0080"},
	} {
		if got, err := cook(t, tc.source, tc.o); got != tc.want || err != nil {
			t.Errorf("%q %v: %q, %v; want %q", tc.source, tc.o, got, err, tc.want)
		}
	}
}

func TestInvalidTextIsRefused(t *testing.T) {
	for _, tc := range []struct {
		source string
		o      options
		want   string
	}{
		{"ok\né\xff", nil, "2:2: byte 0xff is not UTF-8"},
		{"\xff\xfea\x00", options{"encoding": "utf-8"}, "1:1: byte 0xff is not UTF-8"},
		{"a\nb\x00c", nil, "2:2: the file has a zero byte"},
		{"\xff\xfea", nil, "1:1: the file has an odd number of bytes"},
		{"\xff\xfe\n\x00a\x00\x3d\xd8", nil, "2:2: a UTF-16 character is incomplete; save the file as UTF-8"},
		{"\xff\xfe\x00\xde\x3d\xd8", nil, "1:1: a UTF-16 character is incomplete; save the file as UTF-8"},
	} {
		if got, err := cook(t, tc.source, tc.o); err == nil || !strings.Contains(err.Error(), tc.want) || got != "" {
			t.Errorf("%q %v: %q, %v; want %s", tc.source, tc.o, got, err, tc.want)
		}
	}
}

func TestCanceledCookEnds(t *testing.T) {
	r := Recipe()
	for left := range 8 {
		ctx := countdown.New(t.Context(), left)
		res := recipetest.CookContext(ctx, t, r, r.New(), fstest.MapFS{"a": &fstest.MapFile{Data: []byte(strings.Repeat("a\n", 40_000))}}, "", "a")
		if res.Err == nil || !strings.Contains(res.Err.Error(), context.Canceled.Error()) {
			t.Errorf("error %v after %d looks", res.Err, left)
		}
	}
}

func TestCanceledDecodingEnds(t *testing.T) {
	for encoding, source := range map[string]string{
		"utf-8": strings.Repeat("é", 4*chunk), "latin1": strings.Repeat("\xe9", 8*chunk), "utf-16": strings.Repeat("a\x00", 4*chunk),
	} {
		o := &textOptions{Encoding: encoding}
		for left := range 8 {
			if _, err := o.decodeToUTF8(countdown.New(t.Context(), left), []byte(source)); err != context.Canceled {
				t.Errorf("%s: error %v after %d looks", encoding, err, left)
			}
		}
	}
}

func TestMemoryStaysBelowTheEstimate(t *testing.T) {
	for _, source := range []string{strings.Repeat("\n", 1<<20), strings.Repeat("\xe9", 1<<20), strings.Repeat("\xe9\n", 1<<19)} {
		o := &textOptions{Encoding: "latin1", LineEndings: "crlf"}
		estimate, err := o.estimateMemory(nil, int64(len(source)))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := o.decodeToUTF8(t.Context(), []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		out, err := o.replaceLineEnds(t.Context(), decoded)
		if err != nil {
			t.Fatal(err)
		}
		// While the output grows, its old buffer of 4/5 of the size also exists.
		if need := int64(len(source) + cap(decoded) + cap(out) + cap(out)*4/5); need > estimate {
			t.Errorf("%.3q: %d bytes for %d, estimated %d", source, need, len(source), estimate)
		}
	}
}

// The output must be UTF-8, and cooking it again must change nothing.
func FuzzText(f *testing.F) {
	f.Add([]byte("a \r\n\xef\xbb\xbf\r"), uint8(0))
	f.Add([]byte("\xff\xfea\x00"), uint8(7))
	f.Fuzz(func(t *testing.T, source []byte, as uint8) {
		o := &textOptions{
			Encoding: "auto", LineEndings: []string{"keep", "lf", "crlf"}[as%3],
			FinalNewline: as&4 != 0, TrimSpace: as&8 != 0,
		}
		once, err := o.decodeToUTF8(t.Context(), source)
		if err != nil {
			return
		}
		if once, err = o.replaceLineEnds(t.Context(), once); err != nil || !utf8.Valid(once) {
			t.Fatalf("%q: %q, %v", source, once, err)
		}
		if twice, err := o.replaceLineEnds(t.Context(), once); err != nil || string(twice) != string(once) {
			t.Errorf("%q: %q, then %q, %v", source, once, twice, err)
		}
	})
}
