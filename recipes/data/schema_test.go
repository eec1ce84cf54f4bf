package data

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
)

const kartSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "array",
  "items": {
    "type": "object",
    "properties": {
      "mass": {"$ref": "parts/number.json#/$defs/positive"},
      "name": {"type": "string", "pattern": "^[a-z]+$"}
    },
    "required": ["mass"],
    "additionalProperties": false
  }
}`

const partsSchema = `{"$defs": {"positive": {"type": "number", "exclusiveMinimum": 0}}}`

func TestSchemaAcceptsAndRefusesValues(t *testing.T) {
	for _, tc := range []struct{ path, source, schema, parts, want string }{
		{"data/a.yaml", "- mass: 1.5\n  name: pebble\n", kartSchema, partsSchema, ""},
		{"data/a.yaml", "- name: pebble\n- mass: -1\n", kartSchema, partsSchema,
			"1:3: at /0: property 'mass' is missing; 2:9: at /1/mass: exclusiveMinimum: got -1, want 0 (schema /schemas/kart.json)"},
		{"data/a.json", `[{"mass": 1, "a": 1}, {"mass": "x"}, {"mass": 1, "name": "X"}, {}, 5]`, kartSchema, partsSchema,
			"1:2: at /0: additional properties 'a' are not allowed; 1:32: at /1/mass: got string, want number; 1:58: at /2/name: 'X' does not match pattern '^[a-z]+$'; and 2 more (schema /schemas/kart.json)"},
		{"data/a.csv", "mass\n1\n", kartSchema, partsSchema, "2:1: at /0/mass: got string, want number (schema /schemas/kart.json)"},
		{"data/a.toml", "mass = 1", `{"type": "array"}`, "", "at the top: got object, want array (schema /schemas/kart.json)"},
		{"data/a.json", `[1e999999999]`, `{"items": {"maximum": 3}}`, "", "1:2: at /0: maximum: got 1e999999999, want 3"},
		{"data/a.json", "[]", "", "", "schema /schemas/kart.json: "},
		{"data/a.json", "[]", `{"$schema": "http://json-schema.org/draft-06/schema#", "contains": {}, "minContains": 0}`, "", "contains"}, // draft-06 does not have this keyword
		{"data/a.json", "[1, 1]", `{"$schema": "http://json-schema.org/draft-07/schema#", "contains": {}, "maxContains": 1}`, "", ""},
		{"data/a.json", "[]", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "contains": {}, "minContains": 0}`, "", ""},
		{"data/a.json", "[1, 1]", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "contains": {}, "maxContains": 1}`, "", "contain"},
		{"data/a.json", "[]", `{"type": 5}`, "", "schema /schemas/kart.json: 1:10: type must be one or more of null, boolean,"},
		{"data/a.json", "[]", `{"items": {"required": "a"}}`, "", "schema /schemas/kart.json: 1:24: required must be a list, not string"},
		{"data/a.json", "[]", `{"items": {"$ref": "#/$defs/a"}}`, "", "schema /schemas/kart.json: 1:20: the schema has nothing at #/$defs/a"},
		{"data/a.json", "[]", `{"pattern": "(?=a)"}`, "", "schema /schemas/kart.json: 1:13: pattern \"(?=a)\": error parsing regexp"},
		{"data/a.json", "[]", `{"type": "array",}`, "", "schema /schemas/kart.json: 1:18: invalid character '}'"},
		{"data/a.json", "[]", kartSchema, "", "schema /schemas/parts/number.json: "},
		{"data/a.json", "[]", `{"$ref": "https://example.org/a.json"}`, "", "https://example.org/a.json is outside of the asset directory"},
		{"data/a.json", "[]", `{"$ref": "file:///etc/passwd"}`, "", "file:///etc/passwd is outside of the asset directory"},
		{"data/a.json", "[1]", `{"$ref": "../../../data/a.json"}`, "", "schema"},
		{"data/a.json", "[0e99999999999999999999, -0]", `{"items": {"maximum": 3, "enum": [0]}}`, "", ""},
		{"data/a.json", "[[[1]]]", `{"items": {"$ref": "#"}}`, "", ""},
		{"data/a.json", `["` + strings.Repeat("a", 100) + `!"]`, `{"items": {"pattern": "^(a+)+$"}}`, "", "does not match pattern"},
	} {
		files := map[string]string{tc.path: tc.source}
		if tc.schema != "" {
			files["schemas/kart.json"] = tc.schema
		}
		if tc.parts != "" {
			files["schemas/parts/number.json"] = tc.parts
		}
		res := cook(t, files, tc.path, options{"schema": "/schemas/kart.json"})
		if tc.want == "" && res.Err != nil || tc.want != "" && (res.Err == nil || !strings.Contains(res.Err.Error(), tc.want)) {
			t.Errorf("%s %s:\ngot  %v\nwant %s", tc.source, tc.schema, res.Err, tc.want)
		}
	}
}

// Schema files must be dependencies, even if they do not exist.
func TestSchemasAreDependencies(t *testing.T) {
	files := map[string]string{"data/a.yaml": "[]", "schemas/kart.json": kartSchema}
	res := cook(t, files, "data/a.yaml", options{"schema": "/schemas/kart.json"})
	want := []recipe.Dep{
		{Name: "/schemas/kart.json", On: recipe.Dependency{Path: "schemas/kart.json"}, Found: true},
		{Name: "/schemas/parts/number.json", On: recipe.Dependency{Path: "schemas/parts/number.json"}},
	}
	if d := cmp.Diff(want, res.Deps); d != "" || res.Err == nil {
		t.Errorf("error %v, dependencies %s", res.Err, d)
	}
}

func TestStringsSatisfyTheirFormat(t *testing.T) {
	for _, tc := range []struct{ format, right, wrong string }{
		{"email", `a@b a.b+c@d.e-f "a@b"@c "\""@c ~!{}@x josé@dé.f a@[127.0.0.1] a@[IPv6:::1]`,
			`a @a a@ .a@b a.@b a..b@c a@b@c "a@b a"b@c "a\@b a@b=c a@-b a@[127.0.0.300] a@[::1] a@[IPv6:x] a@[127.0.0.1 <a@b> (x)a@b a@dé:f a@"dé"`},
		{"hostname", "a 1b a.b-c.d K.x", "a_b -a a- a..b a. \u212a.x"},
		{"uri", "http://a/b http://u:p@a/ http://[::1]:8/ urn:a:b mailto:a@b@c x:/a//b@c@d", "http:/[::1] http://a/[b] http://u[@a/ //a a/b http://a@b@c/ http://a/b|c"},
		{"uri-reference", "//a@b/c@d@e a?b@c@d#e ../a", "/[::1] //a@b@c/ //a@b@c"},
		{"uri-template", "a {a} {+a} {?a,b} {a.b} {a*} {a:1} {a:9999}b {%41_1} %41 it's \u00e4",
			"{} {a {a,} {a,,b} {,a,} {a..b} {.a.} {a:0} {a:01} {a:10000} {a=b} {,+a} {a*:1} } %4 % a\x7f a\u0080 a|b"},
	} {
		for want, list := range map[bool]string{true: tc.right, false: tc.wrong} {
			for _, s := range strings.Fields(list) {
				if satisfies(tc.format, s) != want {
					t.Errorf("%s %q: %v", tc.format, s, !want)
				}
			}
		}
	}
}

