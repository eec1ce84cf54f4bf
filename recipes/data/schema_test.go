package data

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
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
			"1:3: at /0: missing property 'mass'; 2:9: at /1/mass: exclusiveMinimum: got -1, want 0 (schema /schemas/kart.json)"},
		{"data/a.json", `[{"mass": 1, "a": 1}, {"mass": "x"}, {"mass": 1, "name": "X"}, {}, 5]`, kartSchema, partsSchema,
			"1:2: at /0: additional properties 'a' not allowed; 1:32: at /1/mass: got string, want number; 1:58: at /2/name: 'X' does not match pattern '^[a-z]+$'; and 2 more (schema /schemas/kart.json)"},
		{"data/a.csv", "mass\n1\n", kartSchema, partsSchema, "2:1: at /0/mass: got string, want number (schema /schemas/kart.json)"},
		{"data/a.toml", "mass = 1", `{"type": "array"}`, "", "at the top: got object, want array (schema /schemas/kart.json)"},
		{"data/a.json", `[1e999999999]`, `{"items": {"maximum": 3}}`, "", "1:2: at /0: maximum: got 1e999999999, want 3"},
		{"data/a.json", "[]", "", "", "schema /schemas/kart.json: "},
		{"data/a.json", "[]", `{"type": 5}`, "", "schema /schemas/kart.json: 1:10: type wants one or more of null, boolean,"},
		{"data/a.json", "[]", `{"items": {"required": "a"}}`, "", "schema /schemas/kart.json: 1:24: required wants a list, have string"},
		{"data/a.json", "[]", `{"items": {"$ref": "#/$defs/a"}}`, "", "schema /schemas/kart.json: 1:20: #/$defs/a: nothing is there"},
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

// Schemas are dependencies, including absent ones.
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
