package cook_test

import (
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// An output names its source, also if both came after the index was written.
func TestWhyOfOutputInChanges(t *testing.T) {
	p := smallFiles(t, 30)
	p.write("cook.toml", "[[rule]]\nmatch = \"*.yaml\"\nrecipe = \"data\"\n")
	p.write("a.yaml", "a: 1\n")
	p.cookAll()
	p.tick()
	p.write("b.yaml", "b: 1\n")
	p.cookAll()
	for _, source := range []string{"a.yaml", "b.yaml"} {
		all, err := cook.Why(t.Context(), p.run.Project(), source, cook.WhyOptions{})
		if err != nil || len(all) != 1 || all[0].Last == nil || len(all[0].Last.Outputs) != 1 {
			t.Fatalf("%s: %+v, %v", source, all, err)
		}
		output := all[0].Last.Outputs[0].Path
		if output == source {
			t.Fatalf("the output of %s has its name", source)
		}
		if all, err := cook.Why(t.Context(), p.run.Project(), output, cook.WhyOptions{}); err != nil || len(all) != 1 || all[0].Path != source {
			t.Errorf("%s: %+v, %v", output, all, err)
		}
	}
}
