package execute

import (
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

func TestWorths(t *testing.T) {
	action := func(name string, size int64) planned {
		f := &contents.File{}
		f.Stamp.Size = size
		return planned{Action: &plan.Action{Method: &plan.Method{Method: &rules.Method{Recipe: recipe.Recipe{Name: name}}}, Source: f}}
	}
	var w worths
	if got := w.worthOf(action("a", 100)); got != 0 {
		t.Errorf("nothing known: %v", got)
	}
	w.noteCookTime(action("a", 99), time.Second)
	w.noteCookTime(action("a", 299), 3*time.Second)
	w.noteCookTime(action("b", 0), time.Minute)
	for size, want := range map[int64]time.Duration{0: 10 * time.Millisecond, 99: time.Second, 999: 10 * time.Second} {
		if got := w.worthOf(action("a", size)); (got - want).Abs() > time.Microsecond {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
	if got := w.worthOf(action("b", 0)); got != time.Minute {
		t.Errorf("an empty source: %v", got)
	}
	before := action("a", 99)
	before.Last = &contents.Before{Action: index.Action{CookTime: time.Hour}}
	if got := w.worthOf(before); got != time.Hour {
		t.Errorf("as last time: %v", got)
	}
}
