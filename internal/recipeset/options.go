package recipeset

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
)

// An Option describes one exported field of an options struct. Its tags are
//
//	toml:"key"      the name in cook.toml (required)
//	doc:"..."       a description in one line
//	enum:"a,b"      allowed words of a string
//	min:"1" max:"9" limits of a number, both inclusive
//	unkeyed:"why"   reason why the option is not part of the fingerprint
//
// A field may be a bool, string, integer, float, time.Duration (written "1m30s"), []string,
// []float64 or map[string]string.
type Option struct {
	Key     string
	Doc     string
	Want    string // expected value in error messages, such as "true or false"
	Unkeyed string // reason why the option affects no output; "" for most options
	field   int
}

// Options lists the options of a cooker in the order of its struct fields.
func Options(c recipe.Cooker) []Option {
	return slices.Clone(describeOptions(reflect.TypeOf(c).Elem()).options)
}

// A description holds the options that a struct declares in its fields.
type description struct {
	options []Option // options in the order of the struct fields
	keyed   []Option // options that can change the result, sorted by key
	err     error    // error if a field cannot be an option
}

// descriptions caches the description of each struct by its reflect.Type.
var descriptions sync.Map

func describeOptions(t reflect.Type) *description {
	if known, ok := descriptions.Load(t); ok {
		return known.(*description)
	}
	d := &description{err: checkFields(t)}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		o := Option{
			Key: f.Tag.Get("toml"), Doc: f.Tag.Get("doc"), Want: wantedText(f),
			Unkeyed: f.Tag.Get("unkeyed"), field: i,
		}
		d.options = append(d.options, o)
		if o.Unkeyed == "" {
			d.keyed = append(d.keyed, o)
		}
	}
	slices.SortFunc(d.keyed, func(a, b Option) int { return strings.Compare(a.Key, b.Key) })
	descriptions.Store(t, d)
	return d
}

// ErrNoOption is the error of SetOption for a key that the recipe does not define.
var ErrNoOption = errors.New("no such option")

// SetOption sets one option. value has a type that a TOML parser returns: bool, int64, float64,
// string, []any or map[string]any. For an invalid value, SetOption returns a *recipe.OptionError
// and does not change the option.
func SetOption(c recipe.Cooker, key string, value any) error {
	v := reflect.ValueOf(c).Elem()
	for _, o := range describeOptions(v.Type()).options {
		if o.Key != key {
			continue
		}
		f := v.Type().Field(o.field)
		parsed, ok := parseOption(f, value)
		if !ok {
			return &recipe.OptionError{Key: key, Got: tomlText(value), Want: o.Want}
		}
		v.Field(o.field).Set(parsed)
		return nil
	}
	return ErrNoOption
}

// A Field is an option and its value, in the form that the action ID and messages use.
type Field struct{ Key, Value string }

// Value returns the option's value in a cooker, in the form of Field.Value.
func (o Option) Value(c recipe.Cooker) string { return o.valueIn(reflect.ValueOf(c).Elem()) }

func (o Option) valueIn(options reflect.Value) string {
	v := options.Field(o.field)
	if enum := options.Type().Field(o.field).Tag.Get("enum"); enum != "" && isTruth(v.String()) {
		return v.String()
	}
	return canonicalText(v)
}

// Fields lists the options that can change the result, sorted by key. Values are canonical: equal
// options have equal text, and different options have different text.
func Fields(c recipe.Cooker) []Field {
	v := reflect.ValueOf(c).Elem()
	var fields []Field
	for _, o := range describeOptions(v.Type()).keyed {
		fields = append(fields, Field{o.Key, o.valueIn(v)})
	}
	return fields
}

var durationType = reflect.TypeFor[time.Duration]()

func checkCooker(c recipe.Cooker) error {
	t := reflect.TypeOf(c)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("the New function must return a pointer to a struct, not %v", t)
	}
	return describeOptions(t.Elem()).err
}

func checkFields(t reflect.Type) error {
	seen := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			if f.Name == "_" {
				continue
			}
			return fmt.Errorf("field %s is not exported: every option must be in the fingerprint", f.Name)
		}
		key := f.Tag.Get("toml")
		switch {
		case key == "" || strings.ContainsAny(key, ", ."):
			return fmt.Errorf("field %s needs a plain toml tag", f.Name)
		case reserved[key]:
			return fmt.Errorf("field %s: the key %q is reserved for rules; choose another key", f.Name, key)
		case seen[key]:
			return fmt.Errorf("field %s: another field has the key %q", f.Name, key)
		case wantedText(f) == "":
			return fmt.Errorf("field %s: options cannot have the type %v", f.Name, f.Type)
		}
		seen[key] = true
	}
	return nil
}

// reserved are the keys that have a meaning in every rule, so no option may use them.
var reserved = map[string]bool{"match": true, "recipe": true, "output": true, "outputs": true}

