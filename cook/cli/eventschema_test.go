package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/recipes"
)

// eventSchema compiles the JSON schema of the records that -json prints.
func eventSchema() (*jsonschema.Schema, error) {
	text, err := report.Schema()
	if err != nil {
		return nil, err
	}
	return compileSchema(text)
}

func compileSchema(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("asset:///lines.schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("asset:///lines.schema.json")
}

// diagnosisSchema names an environment variable. Its value is the file with the schema of cook
// diagnose -json.
const diagnosisSchema = "DIAGNOSIS_SCHEMA"

// schemaFile compiles the schema in a file.
func schemaFile(name string) (*jsonschema.Schema, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return compileSchema(text)
}

// judgedCook runs the cook command. It validates each JSON line against the schema, and writes
// errors to the file that the variable miscounted names.
func judgedCook() {
	c := command{countedCook, recipes.All()}
	if !slices.Contains(os.Args, "-json") && os.Getenv("COOK_JSON") == "" {
		c.main()
	}
	schema, err := eventSchema()
	if err != nil {
		panic(err)
	}
	verb := c.newCall(nil).Find(slices.Concat(os.Args[1:], []string{""})[0])
	judge := &lineJudge{
		to: &frontend.Stream{File: os.Stdout}, schema: schema,
		events: verb == nil || slices.Contains([]string{"", "why", "verify"}, verb.Name),
	}
	if verb != nil && verb.Name == "diagnose" {
		if judge.diagnosis, err = schemaFile(os.Getenv(diagnosisSchema)); err != nil {
			panic(err)
		}
	}
	ctx, interrupt := interruptible()
	code := c.runArguments(ctx, interrupt.listenForSignals, os.Args[1:], judge, &frontend.Stream{File: os.Stderr})
	if len(judge.rest) > 0 {
		judge.wrong = append(judge.wrong, fmt.Sprintf("%q is not a line", judge.rest))
	}
	if judge.wrong != nil {
		text := fmt.Sprintf("%q:\n%s\n", os.Args, strings.Join(judge.wrong, "\n"))
		if err := os.WriteFile(os.Getenv(miscounted), []byte(text), 0o666); err != nil {
			panic(text)
		}
	}
	os.Exit(code)
}

// A lineJudge validates the JSON lines that are written to it.
type lineJudge struct {
	to     io.Writer
	schema *jsonschema.Schema
	events bool // whether all lines are events, not only lines with the field "event"

	diagnosis *jsonschema.Schema // schema of other lines; nil if they are not checked
	rest      []byte
	wrong     []string
}

func (j *lineJudge) Write(b []byte) (int, error) {
	j.rest = append(j.rest, b...)
	for {
		line, rest, ok := bytes.Cut(j.rest, []byte("\n"))
		if !ok {
			break
		}
		j.rest = rest
		if err := j.judge(line); err != nil {
			j.wrong = append(j.wrong, fmt.Sprintf("%s\n%v", line, err))
		}
	}
	return j.to.Write(b)
}

func (j *lineJudge) judge(line []byte) error {
	var event struct{ Event *string }
	schema := j.schema
	if json.Unmarshal(line, &event) != nil || event.Event == nil {
		switch {
		case j.diagnosis != nil:
			schema = j.diagnosis
		case !j.events:
			return nil
		}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func TestDocsEventSchema(t *testing.T) {
	want, err := report.Schema()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "docs", "events.schema.json")
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s, %v, is not what cook schema -events prints; run go test ./cook/cli -run %s -update", name, err, t.Name())
	}
}

// TestEventSchema expects the schema to accept valid records and to reject invalid ones.
func TestEventSchema(t *testing.T) {
	schema, err := eventSchema()
	if err != nil {
		t.Fatal(err)
	}
	for line, valid := range map[string]bool{
		`{"event":"begin","version":1}`:                                             true,
		`{"event":"begin"}`:                                                         false,
		`{"event":"begin","version":"1"}`:                                           false,
		`{"event":"begin","version":1,"path":"a"}`:                                  false,
		`{"version":1}`:                                                             false,
		`{"event":"baked","path":"a"}`:                                              false,
		`{"event":"cooked","path":"a","reasons":[{"kind":"new"}]}`:                  true,
		`{"event":"cooked","path":"a","reasons":[{"kind":"new","since":1}]}`:        false,
		`{"event":"cooked","path":"a","severity":"error"}`:                          false,
		`{"event":"failed","path":"a","severity":"error","error":"e","line":3}`:     true,
		`{"event":"failed","path":"a","severity":"fatal","error":"e"}`:              false,
		`{"event":"failed","path":"a","error":"e"}`:                                 false,
		`{"event":"note","text":"t"}`:                                               true,
		`{"event":"summary","summary":{"found":{}}}`:                                false,
		`{"event":"difference","path":"a","text":"t","finding":{"kind":"strange"}}`: false,
		`[]`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != valid {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestDocsJSONFields expects docs/json.md to describe the events and fields of the schema.
func TestDocsJSONFields(t *testing.T) {
	var events, fields strings.Builder
	names := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return "`" + strings.Join(list, "`, `") + "`"
	}
	events.WriteString("| `event` | | always has | may have |\n|---|---|---|---|\n")
	for _, k := range report.Kinds() {
		fmt.Fprintf(&events, "| %s | %s | %s | %s |\n", names(k.Events), k.Doc, names(strings.Fields(k.Always)), names(strings.Fields(k.Maybe)))
	}
	for i, o := range report.Objects() {
		if i > 0 {
			fields.WriteString("\n")
		}
		fmt.Fprintf(&fields, "| %s | |\n|---|---|\n", o.Name)
		for _, f := range o.Fields {
			doc := f.Doc
			if f.Words != nil {
				doc += ": " + names(f.Words)
			}
			fmt.Fprintf(&fields, "| `%s` | %s |\n", f.Name, doc)
		}
	}
	for _, block := range []struct{ name, text string }{{"events", events.String()}, {"fields", fields.String()}} {
		for _, p := range pages(t) {
			if p.name == "docs/json.md" {
				p.generated(t, block.name, block.text)
			}
		}
	}
}
