package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// A ruleJudge validates rules both with the compiler of rules and with the JSON schema.
type ruleJudge struct {
	set    *recipeset.Set
	schema *jsonschema.Schema
}

func newRuleJudge(t *testing.T) *ruleJudge {
	t.Helper()
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := rules.Schema(set)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("asset:///cook.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("asset:///cook.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return &ruleJudge{set, compiled}
}

func (j *ruleJudge) compiler(text string) error {
	_, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(text)}}, j.set)
	return err
}

// bySchema validates a text with the schema. parsed is false for invalid TOML.
func (j *ruleJudge) bySchema(text string) (parsed bool, err error) {
	var doc map[string]any
	if toml.Unmarshal([]byte(text), &doc) != nil {
		return false, nil
	}
	return true, j.schema.Validate(doc)
}

// rulesOfRepository returns all rules in test data, examples, pages and scripts.
func rulesOfRepository(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		case filepath.Ext(name) == ".toml":
			all[name] = read(name)
		case filepath.Ext(name) == ".txtar":
			for _, f := range txtar.Parse([]byte(read(name))).Files {
				if filepath.Ext(f.Name) == ".toml" {
					all[name+" "+f.Name] = string(f.Data)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range in(t, "toml") {
		for _, b := range p.blocks {
			if b.lang == "toml" {
				all[fmt.Sprintf("%s:%d", p.name, b.line)] = b.text
			}
		}
	}
	return all
}

// TestSchemaTakesValidRules expects the schema to accept all rules in this repository that the
// compiler accepts.
func TestSchemaTakesValidRules(t *testing.T) {
	j, n := newRuleJudge(t), 0
	for name, text := range rulesOfRepository(t) {
		if j.compiler(text) != nil {
			continue
		}
		n++
		if _, err := j.bySchema(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n < 50 {
		t.Errorf("%d files with valid rules", n)
	}
}

// TestSchemaRefusesMistakes expects the schema to reject all wrong keys and values in valid TOML.
func TestSchemaRefusesMistakes(t *testing.T) {
	j, n := newRuleJudge(t), 0
	for _, m := range mistakes(t) {
		rest := m.line + "\n"
		if !strings.Contains(m.line, "output") {
			rest += "outputs = ['a']\n"
		}
		for _, text := range []string{
			fmt.Sprintf("[[rule]]\nmatch = '*'\nrecipe = %q\n%s", m.recipe, rest),
			fmt.Sprintf("[target.mobile.%s]\n%s\n", m.recipe, m.line),
		} {
			parsed, err := j.bySchema(text)
			if !parsed {
				continue
			}
			n++
			if err == nil {
				t.Errorf("the schema takes\n%s", text)
			}
		}
	}
	t.Logf("%d mistakes", n)
	if n < 500 {
		t.Errorf("%d mistakes", n)
	}
	for _, text := range []string{
		"[[rules]]\nmatch = '*'\n",
		"[rule]\nmatch = '*'\n",
		"[[rule]]\nmatch = 3\n",
		"[[rule]]\nmatch = []\n",
		"[[rule]]\nrecipe = 'copy'\n",
		"[[rule]]\nmatch = '*'\nrecipe = 'imgae'\n",
		"[[rule]]\nmatch = '*'\noutput = ['a']\n",
		"[[rule]]\nmatch = '*'\noutputs = 'a'\n",
		"[[rule]]\nmatch = '*'\noutput = 'a'\noutputs = ['a']\n",
		"[[rule]]\nmatch = '*'\noutput = '/a'\n",
		"[[rule]]\nmatch = '*'\noutput = 'a\\b'\n",
		"[[rule]]\nmatch = '*'\noutput = ''\n",
		"[[rule]]\nmatch = '*'\ncommand = ['x']\nmips = true\noutput = 'a'\n",
		"[target.Mobile.image]\nmips = true\n",
		"[target.mobile]\nmips = true\n",
		"[target.mobile.imgae]\nmips = true\n",
	} {
		if parsed, err := j.bySchema(text); !parsed || err == nil || j.compiler(text) == nil {
			t.Errorf("is taken (parsed: %v, schema: %v, compiler: %v):\n%s", parsed, err, j.compiler(text), text)
		}
	}
}

// TestSchemaAgreesWithCompiler expects the schema and the compiler to accept the same values for
// each option.
func TestSchemaAgreesWithCompiler(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	j, taken, refused := newRuleJudge(t), 0, 0
	values := []string{
		"true", `"true"`, "''", "'x'", "-1", "0", "1", "2", "7", "8", "9", "31", "32", "33", "100", "65536", "9223372036854775807",
		"-0.5", "0.5", "1e300", "[]", "['a']", "[1]", "{}", "{a = 'b'}", "{a = 1}",
		"'30s'", "'1h30m'", "'-5s'", "'30'", "'0'", "'.5s'", "'5.'", "'1 s'", "1979-05-27",
	}
	for _, name := range j.set.Names() {
		r, _ := j.set.Lookup(name)
		for _, o := range recipeset.Options(r.New()) {
			own := values
			schema := o.Schema(r.New())
			words, _ := schema["enum"].([]string)
			if mixed, ok := schema["enum"].([]any); ok {
				words = []string{mixed[0].(string), "true"}
			}
			for _, word := range words {
				own = append(own, fmt.Sprintf("%q", word), fmt.Sprintf("%q", word+"x"))
			}
			for _, word := range []string{"minimum", "maximum"} {
				if x, ok := schema[word].(float64); ok {
					own = append(own, fmt.Sprint(int64(x)-1), fmt.Sprint(int64(x)), fmt.Sprint(int64(x)+1))
				}
			}
			for _, value := range own {
				if (value == "'-5s'" || value == "'0'") && strings.Contains(o.Want, "duration") {
					continue // the schema states this limit only in a description
				}
				for _, text := range []string{
					fmt.Sprintf("[target.t.%s]\n%s = %s\n", name, o.Key, value),
					fmt.Sprintf("[[rule]]\nmatch = '*'\noutput = 'a'\nrecipe = %q\n%s = %s\n", name, o.Key, value),
					fmt.Sprintf("[[rule]]\nmatch = '*'\noutput = 'a'\n%s = %s\n", o.Key, value),
				} {
					compiled := j.compiler(text)
					if compiled != nil && strings.Contains(compiled.Error(), "outputs: want ") {
						continue
					}
					parsed, err := j.bySchema(text)
					if !parsed || (err == nil) != (compiled == nil) {
						t.Errorf("%s\nschema:   %v\ncompiler: %v", text, err, compiled)
					}
					if err == nil {
						taken++
					} else {
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d are taken, %d refused", taken, refused)
	if taken < 500 || refused < 500 {
		t.Errorf("%d are taken, %d refused", taken, refused)
	}
}
