package artifacts

import (
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A fakeProgress holds the finished actions, by number.
type fakeProgress map[int]Made

func (p fakeProgress) Settled(i int) bool { _, ok := p[i]; return ok }
func (p fakeProgress) Made(i int) Made    { return p[i] }

func TestQuestionWaitsForItsArtifactsOnly(t *testing.T) {
	c := &Catalog{Last: index.Empty()}
	ended := fakeProgress{}
	c.Follow(&plan.Plan{Actions: []plan.Action{
		{Path: "a", Outputs: []string{"a.tex", "a.txt"}},
		{Path: "b", Outputs: []string{"b.txt"}},
		{Path: "c", Target: "pc", Outputs: []string{"pc/c.tex"}},
		{Path: "d", Outputs: []string{"d.tex"}},
	}}, ended)
	on := dependency.OfArtifacts(dependency.Artifacts, "", []string{"*.tex"})
	if wait := c.Pending(on); wait == nil || !slices.Equal(wait.On, []int{0, 3}) || wait.Output != "a.tex" {
		t.Fatalf("waits for %+v", wait)
	}
	ended[0] = Made{Complete: true, Artifacts: []index.Artifact{{Path: "a.tex"}, {Path: "a.txt"}}}
	if wait := c.Pending(on); wait == nil || !slices.Equal(wait.On, []int{3}) {
		t.Fatalf("waits for %+v", wait)
	}
	if _, err := c.List(on); err == nil {
		t.Error("answered before all artifacts are made")
	}
	ended[3] = Made{Complete: true, Artifacts: []index.Artifact{{Path: "d.tex"}}}
	list, err := c.List(on)
	if err != nil || c.Open(on) || len(list) != 2 || list[0].Source != "a" || len(list[0].Outputs) != 1 || list[1].Source != "d" {
		t.Errorf("%+v, %v", list, err)
	}
	ended[3] = Made{Failed: true}
	if _, err := c.List(on); err == nil {
		t.Error("an artifact that could not be made is no error")
	}
}
