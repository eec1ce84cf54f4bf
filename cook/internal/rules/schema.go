package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// targetPattern is a regular expression for the names of targets.
var targetPattern = fmt.Sprintf("^[a-z0-9_-]{1,%d}$", maxTargetName)

// A schema is a JSON Schema that package json can encode.
type schema = map[string]any

// Schema returns a JSON Schema of cook.toml files for some recipes. It uses draft-07, which TOML
// editors support. Compile refuses more files than the schema, which does not check templates, most
// of the pattern syntax, and combinations of rules.
func Schema(recipes *recipeset.Set) ([]byte, error) {
	definitions, tables := schema{}, schema{engineKey: engineSchema()}
	for _, name := range recipes.Names() {
		r, _ := recipes.Lookup(name)
		c := r.New()
		properties := schema{}
		for _, o := range recipeset.Options(c) {
			properties[o.Key] = o.Schema(c)
		}
		definitions[name] = schema{"type": "object", "description": aboutRecipe(r, c), "properties": properties}
		tables[name] = optionsOf(name, sortedKeys(properties))
	}
	top := schema{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "cook.toml",
		"description": "rules: which recipe cooks which sources, with which options",
		"definitions": definitions,
		"type":        "object",
		"properties": schema{
			"rule": schema{
				"description": "a rule; for each key the last rule that matches a source wins",
				"type":        "array",
				"items":       ruleSchema(recipes, definitions),
			},
			"project": schema{
				"description":          "the directories of the project, relative to this file",
				"type":                 "object",
				"properties":           projectSchema(),
				"additionalProperties": false,
			},
			"remote": schema{
				"description":          "the server that shares results; files are relative to this file",
				"type":                 "object",
				"properties":           remoteSchema(),
				"required":             []string{"url"},
				"additionalProperties": false,
			},
			"target": schema{
				"description":          "options and the engine of one target: [target.mobile.image]",
				"type":                 "object",
				"propertyNames":        schema{"pattern": targetPattern, "not": schema{"const": AllTargets}},
				"additionalProperties": schema{"type": "object", "properties": tables, "additionalProperties": false},
			},
		},
		"additionalProperties": false,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(top)
	return b.Bytes(), err
}

// projectSchema returns the schema for the table [project].
func projectSchema() schema {
	folder := func(about string) schema {
		return schema{"description": about, "type": "string", "minLength": 1}
	}
	name := schema{"type": "string", "pattern": targetPattern}
	return schema{
		"dir":       folder("the asset directory; default: the directory of this file"),
		"out":       folder("the output directory"),
		"cache":     folder("the directory of the store of results"),
		"state":     folder("the directory with .cook, the state, instead of the output directory"),
		engineKey:   engineSchema(),
		"ids":       schema{"description": "whether assets have IDs that renames keep, in the file assets.ids", "type": "boolean"},
		manifestKey: schema{"description": "single: manifest.json lists all assets; parts: it names files with about 1,000 assets each", "type": "string", "enum": manifest.LayoutNames()},
		"targets":   schema{"description": "the targets that are cooked unless a run names others; all means all targets", "anyOf": []any{name, schema{"type": "array", "items": name, "minItems": 1}}},
	}
}

// engineSchema returns the schema for an engine's name.
func engineSchema() schema {
	return schema{"description": "the engine that loads the artifacts: cook help engines", "type": "string", "enum": engine.Names()}
}

// aboutRecipe describes which sources a recipe cooks by default, and its outputs.
func aboutRecipe(r recipe.Recipe, c recipe.Cooker) string {
	text := "recipe " + r.Name
	if len(r.Extensions) > 0 {
		text += "; cooks by default " + strings.Join(r.Extensions, " ")
	}
	if outputs := c.Outputs(); len(outputs) > 0 {
		text += "; writes " + strings.Join(outputs, ", ")
	}
	return text
}

// optionsOf returns the schema of a table that may have the options of a recipe and some other
// keys.
func optionsOf(name string, keys []string) schema {
	s := schema{"allOf": []any{schema{"$ref": "#/definitions/" + name}}}
	if len(keys) == 0 {
		s["maxProperties"] = 0
	} else {
		s["propertyNames"] = schema{"enum": keys}
	}
	return s
}

// ruleSchema returns the schema of one [[rule]]. Its properties include all options, for editors
// that ignore conditions. A rule that names a recipe may have only the options of this recipe.
func ruleSchema(recipes *recipeset.Set, definitions schema) schema {
	pattern := schema{"type": "string", "minLength": 1}
	template := schema{"type": "string", "minLength": 1, "maxLength": maxTemplate, "pattern": `^[^/\\:*?"<>|][^\\:*?"<>|]*$`}
	var braced []string
	for _, w := range words {
		braced = append(braced, "{"+w.name+"}")
	}
	names := strings.Join(braced, " ")
	name := schema{"type": "string", "pattern": targetPattern, "not": schema{"const": AllTargets}}
	properties := schema{
		"match": schema{
			"description": `a pattern of sources or a list of them: "*.png", "ui/**/*.png", ["*.png", "!*_old.png"]`,
			"anyOf":       []any{pattern, schema{"type": "array", "items": pattern, "minItems": 1}},
		},
		"from":    schema{"description": "whether the patterns match sources, or artifacts, which the rule's recipe then cooks further", "enum": []string{fromSources, fromArtifacts}},
		"recipe":  schema{"description": "the recipe that cooks the matching files", "type": "string", "enum": recipes.Names()},
		"output":  schema{"description": "name of the recipe's output, with " + names, "allOf": []any{template}},
		"target":  schema{"description": "the target of the rule, or a list of targets; default: all targets", "anyOf": []any{name, schema{"type": "array", "items": name, "minItems": 1}}},
		"outputs": schema{"description": "names of the recipe's outputs, with " + names, "type": "array", "items": template, "minItems": 1},
	}
	takers := map[string][]any{} // distinct schemas of each option, by key
	var conditions []any
	for _, name := range recipes.Names() {
		options := definitions[name].(schema)["properties"].(schema)
		for _, key := range sortedKeys(options) {
			if !slices.ContainsFunc(takers[key], func(s any) bool { return reflect.DeepEqual(s, options[key]) }) {
				takers[key] = append(takers[key], options[key])
			}
		}
		conditions = append(conditions, schema{
			"if":   schema{"properties": schema{"recipe": schema{"const": name}}, "required": []string{"recipe"}},
			"then": optionsOf(name, slices.Concat(ruleKeys, sortedKeys(options))),
		})
		if _, has := options["command"]; has && name == "command" {
			conditions = append(conditions, schema{
				"if":   schema{"required": []string{"command"}, "not": schema{"required": []string{"recipe"}}},
				"then": optionsOf(name, slices.Concat(ruleKeys, sortedKeys(options))),
			})
		}
	}
	for key, schemas := range takers {
		properties[key] = schemas[0]
		if len(schemas) > 1 {
			properties[key] = schema{"anyOf": schemas}
		}
	}
	return schema{
		"type":                 "object",
		"properties":           properties,
		"required":             []string{"match"},
		"not":                  schema{"required": []string{"output", "outputs"}},
		"allOf":                conditions,
		"additionalProperties": false,
	}
}
