package data

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// cook cooks one file of a tree. The options have the form that cook.toml sets.
func cook(t testing.TB, files map[string]string, path string, options map[string]any) recipetest.Result {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	r := Recipe()
	c := r.New()
	for key, v := range options {
		if err := recipeset.SetOption(c, key, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Traits(c).Check(); err != nil {
		return recipetest.Result{Err: err}
	}
	return recipetest.Cook(t, r, c, tree, "", path)
}

type options = map[string]any

func TestRecipe(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"format": "cbor", "input": "toml", "schema": "a.json", "sort_keys": true, "numbers": "exact", "documents": true,
		"header": false, "columns": map[string]any{"a": "number"}, "separator": ";", "skip_lines": int64(2), "decimal": ",",
	})
}

func TestEveryInputBecomesTheSameJSON(t *testing.T) {
	for _, tc := range []struct{ path, source, want string }{
		{"a.json", "\xef\xbb\xbf{ \"b\": [1, 2.50, -0, 1e400, 12345678901234567890],\n\"a\": \"é\\u00e9\\n\\ud83d\\ude00\\u0001/\" }",
			`{"b":[1,2.50,-0,1e400,12345678901234567890],"a":"éé\n😀\u0001/"}`},
		{"a.json", `null`, `null`},
		{"a.jsonc", "// speed\n{\"a\": 1, /* b */ \"b\": [true, false,],}\n", `{"a":1,"b":[true,false]}`},
		{"a.yaml", "a: 1\nb: [x, 'y', \"z\"]\n", `{"a":1,"b":["x","y","z"]}`},
		// Values that YAML 1.1 converted must be strings, according to the core schema.
		{"a.yml", "[no, off, yes, on, y, 1_000, 12:30:45, 2020-01-01, =, 0b11]", `["no","off","yes","on","y","1_000","12:30:45","2020-01-01","=","0b11"]`},
		{"a.yml", "[null, Null, ~, true, FALSE, 012, 0o14, 0x1F, +5, -0, .5, 5., 1e3, +1.5E-3, 00.50]",
			`[null,null,null,true,false,12,12,31,5,-0,0.5,5.0,1e3,1.5E-3,0.50]`},
		{"a.yml", "123456789012345678901234567890: 0xffffffffffffffffffff", `{"123456789012345678901234567890":1208925819614629174706175}`},
		{"a.yml", "[!!str 12, !!int 12, !!int 0x1F, !!float 1, !!float -012, !!float 1e3, !!float 2.50, !!null , \"12\", '', ! 12, !!seq [1], !!map {a: ! x}]",
			`["12",12,31,1.0,-12.0,1e3,2.50,null,"12","","12",[1],{"a":"x"}]`},
		{"a.yml", "a: &x {k: 1}\nb: *x\nc: {<<: *x, j: 2}\nd: {k: 3, <<: [*x, {m: 4}]}\n\"<<\": 5",
			`{"a":{"k":1},"b":{"k":1},"c":{"j":2,"k":1},"d":{"k":3,"m":4},"<<":5}`},
		{"a.yml", "text: |\n  one\n  two\nfolded: >\n  a\n  b\n", `{"text":"one\ntwo\n","folded":"a b\n"}`},
		{"a.toml", "b = 1\na = 0x10\nf = 1.0\n[t]\nd = 1979-05-27T07:32:00Z\nl = 1979-05-27\n[[x]]\nn = 1e20\n[[x]]\ns = 'q'\n",
			`{"b":1,"a":16,"f":1.0,"t":{"d":"1979-05-27T07:32:00Z","l":"1979-05-27"},"x":[{"n":1e20},{"s":"q"}]}`},
		{"a.csv", "id,mass\r\n\"a,b\",\"say \"\"hi\"\"\"\r\nb,2\r\n", `[{"id":"a,b","mass":"say \"hi\""},{"id":"b","mass":"2"}]`},
		{"a.tsv", "id\tmass\na\t1\n", `[{"id":"a","mass":"1"}]`},
		{"a.tsv", "a\tb\r\n\"Hi\" he said\t2\r\n\"x\t\"y\"\n\n\t\n", `[{"a":"\"Hi\" he said","b":"2"},{"a":"\"x","b":"\"y\""},{"a":"","b":""}]`},
		{"a.yaml", strings.Repeat("- \"\\e[31m\"\n", 2001), "[" + strings.TrimSuffix(strings.Repeat("\"\\u001b[31m\",", 2001), ",") + "]"},
		{"a.jsonc", "[" + strings.Repeat("\"\\u001b[31m\", // [\n", 2001) + "]", "[" + strings.TrimSuffix(strings.Repeat("\"\\u001b[31m\",", 2001), ",") + "]"},
		{"a.csv", "id\n", `[]`},
		{"a.csv", "id,t\nx,\"1\r\n2\"\n", `[{"id":"x","t":"1\n2"}]`},
		{"a.csv", "id\nx\n\n\"\"\ny\n", `[{"id":"x"},{"id":""},{"id":"y"}]`},
	} {
		res := cook(t, map[string]string{tc.path: tc.source}, tc.path, nil)
		if res.Err != nil || string(res.Outputs[0]) != tc.want {
			t.Errorf("%s %q:\ngot  %s, %v\nwant %s", tc.path, tc.source, res.Outputs[0], res.Err, tc.want)
		}
	}
}

