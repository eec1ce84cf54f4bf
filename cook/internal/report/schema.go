package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/guid"
	"github.com/assetcook/assetcook/profile/memory"
)

// A schema is a JSON Schema that package json can encode.
type schema = map[string]any

// Measured is the JSON record of time and memory by stage and recipe.
type Measured struct {
	Event    string            `json:"event"` // always "measured"
	Run      guid.ID           `json:"run,omitzero"`
	Counters counters.Snapshot `json:"counters"`
	Memory   []memory.GroupRow `json:"memory"`
	PeakRSS  int64             `json:"peak_rss,omitempty"` // peak physical memory in bytes
}

// A Kind is a kind of JSON lines that have the same fields.
type Kind struct {
	Events []string // values of the field "event"; the first is the name of the kind
	Always string   // names of the fields in every line, separated by spaces
	Maybe  string   // names of the fields in some lines
	Doc    string

	of reflect.Type
}

// These are the fields that several kinds of lines have.
const (
	ofAsset = "path_base64 target recipe outputs reasons bytes_in bytes_out ns cook_ns image origin"
	ofPlace = "file line column"
)

// Kinds lists the kinds of JSON lines. It omits commands that only print lists.
func Kinds() []Kind {
	record := reflect.TypeFor[Record]()
	return []Kind{
		{[]string{"begin"}, "version", "", "the first record of a run, and with `-watch` of each round that has work or a new error", record},
		{[]string{"started"}, "path", "path_base64 target recipe bytes_in cook_ns", "work on an asset has begun", record},
		{[]string{"up_to_date", "unchanged", "restored", "cooked", "not_shipped", "removed", "not_reached", "would_cook", "would_restore", "would_not_ship", "would_remove"}, "path", ofAsset,
			"the outcome of an asset; in dry runs, the expected one", record},
		{[]string{"failed", "would_fail"}, "path severity error", ofPlace + " " + ofAsset, "an asset failed", record},
		{[]string{"warned"}, "severity text", "path " + ofPlace + " " + ofAsset, "a source, a rule or a line of a `.cookignore` looks like a mistake", record},
		{[]string{"error"}, "severity error", "path path_base64 target " + ofPlace, "a failure outside of assets, such as wrong rules or flags, or a directory that cannot be listed", record},
		{[]string{"note"}, "text", "", "information about the run that is not a failure", record},
		{[]string{"summary"}, "summary", "", "the end of a run", record},
		{[]string{"measured"}, "counters memory", "run peak_rss", "with `-stats`, after the summary: the use of time and memory", reflect.TypeFor[Measured]()},
		{[]string{"difference"}, "severity path text finding", "file path_base64 target recipe outputs", "a difference that `cook verify` found", record},
		{[]string{"verified"}, "verified", "", "the end of `cook verify`", record},
		{[]string{"explanation"}, "path runs choices inputs", "path_base64 target id reasons error makes warnings last",
			"the answer of `cook why` for an asset and target, with the reasons of the next run", reflect.TypeFor[Explained]()},
		{[]string{"comparison"}, "path against result", "path_base64 target differences text",
			"the answer of `cook why -against` for an asset and target", reflect.TypeFor[Compared]()},
	}
}

// An Object describes a struct in the records.
type Object struct {
	Name   string
	Fields []Field

	of reflect.Type
}

// A Field describes a field of an object: its meaning, and its possible values if there are few.
type Field struct {
	Name, Doc string
	Words     []string
}

// fields has a paragraph for each object: its name, and a line per field. A line has the name, the
// meaning and the values of the field, separated by tabs.
//
//go:embed fields.txt
var fields string

// Objects describes the fields of all objects. Each object is named like its table in docs/json.md.
func Objects() []Object {
	types := map[string]reflect.Type{
		"record":      reflect.TypeFor[Record](),
		"reason":      reflect.TypeFor[cook.Reason](),
		"summary":     reflect.TypeFor[cook.Summary](),
		"count":       reflect.TypeFor[cook.Count](),
		"looked":      reflect.TypeFor[cook.Calls](),
		"remote":      reflect.TypeFor[cook.Traffic](),
		"files":       reflect.TypeFor[cook.Kind](),
		"finding":     reflect.TypeFor[cook.Finding](),
		"bytes":       reflect.TypeFor[cook.ByteDifference](),
		"verified":    reflect.TypeFor[cook.Verified](),
		"explanation": reflect.TypeFor[Explained](),
		"choices":     reflect.TypeFor[Choices](),
		"option":      reflect.TypeFor[cook.Option](),
		"input":       reflect.TypeFor[cook.Input](),
		"last":        reflect.TypeFor[cook.LastTime](),
		"origin":      reflect.TypeFor[cook.Origin](),
		"output":      reflect.TypeFor[cook.Output](),
		"comparison":  reflect.TypeFor[Compared](),
		"difference":  reflect.TypeFor[plan.Difference](),
		"measured":    reflect.TypeFor[Measured](),
		"memory":      reflect.TypeFor[memory.GroupRow](),
		"image":       reflect.TypeFor[ImageFact](),
	}
	var all []Object
	for paragraph := range strings.SplitSeq(strings.TrimSpace(fields), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		o := Object{Name: lines[0], of: types[lines[0]]}
		for _, line := range lines[1:] {
			cells := append(strings.Split(line, "\t"), "")
			f := Field{Name: cells[1], Doc: cells[2]}
			if cells[3] != "" {
				f.Words = strings.Split(cells[3], ", ")
			}
			o.Fields = append(o.Fields, f)
		}
		all = append(all, o)
	}
	return all
}

