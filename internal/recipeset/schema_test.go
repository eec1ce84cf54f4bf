package recipeset

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

type described struct {
	On    bool              `toml:"on" doc:"whether"`
	Word  string            `toml:"word" enum:"a,b" doc:"which"`
	Unset string            `toml:"unset" enum:"a,b" doc:"which, if any"`
	Truth string            `toml:"truth" enum:"auto,true,false" doc:"perhaps"`
	Small int8              `toml:"small" min:"-3" doc:"how few"`
	Share float32           `toml:"share" min:"0" max:"0.5" doc:"how much"`
	Wait  time.Duration     `toml:"wait" max:"1h" doc:"how long"`
	List  []string          `toml:"list" doc:"what"`
	Sizes []float64         `toml:"sizes" min:"0.5" doc:"how large"`
	Table map[string]string `toml:"table" doc:"of what"`
}

func (*described) Outputs() []string                       { return nil }
func (*described) Cook(context.Context, *recipe.Job) error { return nil }

func TestOptionSchema(t *testing.T) {
	c := &described{On: true, Word: "b", Truth: "true", Small: -2, Share: 0.25, Wait: 90 * time.Second, List: []string{"x"}, Sizes: []float64{2, 0.5}, Table: map[string]string{"k": "v"}}
	text := map[string]any{"type": "string"}
	want := map[string]map[string]any{
		"on":    {"type": "boolean", "default": true, "description": "whether; default true"},
		"word":  {"type": "string", "enum": []string{"a", "b"}, "default": "b", "description": `which; default "b"`},
		"unset": {"type": "string", "enum": []string{"a", "b"}, "description": `which, if any; default ""`},
		"truth": {"enum": []any{"auto", true, false}, "default": true, "description": "perhaps; default true"},
		"small": {"type": "integer", "minimum": -3.0, "maximum": int64(127), "default": int64(-2), "description": "how few; default -2"},
		"share": {"type": "number", "minimum": 0.0, "maximum": 0.5, "default": 0.25, "description": "how much; default 0.25"},
		"wait": {"type": "string", "pattern": durationPattern, "default": "1m30s",
			"description": `how long; a duration such as "30s" of at most 1h; default 1m30s`},
		"list":  {"type": "array", "items": text, "default": []any{"x"}, "description": `what; default ["x"]`},
		"sizes": {"type": "array", "items": map[string]any{"type": "number", "minimum": 0.5}, "default": []any{2.0, 0.5}, "description": "how large; default [2, 0.5]"},
		"table": {"type": "object", "additionalProperties": text, "default": map[string]any{"k": "v"}, "description": `of what; default {"k" = "v"}`},
	}
	for _, o := range Options(c) {
		schema := o.Schema(c)
		if d := cmp.Diff(want[o.Key], schema); d != "" {
			t.Errorf("%s: %s", o.Key, d)
		}
		fresh := &described{}
		if value, has := schema["default"]; !has {
			continue
		} else if err := SetOption(fresh, o.Key, value); err != nil || o.Value(fresh) != o.Value(c) {
			t.Errorf("%s: the default %v sets %s, %v", o.Key, value, o.Value(fresh), err)
		}
	}
}
