package data

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
)

// chain returns n schemas that each refer to the next; the last one applies the first to items.
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

// A schema that would crash the check, take forever, or is outside of the asset directory gives a
// one-line error.
func TestHostileSchemaIsRefused(t *testing.T) {
	many := strings.Repeat(`{"type":"null"},`, mostSchemas) + "true"
	for _, tc := range []struct{ source, schema, want string }{
		{nested(990), chain(1000), "more than 20000 schemas refer to one another"},
		{nested(24), chain(900), "more than 20000 schemas refer to one another"},
		{nested(990), chain(15), ""},
		{"1", `{"$schema": "/meta.json"}`, `$schema "/meta.json" is not known`},
		{"1", `{"$defs":{"a":{"$id":"x","$schema": "https://example.com/meta"}}}`, `$schema "https://example.com/meta" is not known`},
		{"1", `{"$schema": "http://json-schema.org/draft-07/schema#"}`, ""},
		{"1", `{"anyOf":[` + many + `]}`, "more than 20000 schemas in schemas"},
		{"1", strings.Repeat(" ", mostSchemaBytes) + "{}", "more than 1048576 bytes of schemas"},
		{"1", `{"$ref":"asset://host/number.json"}`, "asset://host/number.json is outside of the asset directory"},
		{"1", `{"$ref":"//number.json"}`, "asset://number.json is outside of the asset directory"},
		{"1", `{"$ref":"/number.json"}`, ""},
		{"1", `{"$ref":"number.json"}`, "schema /schemas/number.json: "},
		{strings.Repeat("[", 20) + "1" + strings.Repeat("]", 20), doubling["plain"], "the check takes too many steps"},
		{"1", `{"$ref":"#"}`, "schema /schemas/a.json: 1:1: this schema refers to itself without end"},
		{`"z"`, `{"enum":["a",1,{"b":[1,2.50]}]}`, "1:1: at the top: it is none of the values that are allowed"},
		{`{"b":[10e-1,25e-1]}`, `{"enum":["a",1,{"b":[1,2.50]}]}`, ""},
		{`[0.0,-0,null,true,[],{}]`, `{"items":{"enum":[0,null,true,[],{}]}}`, ""},
		{`["1"]`, `{"items":{"enum":[1,true]}}`, "1:2: at /0: value must be one of 1, true"},
		{`[[]]`, `{"items":{"enum":[{}]}}`, "1:2: at /0: it is none of the values that are allowed"},
	} {
		res := cook(t, map[string]string{"a.json": tc.source, "schemas/a.json": tc.schema, "number.json": `{"type":"number"}`}, "a.json", options{"schema": "/schemas/a.json"})
		if tc.want == "" && res.Err != nil || tc.want != "" && (res.Err == nil || !strings.Contains(res.Err.Error(), tc.want)) {
			t.Errorf("%.60s %.60s:\ngot  %v\nwant %s", tc.source, tc.schema, res.Err, tc.want)
		}
	}
}

// doubling are schemas that visit each list twice, its items four times, and so on.
var doubling = map[string]string{
	"plain":      `{"anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"draft 7":    `{"$schema":"http://json-schema.org/draft-07/schema","anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"2019":       `{"$schema":"https://json-schema.org/draft/2019-09/schema","anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"not":        `{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[{"items":{"$ref":"#/$defs/a"},"type":"array"},{"items":{"$ref":"#/$defs/a"},"type":"array"}]}}}`,
	"dynamic":    `{"$dynamicAnchor":"n","anyOf":[{"items":{"$dynamicRef":"#n"},"type":"array"},{"items":{"$dynamicRef":"#n"},"type":"array"}]}`,
	"one of":     `{"oneOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array"}]}`,
	"properties": `{"propertyNames":true,"anyOf":[{"prefixItems":[{"$ref":"#"}],"type":"array"},{"contains":{"$ref":"#"},"type":"array"}]}`,
}

// A check that takes too many steps ends.
func TestStepsOfACheckAreLimited(t *testing.T) {
	for name, schema := range doubling {
		res := cook(t, map[string]string{"a.json": strings.Repeat("[", 24) + "1" + strings.Repeat("]", 24), "s.json": schema}, "a.json", options{"schema": "/s.json"})
		if res.Err == nil || !strings.Contains(res.Err.Error(), "the check takes too many steps") {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}

// A canceled context ends a check at any point.
func TestCanceledCheckEnds(t *testing.T) {
	for name, tc := range map[string]struct{ source, schema string }{
		"many violations":   {"[" + strings.Repeat(`"a",`, 20_000) + "1]", `{"items":{"type":"number"}}`},
		"many alternatives": {strings.Repeat("[", 12) + "1" + strings.Repeat("]", 12), doubling["plain"]},
		"many keys":         {manyKeys(20_000), `{"additionalProperties":{"minimum":2}}`},
		"many schemas":      {"1", chain(300)},
	} {
		r := Recipe()
		tree := fstest.MapFS{"a.json": {Data: []byte(tc.source)}, "s.json": {Data: []byte(tc.schema)}}
		c := r.New().(*Data)
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

// Violations are reported with the same text each time.
func TestViolationsAreReportedInFixedOrder(t *testing.T) {
	for _, tc := range []struct{ path, source, schema, want string }{
		{"a.json", `{"b":1,"a":2,"x":1,"y":2,"z":3,"w":4}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"additionalProperties":false}`,
			"1:1: at the top: additional properties 'w', 'x', 'y', 'z' not allowed; 1:6: at /b: got number, want string; 1:12: at /a: got number, want string (schema /s.json)"},
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
