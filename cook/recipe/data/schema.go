package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assetcook/assetcook/cook/recipe"
)

// checkSchema checks a tree against the schema at a path from the asset folder.
func checkSchema(ctx context.Context, job *recipe.Job, schema string, root *value) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("schema %s: %s", schema, oneLine(fmt.Sprint(p)))
			if e, ok := p.(ended); ok {
				err = fmt.Errorf("schema %s: %w", schema, e.error)
			}
		}
		if ctx.Err() != nil && err != nil {
			err = ctx.Err()
		}
	}()
	compiler := jsonschema.NewCompiler()
	loader := &schemaLoader{ctx: ctx, job: job}
	compiler.UseLoader(loader)
	work := &steps{ctx: ctx}
	work.into(compiler)
	compiled, err := compiler.Compile(schemaBase + (&url.URL{Path: schema}).EscapedPath())
	switch {
	case loader.err != nil:
		return loader.err
	case err != nil:
		return fmt.Errorf("schema %s: %s", schema, oneLine(err.Error()))
	}
	t := &toPlain{ctx: ctx}
	plain, err := t.value(root)
	if err != nil {
		return err
	}
	if calls := loader.schemas * (t.deepest + 1); calls > mostCalls {
		return fmt.Errorf("schema %s: %d schemas for data of %d levels are too many together (more than %d); make one of them simpler", schema, loader.schemas, t.deepest, mostCalls)
	}
	work.most = mostSteps(t.made)
	err = compiled.Validate(plain)
	if wrong := (*jsonschema.ValidationError)(nil); errors.As(err, &wrong) {
		return violations(ctx, root, schema, wrong)
	}
	return err
}

// longestExponent is how far the point of a number may be shifted for a schema: to
// compare it, all its digits are written out.
const longestExponent = 2000

// ToPlain turns a tree into what package jsonschema takes.
type toPlain struct {
	ctx     context.Context
	made    int
	path    []string
	deepest int // how many lists and objects lie in one another
}

func (t *toPlain) value(v *value) (any, error) {
	if t.made++; t.made%step == 0 {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
	}
	switch v.kind {
	case boolean:
		return v.text == yes, nil
	case text:
		return v.text, nil
	case number:
		if _, ok := special(v.text); ok {
			return nil, v.errorf(t.path, "%s cannot be checked against a schema", v.text)
		}
		d, ok := parseDecimal(v.text)
		if d.digits == "" {
			return json.Number("0"), nil
		}
		if !ok || max(d.exp, -d.exp) > longestExponent || len(d.digits) > 10*longestExponent {
			return nil, v.errorf(t.path, "%.40s is too long or too large to be checked against a schema", v.text)
		}
		return json.Number(v.text), nil
	case list:
		items := make([]any, len(v.items))
		for i := range v.items {
			x, err := t.item(v, i, strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			items[i] = x
		}
		t.deepest = max(t.deepest, len(t.path)+1)
		return items, nil
	case object:
		items := make(map[string]any, len(v.items))
		for i, key := range v.keys {
			x, err := t.item(v, i, key)
			if err != nil {
				return nil, err
			}
			items[key] = x
		}
		t.deepest = max(t.deepest, len(t.path)+1)
		return items, nil
	}
	return nil, nil
}

func (t *toPlain) item(v *value, i int, name string) (any, error) {
	t.path = append(t.path, name)
	x, err := t.value(v.items[i])
	t.path = t.path[:len(t.path)-1]
	return x, err
}