func wantedText(f reflect.StructField) string {
	if words := f.Tag.Get("enum"); words != "" && f.Type.Kind() == reflect.String {
		quoted := strings.Split(words, ",")
		for i, w := range quoted {
			if !isTruth(w) {
				quoted[i] = strconv.Quote(w)
			}
		}
		return strings.Join(quoted, " or ")
	}
	switch {
	case f.Type == durationType:
		return `a duration such as "30s"` + boundsText(f)
	case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.String:
		return "a list of strings"
	case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Float64:
		return "a list of numbers" + boundsText(f)
	case f.Type.Kind() == reflect.Map && f.Type.Key().Kind() == reflect.String && f.Type.Elem().Kind() == reflect.String:
		return "a table of strings"
	}
	switch f.Type.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number" + boundsText(f)
	case reflect.Float32, reflect.Float64:
		return "a number" + boundsText(f)
	}
	return ""
}

// isTruth reports whether a word of an enum is true or false, which TOML writes without quotes.
func isTruth(word string) bool { return word == "true" || word == "false" }

func boundsText(f reflect.StructField) string {
	low, high := f.Tag.Get("min"), f.Tag.Get("max")
	switch {
	case low != "" && high != "":
		return " from " + low + " to " + high
	case low != "":
		return " of at least " + low
	case high != "":
		return " of at most " + high
	}
	return ""
}

func parseOption(f reflect.StructField, value any) (reflect.Value, bool) {
	out := reflect.New(f.Type).Elem()
	if f.Type == durationType {
		s, ok := value.(string)
		d, err := time.ParseDuration(s)
		if !ok || err != nil || !durationWithin(f, d) {
			return out, false
		}
		out.SetInt(int64(d))
		return out, true
	}
	switch f.Type.Kind() {
	case reflect.Bool:
		b, ok := value.(bool)
		out.SetBool(b)
		return out, ok
	case reflect.String:
		s, ok := value.(string)
		words := f.Tag.Get("enum")
		if ok = ok && (words == "" || !isTruth(s)); words != "" {
			if b, truth := value.(bool); truth { // true and false can be words of an enum, as in "auto,true,false"
				s, ok = strconv.FormatBool(b), true
			}
		}
		out.SetString(s)
		return out, ok && (words == "" || slices.Contains(strings.Split(words, ","), s))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := value.(int64)
		if !ok || out.OverflowInt(n) || !withinBounds(f, float64(n)) {
			return out, false
		}
		out.SetInt(n)
		return out, true
	case reflect.Float32, reflect.Float64:
		x, ok := numberIn(f, value)
		out.SetFloat(x)
		return out, ok
	case reflect.Slice:
		list, ok := value.([]any)
		for _, e := range list {
			if f.Type.Elem().Kind() == reflect.Float64 {
				x, isNumber := numberIn(f, e)
				ok = ok && isNumber
				out = reflect.Append(out, reflect.ValueOf(x).Convert(f.Type.Elem()))
				continue
			}
			s, isString := e.(string)
			if ok = ok && isString; ok {
				out = reflect.Append(out, reflect.ValueOf(s).Convert(f.Type.Elem()))
			}
		}
		return out, ok
	case reflect.Map:
		table, ok := value.(map[string]any)
		out = reflect.MakeMap(f.Type)
		for k, e := range table {
			s, isString := e.(string)
			if ok = ok && isString; ok {
				out.SetMapIndex(reflect.ValueOf(k).Convert(f.Type.Key()), reflect.ValueOf(s).Convert(f.Type.Elem()))
			}
		}
		return out, ok
	}
	return out, false
}

// numberIn returns a finite number within the limits of f.
func numberIn(f reflect.StructField, value any) (x float64, ok bool) {
	x, ok = value.(float64)
	if n, whole := value.(int64); whole {
		x, ok = float64(n), true
	}
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) || !withinBounds(f, x) {
		return 0, false
	}
	return x + 0, true // adding 0 turns -0 into 0, so that equal values have equal text
}

func withinBounds(f reflect.StructField, x float64) bool {
	if s := f.Tag.Get("min"); s != "" {
		if low, err := strconv.ParseFloat(s, 64); err != nil || x < low {
			return false
		}
	}
	if s := f.Tag.Get("max"); s != "" {
		if high, err := strconv.ParseFloat(s, 64); err != nil || x > high {
			return false
		}
	}
	return true
}

func durationWithin(f reflect.StructField, d time.Duration) bool {
	if low, err := time.ParseDuration(f.Tag.Get("min")); err == nil && d < low {
		return false
	}
	if high, err := time.ParseDuration(f.Tag.Get("max")); err == nil && d > high {
		return false
	}
	return true
}

func canonicalText(v reflect.Value) string {
	if v.Type() == durationType {
		return time.Duration(v.Int()).String()
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = canonicalText(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		items := make([]string, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			items = append(items, canonicalText(it.Key())+" = "+canonicalText(it.Value()))
		}
		slices.Sort(items)
		return "{" + strings.Join(items, ", ") + "}"
	}
	panic("recipeset: option of type " + v.Type().String() + " passed checkOptions")
}

// tomlText formats a TOML value as a person would have written it.
func tomlText(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			items[i] = tomlText(e)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprint(value)
}