func TestOptionsChangeTheOutput(t *testing.T) {
	for _, tc := range []struct {
		path, source string
		o            options
		want         string
	}{
		{"a.json", `{"b":1,"a":{"d":2,"c":3}}`, options{"sort_keys": true}, `{"a":{"c":3,"d":2},"b":1}`},
		{"a.yaml", "a: 1\n---\n- b\n", options{"documents": true}, `[{"a":1},["b"]]`},
		{"a.yaml", "", options{"documents": true}, `[]`},
		{"a.csv", "1,2\n3,4\n", options{"header": false}, `[["1","2"],["3","4"]]`},
		{"a.csv", "id,m,ok,x\na, +01.50 ,true,\"[1, {}]\"\n,,,\n", options{"columns": map[string]any{"m": "number", "ok": "bool", "x": "json"}},
			`[{"id":"a","m":1.50,"ok":true,"x":[1,{}]},{"id":"","m":null,"ok":null,"x":null}]`},
		{"a.txt", `{"a":1}`, options{"input": "yaml"}, `{"a":1}`},
	} {
		res := cook(t, map[string]string{tc.path: tc.source}, tc.path, tc.o)
		if res.Err != nil || string(res.Outputs[0]) != tc.want {
			t.Errorf("%s %q %v:\ngot  %s, %v\nwant %s", tc.path, tc.source, tc.o, res.Outputs[0], res.Err, tc.want)
		}
	}
}

