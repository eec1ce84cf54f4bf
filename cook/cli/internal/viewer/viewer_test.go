package viewer

import (
	"flag"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
)

func TestViewerGetsTheFlagsOfRules(t *testing.T) {
	var p cook.Project
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	cmdline.RuleFlags(fs, &p, "")
	values := map[string]string{"ids": "true", "engine": "own", "manifest": "parts"}
	count := 0
	fs.VisitAll(func(f *flag.Flag) {
		value, ok := values[f.Name]
		if !ok {
			value = "x"
		}
		if err := fs.Set(f.Name, value); err != nil {
			t.Fatal(err)
		}
		if args := projectArgs(&p); !slices.Contains(args, "-"+f.Name) {
			t.Errorf("the viewer gets %q, without -%s", args, f.Name)
		}
		count++
	})
	if count < 5 {
		t.Errorf("%d flags", count)
	}
}
