package recipeset

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
)

// durationPattern is a JSON Schema regular expression for the values that time.ParseDuration
// accepts.
const durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// Schema returns a JSON Schema (draft-07) for the option's values, ready for encoding/json. It
// states the type, the words and the limits. The default is the option's value in the cooker c.
// JSON Schema cannot limit durations, so the description states their limits.
func (o Option) Schema(c recipe.Cooker) map[string]any {
	f := reflect.TypeOf(c).Elem().Field(o.field)
	schema := o.valueSchema(f)
	about := o.Doc
	if f.Type == durationType {
		about += "; " + o.Want
	}
	schema["description"] = about + "; default " + o.Value(c)
	value := plainValue(reflect.ValueOf(c).Elem().Field(o.field))
	if word, isWord := value.(string); isWord && f.Tag.Get("enum") != "" && isTruth(word) {
		value = word == "true"
	}
	if _, ok := parseOption(f, value); ok { // a default that means "not set" may be invalid as a value
		schema["default"] = value
	}
	return schema
}

func (o Option) valueSchema(f reflect.StructField) map[string]any {
	if f.Type == durationType {
		return map[string]any{"type": "string", "pattern": durationPattern}
	}
	switch f.Type.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return wordSchema(f.Tag.Get("enum"))
	case reflect.Slice:
		if f.Type.Elem().Kind() == reflect.Float64 {
			return map[string]any{"type": "array", "items": numberSchema(f, "number")}
		}
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	case reflect.Float32, reflect.Float64:
		return numberSchema(f, "number")
	}
	schema := numberSchema(f, "integer")
	if bits := f.Type.Bits(); bits < 64 {
		most := int64(1)<<(bits-1) - 1
		if schema["minimum"] == nil {
			schema["minimum"] = -most - 1
		}
		if schema["maximum"] == nil {
			schema["maximum"] = most
		}
	}
	return schema
}

// wordSchema returns a schema for one of the given words, or for any string. The words true and
// false have no quotes.
func wordSchema(words string) map[string]any {
	if words == "" {
		return map[string]any{"type": "string"}
	}
	list := strings.Split(words, ",")
	if !slices.ContainsFunc(list, isTruth) {
		return map[string]any{"type": "string", "enum": list}
	}
	all := make([]any, len(list))
	for i, w := range list {
		all[i] = w
		if isTruth(w) {
			all[i] = w == "true"
		}
	}
	return map[string]any{"enum": all}
}

func numberSchema(f reflect.StructField, kind string) map[string]any {
	schema := map[string]any{"type": kind}
	for tag, word := range map[string]string{"min": "minimum", "max": "maximum"} {
		if bound, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil && !math.IsInf(bound, 0) && !math.IsNaN(bound) {
			schema[word] = bound
		}
	}
	return schema
}

// plainValue returns the value of an option in the form that SetOption accepts.
func plainValue(v reflect.Value) any {
	if v.Type() == durationType {
		return time.Duration(v.Int()).String()
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = plainValue(v.Index(i))
		}
		return items
	case reflect.Map:
		table := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			table[it.Key().String()] = plainValue(it.Value())
		}
		return table
	}
	return v.Int()
}