// An invalid file must give a one-line error, which begins with the line and column if they are
// known.
func TestErrorNamesThePlace(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, tc := range []struct {
		path, source string
		o            options
		want         string
	}{
		{"a.xml", "<a/>", nil, `the extension ".xml" does not determine the format; set input to json, jsonc, yaml, toml, csv or tsv`},
		{"a.json", "{\"a\": 1,\n \"a\": 2}", nil, `2:2: duplicate key "a", first at 1:2`},
		{"a.json", "{\"a\": \"é\", \"b\": \"x\\ud83d\"}", nil, `1:19: \ud83d is half of a surrogate pair`},
		{"a.json", `{"\udc00": 1}`, nil, `1:3: \udc00 is half of a surrogate pair`},
		{"a.json", `["\ud83d\u0041"]`, nil, `1:3: \ud83d is half of a surrogate pair`},
		{"a.json", strings.Repeat("[", 1001) + strings.Repeat("]", 1001), nil, "the value is nested deeper than 1000 levels"},
		{"a.json", "", nil, "the file is empty"},
		{"a.json", "[1, /* x */ 2,]", nil, `1:5: invalid character '/' looking for beginning of value; to allow comments and commas before a bracket, set input = "jsonc"`},
		{"a.jsonc", "{\n  a: 1}", nil, "2:3: "},
		{"a.jsonc", "{\"a\": 1, // x\n\"a\": 2,}", nil, `2:1: duplicate key "a", first at 1:2`},
		{"a.jsonc", strings.Repeat("[", 1<<20), nil, "nested deeper"},
		{"a.yaml", "a: 1\nb: 2\na: 3\n", nil, `3:1: duplicate key "a", first at 1:1`},
		{"a.yaml", "a: [1\nb", nil, ":1: "},
		{"a.yaml", "a: 1\n---\nb: 2\n", nil, "a second document; set documents = true"},
		{"a.yaml", "", nil, "the file is empty"},
		{"a.yaml", "a: 1\nb: é\x01", nil, "2:5: control characters are not allowed"},
		{"a.yaml", "? [a]\n: b\n", nil, "1:3: the key is a list or an object; keys must be strings"},
		{"a.yaml", "a: !!binary aGk=\n", nil, "1:4: tag !!binary is unknown; use !!str"},
		{"a.yaml", "a: !!int x\n", nil, `1:4: "x" is not a !!int`},
		{"a.yaml", "a: !!int 1.5\n", nil, `1:4: "1.5" is not a !!int`},
		{"a.yaml", "a: !!int 1e3\n", nil, `1:4: "1e3" is not a !!int`},
		{"a.yaml", "a: !!int .nan\n", nil, `1:4: ".nan" is not a !!int`},
		{"a.yaml", "a: !!float 0x10\n", nil, `1:4: "0x10" is not a !!float`},
		{"a.yaml", "a: !!bool 1\n", nil, `1:4: "1" is not a !!bool`},
		{"a.yaml", "a: !!set {b, c}\n", nil, `1:4: tag !!set is unknown`},
		{"a.yaml", "a: !foo [1]\n", nil, `1:4: tag !foo is unknown`},
		{"a.yaml", "a: !!map [1]\n", nil, `1:4: tag !!map is unknown`},
		{"a.yaml", "a: &a " + strings.Repeat("x", 20_000) + "\nb: [" + strings.Repeat("*a,", 7_000) + "]\n", nil, "aliases expand to too many values"},
		{"a.csv", strings.Repeat("h", 20_000) + "\n" + strings.Repeat("1\n", 10_000), nil, "the output exceeds 5474336 bytes"},
		{"a.csv", strings.Repeat("h", 20_000) + "\n" + strings.Repeat("1\n", 10_000), options{"format": "cbor"}, "the output exceeds 5474336 bytes"},
		{"a.csv", strings.Repeat("h", 20_000) + "\n" + strings.Repeat("1\n", 10_000), options{"format": "msgpack"}, "the output exceeds 5474336 bytes"},
		{"a.yaml", "a: &a [*a]\n", nil, "refers to a value that contains it"},
		{"a.yaml", "a: *b\n", nil, "1:"},
		{"a.yaml", "a: {<<: 5}", nil, "1:9: the key << can merge only objects; write an object or a list of objects"},
		{"a.yaml", bomb, nil, "aliases expand to too many values"},
		{"a.yaml", strings.Repeat("[", 1<<20), nil, "1:1: exceeded max depth"},
		{"a.yaml", nested(1001), nil, "1:1001: the value is nested deeper than 1000 levels"},
		{"a.yaml", strings.Repeat("- ", 5000) + "x", nil, "1"},
		{"a.yaml", "a: .nan", nil, "1:4: JSON cannot store NaN"},
		{"a.toml", "a = 1\na = 2", nil, "2:"},
		{"a.toml", "a = ", nil, "1:4: "},
		{"a.toml", "[a]\nb = [{c = inf}]", nil, "2:11: JSON cannot store Infinity"},
		{"a.toml", "a = 99999999999999999999", nil, "1:5: "},
		{"a.csv", "a,b\n1,2,3\n", nil, "2:1: the row has 3 cells, but the first row has 2; if lines come before the header, set skip_lines"},
		{"a.csv", "a,a\n", nil, `1:3: columns 1 and 2 are both called "a"`},
		{"a.csv", "a,\n", nil, "1:3: column 2 has no name"},
		{"a.csv", "a\n\"x\n", nil, "2:4: "},
		{"a.csv", "a\n\xff\n", nil, "2:1: byte 0xff is not UTF-8"},
		{"a.csv", "", nil, "the file is empty"},
		{"a.tsv", "", nil, "the file is empty"},
		{"a.tsv", "a\tb\n\n1\n", nil, "3:1: the row has 1 cells, but the first row has 2; add or remove cells"},
		{"a.tsv", "a\tb\né\tx\n", options{"columns": map[string]any{"b": "number"}}, `2:3: "x" is not a number`},
		{"a.tsv", "a\n\xff\n", nil, "2:1: byte 0xff is not UTF-8"},
		{"a.csv", "a\n1\n", options{"columns": map[string]any{"c": "z", "a": "x", "b": "y"}}, `have "x"`},
		{"a.csv", "a,b\nx,y\n", options{"columns": map[string]any{"b": "number"}}, `2:3: "y" is not a number`},
		{"a.csv", "a\nyes\n", options{"columns": map[string]any{"a": "bool"}}, `2:1: "yes" is not a bool`},
		{"a.csv", "a\n[1\n", options{"columns": map[string]any{"a": "json"}}, `2:1: in the cell: 1:3: unexpected end`},
		{"a.csv", "a\n1\n", options{"columns": map[string]any{"mass": "number"}}, `there is no column "mass"`},
		{"a.csv", "a\n1\n", options{"columns": map[string]any{"a": "float"}}, `columns: want "string", "number", "bool" or "json" for each column, have "float"`},
		{"a.csv", "a\n1\n", options{"columns": map[string]any{"a": "number"}, "header": false}, `columns: want header = true`},
		{"a.json", "{}", options{"schema": "kart.json"}, `schema: want a path from the asset directory`},
		{"a.json", "[1, 1e400]", options{"format": "cbor"}, "1:5: 1e400 is too large for a 64-bit float"},
		{"a.json", "[1, 1e9999999999999999999]", options{"format": "cbor", "numbers": "exact"}, "the exponent of 1e9999999999999999999 is too large"},
		{"a.json", "[" + strings.Repeat("9", 30_000) + "]", options{"format": "cbor"}, "the number has 30000 digits; the limit is"},
		{"a.json", "{\"x\": 18446744073709551616}", options{"format": "msgpack"}, "1:7: 18446744073709551616 does not fit into the 64 bits"},
		{"a.json", "[0.1]", options{"format": "msgpack", "numbers": "exact"}, "1:2: 0.1 does not fit exactly into a 64-bit float"},
		{"a.json", "[1e999]", options{"format": "msgpack"}, "1:2: 1e999 is too large for a 64-bit float"},
	} {
		res := cook(t, map[string]string{tc.path: tc.source}, tc.path, tc.o)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) || strings.Contains(res.Err.Error(), "\n") {
			t.Errorf("%s %.60q %v: error %v, want %s", tc.path, tc.source, tc.o, res.Err, tc.want)
		}
		if len(res.Outputs) > 0 && res.Outputs[0] != nil {
			t.Errorf("%s %.60q: wrote %d bytes", tc.path, tc.source, len(res.Outputs[0]))
		}
	}
}