// Schema returns a JSON Schema (2020-12) of the lines of [Kinds]. It refuses unknown fields.
func Schema() ([]byte, error) {
	m := schemaMaker{defs: schema{}, objects: map[reflect.Type]*Object{}}
	objects := Objects()
	for i := range objects {
		m.objects[objects[i].of] = &objects[i]
	}
	var all []schema
	for _, k := range Kinds() {
		line, err := m.kindSchema(&k)
		if err != nil {
			return nil, err
		}
		name := k.Events[0] + "_event" // no object has this name
		m.defs[name] = line
		all = append(all, schemaRef(name))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(schema{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "cook -json",
		"description": fmt.Sprintf("a line of cook -json, cook verify -json or cook why -json, version %d; sizes are in bytes, times in nanoseconds", recordVersion),
		"oneOf":       all,
		"$defs":       m.defs,
	})
	return b.Bytes(), err
}

func schemaRef(def string) schema { return schema{"$ref": "#/$defs/" + def} }

// A schemaMaker creates the schemas of Go types.
type schemaMaker struct {
	defs    schema
	objects map[reflect.Type]*Object
}

// kindSchema returns the schema of lines of a kind.
func (m *schemaMaker) kindSchema(k *Kind) (schema, error) {
	all, err := m.structProperties(k.of)
	if err != nil {
		return nil, err
	}
	always := append([]string{"event"}, strings.Fields(k.Always)...)
	properties := schema{}
	for _, name := range append(strings.Fields(k.Maybe), always...) {
		if all[name] == nil {
			return nil, fmt.Errorf("%s has no field %s", k.of, name)
		}
		properties[name] = all[name]
	}
	properties["event"] = schema{"enum": k.Events}
	return schema{"description": k.Doc, "type": "object", "properties": properties, "required": always, "additionalProperties": false}, nil
}

// structProperties returns the schemas of the fields of a struct. It returns an error if
// Object.Fields does not match the struct.
func (m *schemaMaker) structProperties(t reflect.Type) (schema, error) {
	object := m.objects[t]
	if object == nil {
		return nil, fmt.Errorf("the schema lacks the fields of %s", t)
	}
	described := object.Fields
	properties := schema{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if len(described) == 0 || described[0].Name != name {
			return nil, fmt.Errorf("the schema of %s lacks the field %s at its place", t, name)
		}
		s, err := m.schemaOf(f.Type)
		if err != nil {
			return nil, err
		}
		if list := f.Type.Kind() == reflect.Slice; list && options == "" && s["type"] == "array" {
			s["type"] = []string{"array", "null"}
		}
		if words := described[0].Words; words != nil {
			s["enum"] = words
		}
		s["description"] = described[0].Doc
		properties[name], described = s, described[1:]
	}
	if len(described) > 0 {
		return nil, fmt.Errorf("%s has no field %s", t, described[0].Name)
	}
	return properties, nil
}

// schemaOf returns the schema of a type.
func (m *schemaMaker) schemaOf(t reflect.Type) (schema, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}, nil
	case reflect.TypeFor[guid.ID]():
		return schema{"type": "string"}, nil
	case reflect.TypeFor[counters.Snapshot]():
		return countersSchema(), nil
	}
	switch t.Kind() {
	case reflect.String:
		return schema{"type": "string"}, nil
	case reflect.Bool:
		return schema{"type": "boolean"}, nil
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return schema{"type": "integer"}, nil
	case reflect.Pointer:
		return m.schemaOf(t.Elem())
	case reflect.Slice:
		items, err := m.schemaOf(t.Elem())
		return schema{"type": "array", "items": items}, err
	case reflect.Struct:
		return m.definition(t)
	}
	return nil, fmt.Errorf("%s has no schema", t)
}

// definition returns a reference to the schema of a struct.
func (m *schemaMaker) definition(t reflect.Type) (schema, error) {
	properties, err := m.structProperties(t)
	if err != nil {
		return nil, err
	}
	required := []string{}
	for f := range t.Fields() {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && options == "" {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	name := m.objects[t].Name
	m.defs[name] = schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return schemaRef(name), nil
}

// countersSchema returns the schema of the output of [counters.Snapshot.MarshalJSON].
func countersSchema() schema {
	times := schema{}
	names := []string{"calls", "total_ns", "own_ns", "min_ns", "max_ns"}
	for _, name := range names {
		times[name] = schema{"type": "integer"}
	}
	return schema{"type": "object", "additionalProperties": schema{"anyOf": []schema{
		{"type": "number"},
		{"enum": []string{"NaN", "+Inf", "-Inf"}},
		{"type": "object", "properties": times, "required": names, "additionalProperties": false},
	}}}
}
