package data

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

var drafts = []string{
	"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

// The test compares the results with a JSON Schema library, for random schemas. Both must refuse
// the same schemas.
func TestSchemaAgreesWithLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draft := rapid.SampledFrom(drafts).Draw(t, "draft")
		doc := drawSchema(draft, 3).Draw(t, "schema")
		top, ok := doc.(map[string]any)
		if !ok {
			top = map[string]any{"allOf": []any{doc}}
		}
		top["$schema"] = draft
		top["definitions"] = map[string]any{"d": drawSchema(draft, 2).Draw(t, "definition")}
		schemaText, err := json.Marshal(top)
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		theirs, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schemaText)))
		if err == nil {
			err = compiler.AddResource("asset:///s.json", theirs)
		}
		if err != nil {
			t.Fatal(err)
		}
		compiled, theirErr := compiler.Compile("asset:///s.json")

		set := newSchemaSet(t.Context(), func(string) (string, *value, error) {
			doc, err := readJSON(&builder{ctx: t.Context()}, schemaText)
			return "/s.json", doc, err
		})
		ours, ourErr := set.openSchema("/s.json")
		if ourErr != nil || theirErr != nil {
			// The library also refuses invalid definitions that no schema refers to.
			if ourErr != nil && theirErr == nil {
				t.Fatalf("%s: %v", schemaText, ourErr)
			}
			return
		}
		for range 8 {
			text, err := json.Marshal(drawInstance(3).Draw(t, "instance"))
			if err != nil {
				t.Fatal(err)
			}
			instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			root, err := readJSON(&builder{ctx: t.Context()}, text)
			if err != nil {
				t.Fatal(err)
			}
			c, found := &checker{ctx: t.Context(), set: set, top: ours}, &violations{}
			got := c.applySchema(ours, root, nil, nil, found)
			want := compiled.Validate(instance) == nil
			if c.err != nil && strings.HasSuffix(c.err.Error(), "the schema refers to itself endlessly; change the $ref") {
				return // the library reports that the value is invalid
			}
			if c.err != nil || got != want || got != (found.all == 0) {
				t.Fatalf("%s\n%s: got %v (%v, %v), the library has %v", schemaText, text, got, c.err, found.violationsError(""), want)
			}
		}
	})
}

var drawNumber = rapid.Map(rapid.SampledFrom([]string{"0", "1", "2", "3", "-1", "1.5", "2.0", "1e1", "0.1", "9007199254740993", "1e-3"}), func(s string) any { return json.Number(s) })

func drawInstance(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return drawNumber.Draw(t, "number")
		case 3:
			return rapid.SampledFrom([]string{"", "a", "b", "ab", "é", "abc"}).Draw(t, "string")
		case 4:
			return rapid.SliceOfN(drawInstance(depth-1), 0, 4).Draw(t, "list")
		default:
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "ab"}), drawInstance(depth-1), 0, 4).Draw(t, "object")
		}
	})
}

func drawSchema(draft string, depth int) *rapid.Generator[any] {
	sub := func(t *rapid.T) any { return drawSchema(draft, depth-1).Draw(t, "sub") }
	subs := func(t *rapid.T) any {
		return []any{sub(t), sub(t)}[:rapid.IntRange(1, 2).Draw(t, "subs")]
	}
	name := rapid.SampledFrom([]string{"a", "b", "c", "ab"})
	names := func(t *rapid.T) any { return rapid.SliceOfNDistinct(name, 1, 3, rapid.ID).Draw(t, "names") }
	byName := func(t *rapid.T) any {
		m := map[string]any{}
		for _, n := range names(t).([]string) {
			m[n] = sub(t)
		}
		return m
	}
	return rapid.Custom(func(t *rapid.T) any {
		if depth <= 0 && draft != drafts[0] && rapid.IntRange(0, 3).Draw(t, "plain") == 0 {
			return rapid.Bool().Draw(t, "bool")
		}
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			key := rapid.SampledFrom([]string{
				"type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems",
				"minProperties", "maxProperties", "required", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "prefixItems", "additionalItems", "contains", "minContains",
				"maxContains", "properties", "patternProperties", "additionalProperties", "propertyNames", "dependencies", "dependentRequired", "dependentSchemas",
				"unevaluatedItems", "unevaluatedProperties", "$ref",
			}).Draw(t, "key")
			switch key {
			case "type":
				m[key] = rapid.SampledFrom([]any{"null", "boolean", "number", "string", "array", "object", "integer", []any{"integer", "string"}, []any{"array", "null"}}).Draw(t, "type")
			case "enum":
				m[key] = []any{drawInstance(1).Draw(t, "enum"), drawInstance(2).Draw(t, "enum")}[:rapid.IntRange(1, 2).Draw(t, "enums")]
			case "const":
				m[key] = drawInstance(1).Draw(t, "const")
			case "multipleOf":
				m[key] = json.Number(rapid.SampledFrom([]string{"1", "2", "0.5", "1e-2", "3"}).Draw(t, "of"))
			case "minimum", "maximum":
				m[key] = drawNumber.Draw(t, "bound")
			case "exclusiveMinimum":
				if draft == drafts[0] {
					m[key], m["minimum"] = true, drawNumber.Draw(t, "bound")
				} else {
					m[key] = drawNumber.Draw(t, "bound")
				}
			case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
				m[key] = rapid.IntRange(0, 3).Draw(t, "count")
			case "pattern":
				m[key] = rapid.SampledFrom([]string{"a", "^b", "^.$", ""}).Draw(t, "pattern")
			case "uniqueItems":
				m[key] = true
			case "required":
				m[key] = names(t)
			case "dependentRequired":
				m[key] = map[string]any{name.Draw(t, "name"): names(t)}
			case "$ref":
				m[key] = "#/definitions/d"
			default:
				if depth <= 0 {
					continue
				}
				switch key {
				case "allOf", "anyOf", "oneOf", "prefixItems":
					m[key] = subs(t)
				case "items":
					if m[key] = sub(t); draft != drafts[4] && rapid.Bool().Draw(t, "list") || draft == drafts[0] {
						m[key] = subs(t)
					}
				case "properties", "dependencies", "dependentSchemas", "patternProperties":
					m[key] = byName(t)
				default:
					m[key] = sub(t)
				}
			}
		}
		if _, ok := m["$ref"]; ok && draft < drafts[3] { // older drafts, whose URIs begin with http and sort before https
			delete(m, "const") // the library also checks const beside $ref
		}
		return m
	})
}