// The cases are examples of RFC 8949, appendix A, and examples for the options.
func TestCBORIsThatOfTheRFC(t *testing.T) {
	for _, tc := range []struct{ source, o, want string }{
		{"0", "", "00"}, {"23", "", "17"}, {"24", "", "1818"}, {"1000", "", "1903e8"}, {"1000000", "", "1a000f4240"},
		{"1000000000000", "", "1b000000e8d4a51000"}, {"18446744073709551615", "", "1bffffffffffffffff"},
		{"18446744073709551616", "", "c249010000000000000000"}, {"-18446744073709551616", "", "3bffffffffffffffff"},
		{"-18446744073709551617", "", "c349010000000000000000"}, {"-1", "", "20"}, {"-1000", "", "3903e7"},
		{"0.0", "", "f90000"}, {"-0.0", "", "f98000"}, {"-0", "", "f98000"}, {"1.0", "", "f93c00"}, {"1.1", "", "fb3ff199999999999a"},
		{"65504.0", "", "f97bff"}, {"65520.0", "", "fa477ff000"}, {"65536.0", "", "fa47800000"}, {"100000.0", "", "fa47c35000"},
		{"3.4028234663852886e+38", "", "fa7f7fffff"}, {"1.0e+300", "", "fb7e37e43c8800759c"},
		{"5.960464477539063e-8", "", "f90001"}, {"0.00006103515625", "", "f90400"}, {"-4.0", "", "f9c400"}, {"-4.1", "", "fbc010666666666666"},
		{"2.5e-400", "", "f90000"}, {"0e99999999999999999999", "", "f90000"}, {"-0e99999999999999999999", "exact", "f98000"},
		{"true", "", "f5"}, {"false", "", "f4"}, {"null", "", "f6"},
		{`""`, "", "60"}, {`"IETF"`, "", "6449455446"}, {`"\u00fc"`, "", "62c3bc"},
		{"[]", "", "80"}, {"[1,[2,3],[4,5]]", "", "8301820203820405"}, {"{}", "", "a0"}, {`{"a":1,"b":[2,3]}`, "", "a26161016162820203"},
		{`{"bb":1,"a":2}`, "", "a2626262016161" + "02"}, {`{"bb":1,"a":2}`, "sort_keys", "a2616102626262" + "01"},
		{"273.15", "exact", "c48221196ab3"}, {"0.5", "exact", "f93800"}, {"1e400", "exact", "c48219019001"},
		{"-1.1", "exact", "c482202a"}, {"1e22", "exact", "fb4480f0cf064dd592"}, {"1e23", "exact", "c4821701"},
	} {
		o := options{"format": "cbor"}
		switch tc.o {
		case "exact":
			o["numbers"] = "exact"
		case "sort_keys":
			o["sort_keys"] = true
		}
		res := cook(t, map[string]string{"a.json": tc.source}, "a.json", o)
		if got := hex.EncodeToString(res.Outputs[0]); res.Err != nil || got != tc.want {
			t.Errorf("%s %s: got %s, %v, want %s", tc.source, tc.o, got, res.Err, tc.want)
		}
	}
}

