package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/builtin"
	"github.com/assetcook/assetcook/recipes/data"
)

// builtinRecipe returns a recipe of package builtin.
func builtinRecipe(name string) recipe.Recipe {
	for _, r := range builtin.All() {
		if r.Name == name {
			return r
		}
	}
	panic("no recipe " + name)
}

// jsonSuite makes the trials of JSON files. The first letter of a name is y (valid), n (invalid) or
// i (either).
func jsonSuite(dir string) ([]trial, error) {
	names, err := files(dir, "test_parsing", ".json")
	var list []trial
	for _, r := range []recipe.Recipe{builtinRecipe("json"), data.Recipe()} {
		for _, name := range names {
			expect, ok := map[byte]expectation{'y': mustAccept, 'n': mustRefuse, 'i': mayRefuse}[path.Base(name)[0]]
			if !ok {
				continue
			}
			list = append(list, trial{row: "recipe " + r.Name, file: name, run: func(ctx context.Context) (outcome, error) {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					return outcome{}, err
				}
				o := outcome{expect: expect}
				out, _, err := cookVector(ctx, r, nil, os.DirFS(dir), name)
				if o.refusal = err; err != nil || expect == mustRefuse {
					return o, nil
				}
				want, err := readJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
				if err != nil {
					o.noReference = "encoding/json: " + err.Error()
				} else {
					o.difference = compareJSON(out, want)
				}
				return o, nil
			}})
		}
	}
	return list, err
}

// compareJSON describes the first difference between the values in a JSON text and the expected
// values; "" if there is none.
func compareJSON(text []byte, want []any) string {
	got, err := readJSON(text)
	if err != nil {
		return "output is not JSON: " + err.Error()
	}
	return unlike("", any(got), any(want))
}

// readJSON returns all values in a JSON text.
func readJSON(text []byte) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	list := []any{}
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// unlike describes the first difference between two values; "" if there is none. A function in the
// reference checks a value whose type JSON does not have.
func unlike(at string, got, want any) string {
	differ := fmt.Sprintf("at %s/: %.60s, want %.60s", at, show(got), show(want))
	switch want := want.(type) {
	case func(any) bool:
		if want(got) {
			return ""
		}
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return differ
		}
		for key, w := range want {
			g, ok := got[key]
			if !ok {
				return differ
			}
			if d := unlike(at+"/"+key, g, w); d != "" {
				return d
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return differ
		}
		for i := range want {
			if d := unlike(fmt.Sprintf("%s/%d", at, i), got[i], want[i]); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		if got, ok := got.(json.Number); ok && sameNumber(string(got), string(want)) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return differ
}

func show(v any) string {
	if text, err := json.Marshal(v); err == nil {
		return string(text)
	}
	return "a date or time"
}

func sameNumber(a, b string) bool {
	x, okX := new(big.Int).SetString(a, 10)
	y, okY := new(big.Int).SetString(b, 10)
	if okX && okY {
		return x.Cmp(y) == 0
	}
	f, _ := strconv.ParseFloat(a, 64)
	g, _ := strconv.ParseFloat(b, 64)
	return a == b || f == g
}

// yamlSuite makes the trials of the directories that have in.yaml. A file error means that in.yaml
// is invalid; otherwise there usually is a file in.json with all documents.
func yamlSuite(dir string) ([]trial, error) {
	names, err := files(dir, ".", ".yaml")
	var list []trial
	for _, name := range names {
		if path.Base(name) != "in.yaml" {
			continue
		}
		list = append(list, trial{row: "YAML", file: path.Dir(name), run: func(ctx context.Context) (outcome, error) {
			folder := filepath.Join(dir, path.Dir(name))
			out, _, refusal := cookVector(ctx, data.Recipe(), map[string]any{"documents": true}, os.DirFS(dir), name)
			o := outcome{refusal: refusal}
			if _, err := os.Stat(filepath.Join(folder, "error")); err == nil {
				o.expect = mustRefuse
				return o, nil
			}
			text, err := os.ReadFile(filepath.Join(folder, "in.json"))
			if err != nil {
				// JSON cannot express mappings whose keys are lists, and similar data.
				o.expect, o.noReference = mayRefuse, "the suite has no JSON for this file"
				return o, nil
			}
			want, err := readJSON(text)
			if refusal == nil {
				o.difference = compareJSON(out, []any{want})
			}
			return o, err
		}})
	}
	return list, err
}

// tomlSuite makes the trials of the valid and invalid files that a list names for TOML 1.0. The
// values of a valid file are in a JSON file beside it, as {"type": ..., "value": ...}.
func tomlSuite(dir string) ([]trial, error) {
	text, err := os.ReadFile(filepath.Join(dir, "tests/files-toml-1.0.0"))
	var list []trial
	for _, line := range strings.Fields(string(text)) {
		if !strings.HasSuffix(line, ".toml") {
			continue
		}
		name := path.Join("tests", line)
		list = append(list, trial{row: "TOML 1.0", file: name, run: func(ctx context.Context) (outcome, error) {
			var o outcome
			out, _, err := cookVector(ctx, data.Recipe(), nil, os.DirFS(dir), name)
			o.refusal = err
			if strings.HasPrefix(line, "invalid/") {
				o.expect = mustRefuse
				return o, nil
			}
			text, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(name, ".toml")+".json"))
			if err != nil {
				return o, err
			}
			tagged, err := readJSON(text)
			if err != nil {
				return o, err
			}
			want := untag(tagged, &o)
			if o.refusal == nil {
				o.difference = compareJSON(out, want.([]any))
			}
			return o, nil
		}})
	}
	return list, err
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02", "15:04:05.999999999"}

// untag converts the suite's tagged values to the form that unlike compares. Infinities and NaN may
// be rejected, because JSON has no form for them.
func untag(v any, o *outcome) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = untag(v[i], o)
		}
		return v
	case map[string]any:
		text, isText := v["value"].(string)
		kind, isKind := v["type"].(string)
		if len(v) != 2 || !isText || !isKind {
			for key := range v {
				v[key] = untag(v[key], o)
			}
			return v
		}
		switch kind {
		case "bool":
			return text == "true"
		case "integer", "float":
			if strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "nan") {
				o.expect = mayRefuse
			}
			return json.Number(text)
		case "string":
			return text
		}
		return func(got any) bool { // a date or a time
			s, ok := got.(string)
			return ok && sameTime(s, text)
		}
	}
	return v
}

func sameTime(a, b string) bool {
	for _, layout := range timeLayouts {
		x, errX := time.Parse(layout, strings.ToUpper(strings.Replace(a, " ", "T", 1)))
		y, errY := time.Parse(layout, strings.ToUpper(strings.Replace(b, " ", "T", 1)))
		if errX == nil && errY == nil {
			return x.Equal(y)
		}
	}
	return false
}