// Package net/mail must accept every address that isEmail accepts, except those with empty quotes
// or literals.
func FuzzEmail(f *testing.F) {
	for _, s := range []string{"a@b", `"a b\"c"@d`, "a@[127.0.0.1]", "a..b@c", "josé@é", "a@b=c", "a b@c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || !isEmail(s) || strings.HasPrefix(s, `""`) || strings.Contains(s, "@[") {
			return
		}
		if a, err := mail.ParseAddress("<" + s + ">"); err != nil || a.Name != "" {
			t.Errorf("%q: %v", s, err)
		}
	})
}

func TestNumbersAreComparedByTheirDigits(t *testing.T) {
	const large = "123456789012345678901234567890123456789"
	for _, tc := range []struct {
		value, schema string
		ok            bool
	}{
		{"5", `{"minimum": 1e999999999}`, false},
		{"5", `{"maximum": 1e999999999}`, true},
		{"1e999999998", `{"maximum": 1e999999999, "minimum": 1e999999997}`, true},
		{"-1e999999998", `{"maximum": -1e999999999}`, false},
		{"5", `{"multipleOf": 1e-999999999}`, true},
		{"1e-999999999", `{"multipleOf": 1e-999999999}`, true},
		{"1e-999999999", `{"multipleOf": 1}`, false},
		{"1e999999999", `{"multipleOf": 7}`, false},
		{"7e999999999", `{"multipleOf": 7, "type": "integer"}`, true},
		{"9007199254740993", `{"minimum": 9007199254740993, "maximum": 9007199254740993}`, true},
		{"9007199254740992", `{"minimum": 9007199254740993}`, false},
		{"0.30", `{"multipleOf": 0.1, "const": 3e-1, "enum": [300e-3]}`, true},
		{"0.35", `{"multipleOf": 0.1}`, false},
		{"19.99", `{"multipleOf": 0.01}`, true},
		{"30", `{"multipleOf": 20}`, false},
		{"40", `{"multipleOf": 2e1}`, true},
		{large, `{"const": ` + large + `.000, "type": "integer"}`, true},
		{large + ".5", `{"type": "integer"}`, false},
		{large, `{"exclusiveMinimum": ` + large + `}`, false},
		{"-0", `{"minimum": 0, "maximum": 0, "const": 0, "multipleOf": 3}`, true},
		{"10", `{"minimum": 9.99999, "maximum": 1.0e1}`, true},
		{"[1,2]", `{"minItems": 2.0, "maxItems": 0.2e1}`, true},
		{"[1,2]", `{"maxItems": 1e99}`, true},
		{"10", `{"$schema":"http://json-schema.org/draft-04/schema","minimum": 10, "exclusiveMinimum": true}`, false},
		{"10", `{"$schema":"http://json-schema.org/draft-04/schema","minimum": 10, "exclusiveMinimum": false}`, true},
	} {
		res := cook(t, map[string]string{"a.json": tc.value, "s.json": tc.schema}, "a.json", options{"schema": "/s.json"})
		if (res.Err == nil) != tc.ok || res.Err != nil && !strings.HasPrefix(res.Err.Error(), "1:1: at the top: ") {
			t.Errorf("%s %s: %v", tc.value, tc.schema, res.Err)
		}
	}
	for _, tc := range []struct{ source, schema, want string }{
		{"1", `{"multipleOf": 0}`, "schema /s.json: 1:16: multipleOf wants a number above 0, have 0"},
		{"1", `{"minLength": -1}`, "1:15: minLength wants a whole number of at least 0, have -1"},
		{"1", `{"minLength": 1.5}`, "1:15: minLength wants a whole number of at least 0, have 1.5"},
		{"1", `{"minimum": 1e9999999999999999999}`, "1:13: minimum: 1e9999999999999999999 is too long or too large"},
		{"1", `{"minimum": ` + strings.Repeat("1", mostDigits+1) + `}`, "is too long or too large"},
		{"1e9999999999999999999", `{"minimum": 1}`, "1:1: at the top: 1e9999999999999999999 is too long or too large to be compared"},
	} {
		res := cook(t, map[string]string{"a.json": tc.source, "s.json": tc.schema}, "a.json", options{"schema": "/s.json"})
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%.40s %.40s: got %v, want %s", tc.source, tc.schema, res.Err, tc.want)
		}
	}
	// Infinities and NaN of YAML must satisfy no bound.
	res := cook(t, map[string]string{"a.yaml": ".inf", "s.json": `{"minimum": 1}`}, "a.yaml", options{"schema": "/s.json", "format": "cbor"})
	if res.Err == nil || !strings.Contains(fmt.Sprint(res.Err), "Infinity cannot be compared") {
		t.Errorf("infinity: %v", res.Err)
	}
}