func TestMessagePackIsShortest(t *testing.T) {
	for source, want := range map[string]string{
		"0": "00", "127": "7f", "128": "cc80", "-1": "ff", "-33": "d0df", "18446744073709551615": "cfffffffffffffffff",
		"-9223372036854775808": "d38000000000000000", "1.5": "ca3fc00000", "0.1": "cb3fb999999999999a", "-0": "ca80000000",
		"true": "c3", "0e99999999999999999999": "ca00000000", "null": "c0", `"a"`: "a161", "[1]": "9101", `{"b":1,"a":[]}`: "82a16201a16190",
	} {
		res := cook(t, map[string]string{"a.json": source}, "a.json", options{"format": "msgpack"})
		if got := hex.EncodeToString(res.Outputs[0]); res.Err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", source, got, res.Err, want)
		}
	}
}

func TestCanceledCookEnds(t *testing.T) {
	for path, source := range map[string]string{
		"a.json": "[" + strings.Repeat("1,", 50_000) + "1]",
		"a.yaml": strings.Repeat("- 1\n", 50_000),
		"a.toml": "a = [" + strings.Repeat("1,", 50_000) + "]",
		"a.csv":  "a\n" + strings.Repeat("1\n", 50_000),
	} {
		r := Recipe()
		tree := fstest.MapFS{path: &fstest.MapFile{Data: []byte(source)}}
		looks := countdown.New(t.Context(), 1<<30)
		if res := recipetest.CookContext(looks, t, r, r.New(), tree, "", path); res.Err != nil {
			t.Fatal(path, res.Err)
		}
		all := 1<<30 - looks.Left
		if all < 10 {
			t.Errorf("%s: %d checks of the context for %d values", path, all, 50_000)
		}
		for left := 0; left < all; left += max(1, all/8) {
			res := recipetest.CookContext(countdown.New(t.Context(), left), t, r, r.New(), tree, "", path)
			if !errors.Is(res.Err, context.Canceled) {
				t.Errorf("%s: error %v after %d of %d looks", path, res.Err, left, all)
			}
		}
	}
}

type never struct{ context.Context }

func (never) Err() error { return nil }
