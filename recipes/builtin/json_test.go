package builtin

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/plaintext"
)

func TestJSONMinifies(t *testing.T) {
	for in, want := range map[string]string{
		"{ \"b\" : 1.0 ,\r\n\t\"a\": [ ] }\n":                     `{"b":1.0,"a":[]}`,
		plaintext.ByteOrderMark + " 1e400 ":                       `1e400`,
		`12345678901234567890123`:                                 `12345678901234567890123`,
		`"<a href> ` + "\u2028" + ` \u0041"`:                      `"<a href> ` + "\u2028" + ` \u0041"`,
		`null`:                                                    `null`,
		`{"a":{"x":1},"b":{"x":1}, "x":0}`:                        `{"a":{"x":1},"b":{"x":1},"x":0}`,
		`["a","a",{"a":"a"}]`:                                     `["a","a",{"a":"a"}]`,
		`{"x":["a","b","b",{},"b"],"b":"b"}`:                      `{"x":["a","b","b",{},"b"],"b":"b"}`,
		`{"\ud800":1,"\ud801":2,"\ufffd":3}`:                      `{"\ud800":1,"\ud801":2,"\ufffd":3}`,
		`{"a\\":1,"a\"":2,"a":3}`:                                 `{"a\\":1,"a\"":2,"a":3}`,
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000): strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	} {
		res := cook(t, "json", []byte(in))
		if res.Err != nil || string(res.Outputs[0]) != want {
			t.Errorf("%.60q: got %.60q, error %v; want %.60q", in, res.Outputs[0], res.Err, want)
		}
	}
}

func TestJSONCopies(t *testing.T) {
	r := named(t, "json")
	in := plaintext.ByteOrderMark + "{ \"a\" : 1 }\n"
	res := recipetest.Cook(t, r, &jsonOptions{}, fstest.MapFS{"a": {Data: []byte(in)}}, "", "a")
	if res.Err != nil || string(res.Outputs[0]) != in {
		t.Errorf("got %q, error %v", res.Outputs[0], res.Err)
	}
}

func TestJSONRefuses(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "the file is empty; it must hold a JSON value"},
		{plaintext.ByteOrderMark + " \r\n", "the file is empty; it must hold a JSON value"},
		{"{\n  \"a\": 1,\n}", "3:1: invalid character '}' looking for beginning of object key string"},
		{"{\n  \"a\": 1,\n}", `key string; to allow comments and commas before a bracket, rename the file to .jsonc, or set recipe = "data", input = "jsonc"`},
		{"[1] // x", `1:5: invalid character '/' after top-level value; to allow comments and commas before a bracket, rename the file to .jsonc, or set recipe = "data", input = "jsonc"`},
		{"{\"é\": 01}", "1:8: invalid character '1' after object key:value pair"},
		{"[1, 2\n", "2:1: unexpected end of JSON input"},
		{"{} {}", "1:4: invalid character '{' after top-level value"},
		{"[NaN]", "1:2: invalid character 'N' looking for beginning of value"},
		{"{\n\"a\": \"\xff\"}", "2:7: byte 0xff is not UTF-8"},
		{"\xff\xfe{\x00", "1:1: byte 0xff is not UTF-8; save the file as UTF-8, not UTF-16"},
		{"\"\xed\xa0\x80\"", "1:2: byte 0xed is not UTF-8"},
		{strings.Repeat("[", 10_001), "1:10001: the value is nested deeper than 10000 levels"},
		{"{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", `3:2: duplicate key "a", first at 1:2`},
		{`{"a": 1, "\u0061": 2}`, `1:10: duplicate key "a", first at 1:2`},
		{`{"😀": 1, "\ud83d\ude00": 2}`, `1:10: duplicate key "😀", first at 1:2`},
		{`{"/\b\f\n\r\t": 1, "\/\u0008\u000C\u000a\u000d\u0009": 2}`, `duplicate key "/\b\f\n\r\t"`},
		{`[{"x": {"k": [], "k": {}}}, {"y": 1, "y": 1}]`, `1:18: duplicate key "k", first at 1:9`},
		{`{"z": 1, "a": 1, "z": 2, "a": 2}`, `1:18: duplicate key "z", first at 1:2`},
		{`{"": 1, "": 2}`, `1:9: duplicate key "", first at 1:2`},
		{`{"` + strings.Repeat("k", 99) + `":1,"` + strings.Repeat("k", 99) + `":1}`, `duplicate key "` + strings.Repeat("k", 60) + `"..., first`},
	} {
		res := cook(t, "json", []byte(tc.in))
		wantError(t, res.Err, tc.want)
		if res.Outputs[0] != nil {
			t.Errorf("%.40q: wrote %q all the same", tc.in, res.Outputs[0])
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.50,"x\n\u00e9\ud83d\ude00"],"b":{"a":null}}`, plaintext.ByteOrderMark + "[]", "{\"a\":1,\"\\u0061\":2}", "\xff", "[", `"\ud800\u0041"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := bytes.TrimPrefix(data, []byte(plaintext.ByteOrderMark))
		res := cook(t, "json", data)
		if res.Err == nil {
			var want bytes.Buffer
			if err := json.Compact(&want, text); err != nil {
				t.Fatalf("accepted %q: %v", data, err)
			}
			if !bytes.Equal(res.Outputs[0], want.Bytes()) {
				t.Fatalf("%q: got %q, want %q", data, res.Outputs[0], want.Bytes())
			}
			if again := cook(t, "json", res.Outputs[0]); again.Err != nil || !bytes.Equal(again.Outputs[0], res.Outputs[0]) {
				t.Fatalf("%q does not cook to itself: %q, %v", res.Outputs[0], again.Outputs[0], again.Err)
			}
			return
		}
		if json.Valid(text) && utf8.Valid(text) && !strings.Contains(res.Err.Error(), "duplicate key") {
			t.Fatalf("refused %q: %v", data, res.Err)
		}
	})
}