// chain returns n schemas that each refer to the next. The last one applies the first to items.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"%d":{"items":{"$ref":"#/$defs/0"}}}}`, n)
	return b.String()
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// Each of these schemas would crash the check, would take very long, or is outside of the asset
// directory. Each must give a one-line error.
func TestHostileSchemaIsRefused(t *testing.T) {
	many := strings.Repeat(`{"type":"null"},`, mostSchemas) + "true"
	for _, tc := range []struct{ source, schema, want string }{
		{nested(990), chain(1000), "more than 20000 schemas refer to each other"},
		{nested(24), chain(900), "more than 20000 schemas refer to each other"},
		{nested(990), chain(15), ""},
		{"1", `{"$schema": "/meta.json"}`, `$schema "/meta.json" is unknown; use a draft of json-schema.org from 4 to 2020-12`},
		{"1", `{"$defs":{"a":{"$id":"x","$schema": "https://example.com/meta"}}}`, `$schema "https://example.com/meta" is unknown; use a draft of json-schema.org from 4 to 2020-12`},
		{"1", `{"$schema": "http://json-schema.org/draft-07/schema#"}`, ""},
		{"1", `{"anyOf":[` + many + `]}`, "there are more than 20000 nested schemas; check parts of the data separately"},
		{"1", strings.Repeat(" ", mostSchemaBytes) + "{}", "the schemas have more than 1048576 bytes; check parts of the data separately"},
		{"1", `{"$ref":"asset://host/number.json"}`, "asset://host/number.json is outside of the asset directory"},
		{"1", `{"$ref":"//number.json"}`, "asset://number.json is outside of the asset directory"},
		{"1", `{"$ref":"/number.json"}`, ""},
		{"1", `{"$ref":"number.json"}`, "schema /schemas/number.json: "},
		{strings.Repeat("[", 20) + "1" + strings.Repeat("]", 20), doubling["plain"], "the check takes too many steps"},
		{"1", `{"$ref":"#"}`, "schema /schemas/a.json: 1:1: the schema refers to itself endlessly; change the $ref"},
		{`"z"`, `{"enum":["a",1,{"b":[1,2.50]}]}`, "1:1: at the top: the value is not one of the allowed values"},
		{`{"b":[10e-1,25e-1]}`, `{"enum":["a",1,{"b":[1,2.50]}]}`, ""},
		{`[0.0,-0,null,true,[],{}]`, `{"items":{"enum":[0,null,true,[],{}]}}`, ""},
		{`["1"]`, `{"items":{"enum":[1,true]}}`, "1:2: at /0: value must be one of 1, true"},
		{`[[]]`, `{"items":{"enum":[{}]}}`, "1:2: at /0: the value is not one of the allowed values"},
	} {
		res := cook(t, map[string]string{"a.json": tc.source, "schemas/a.json": tc.schema, "number.json": `{"type":"number"}`}, "a.json", options{"schema": "/schemas/a.json"})
		if tc.want == "" && res.Err != nil || tc.want != "" && (res.Err == nil || !strings.Contains(res.Err.Error(), tc.want)) {
			t.Errorf("%.60s %.60s:\ngot  %v\nwant %s", tc.source, tc.schema, res.Err, tc.want)
		}
	}
}

