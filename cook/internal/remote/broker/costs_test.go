package broker

import (
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A cost is learned by recipe and size; the time of the last run is better.
func TestCookTimesAreLearned(t *testing.T) {
	action := func(name string, size int64) *plan.Action {
		f := &contents.File{}
		f.Stamp.Size = size
		return &plan.Action{Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Name: name}}}, Source: f}
	}
	var m costModel
	if got := m.expected(action("a", 100)); got != 0 {
		t.Errorf("nothing known: %v", got)
	}
	m.add(action("a", 99), time.Second)
	m.add(action("a", 299), 3*time.Second)
	m.add(action("b", 0), time.Minute)
	for size, want := range map[int64]time.Duration{0: 10 * time.Millisecond, 99: time.Second, 999: 10 * time.Second} {
		if got := m.expected(action("a", size)); (got - want).Abs() > time.Microsecond {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
	if got := m.expected(action("b", 0)); got != time.Minute {
		t.Errorf("an empty source: %v", got)
	}
	before := action("a", 99)
	before.Last = &contents.Before{Action: index.Action{CookTime: time.Hour}}
	if got := m.expected(before); got != time.Hour {
		t.Errorf("as last time: %v", got)
	}
}