// doubling are schemas whose work doubles with each level of a list: they visit its items twice,
// their items four times, and so on.
var doubling = map[string]string{
	"plain":      `{"anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"draft 7":    `{"$schema":"http://json-schema.org/draft-07/schema","anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"2019":       `{"$schema":"https://json-schema.org/draft/2019-09/schema","anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"not":        `{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[{"items":{"$ref":"#/$defs/a"},"type":"array"},{"items":{"$ref":"#/$defs/a"},"type":"array"}]}}}`,
	"dynamic":    `{"$dynamicAnchor":"n","anyOf":[{"items":{"$dynamicRef":"#n"},"type":"array"},{"items":{"$dynamicRef":"#n"},"type":"array"}]}`,
	"one of":     `{"oneOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"properties": `{"propertyNames":true,"anyOf":[{"prefixItems":[{"$ref":"#"}],"type":"array"},{"contains":{"$ref":"#"},"type":"array"}]}`,
}

func TestStepsOfACheckAreLimited(t *testing.T) {
	for name, schema := range doubling {
		res := cook(t, map[string]string{"a.json": strings.Repeat("[", 24) + "1" + strings.Repeat("]", 24), "s.json": schema}, "a.json", options{"schema": "/s.json"})
		if res.Err == nil || !strings.Contains(res.Err.Error(), "the check takes too many steps") {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}

func TestCanceledCheckEnds(t *testing.T) {
	for name, tc := range map[string]struct{ source, schema string }{
		"many violations":   {"[" + strings.Repeat(`"a",`, 20_000) + "1]", `{"items":{"type":"number"}}`},
		"many alternatives": {strings.Repeat("[", 12) + "1" + strings.Repeat("]", 12), doubling["plain"]},
		"many keys":         {manyKeys(20_000), `{"additionalProperties":{"minimum":2}}`},
		"many schemas":      {"1", chain(300)},
	} {
		r := Recipe()
		tree := fstest.MapFS{"a.json": {Data: []byte(tc.source)}, "s.json": {Data: []byte(tc.schema)}}
		c := r.New().(*dataOptions)
		c.Schema = "/s.json"
		looks := countdown.New(t.Context(), 1<<30)
		recipetest.CookContext(looks, t, r, c, tree, "", "a.json")
		all := 1<<30 - looks.Left
		if all < 50 {
			t.Errorf("%s: only %d checks of the context", name, all)
		}
		for left := 0; left < all; left += max(1, all/8) {
			res := recipetest.CookContext(countdown.New(t.Context(), left), t, r, c, tree, "", "a.json")
			if !errors.Is(res.Err, context.Canceled) {
				t.Errorf("%s: error %v after %d of %d looks", name, res.Err, left, all)
			}
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"key%d":1,`, i)
	}
	b.WriteString(`"z":1}`)
	return b.String()
}

// The text about violations must be the same each time.
func TestViolationsAreReportedInFixedOrder(t *testing.T) {
	for _, tc := range []struct{ path, source, schema, want string }{
		{"a.json", `{"b":1,"a":2,"x":1,"y":2,"z":3,"w":4}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"additionalProperties":false}`,
			"1:1: at the top: additional properties 'w', 'x', 'y', 'z' are not allowed; 1:6: at /b: got number, want string; 1:12: at /a: got number, want string (schema /s.json)"},
		{"a.json", manyKeys(50), `{"additionalProperties":{"type":"string"}}`, "1:9: at /key0: got number, want string; 1:18: at /key1: got number, want string; 1:27: at /key2: got number, want string; and 48 more (schema /s.json)"},
	} {
		for range 20 {
			res := cook(t, map[string]string{tc.path: tc.source, "s.json": tc.schema}, tc.path, options{"schema": "/s.json"})
			if res.Err == nil || res.Err.Error() != tc.want {
				t.Fatalf("%.40s: got %v\nwant %s", tc.source, res.Err, tc.want)
			}
		}
	}
}
