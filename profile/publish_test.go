package profile_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/memory"
)

func TestMemoryGroupsBecomeGauges(t *testing.T) {
	p := profile.Probe{Counters: counters.New(counters.Options{}), Memory: memory.New(memory.Options{})}
	p.Counters.WatchAll(math.MaxInt)
	images := p.Memory.Group("images", memory.GroupOptions{Budget: 1000})
	// Poll each source only once, because further polls would depend on the clock.
	frame := func() {
		source := p.PublishMemory()
		defer source.Close()
		p.Counters.PushFrame(time.Unix(0, 0))
		if source.Err() != nil {
			t.Error(source.Err())
		}
	}
	frame()
	a := images.Grow(nil, 300)
	b := images.Grow(nil, 400)
	frame()
	a.Shrink()
	sounds := p.Memory.Group("sounds", memory.GroupOptions{}).Grow(nil, 5)
	frame()
	for name, want := range map[string]string{
		"memory/images/bytes": "[0 700 400]", "memory/images/count": "[0 2 1]", "memory/images/peak": "[0 700 700]",
		"memory/images/budget": "[1000 1000 1000]", "memory/sounds/bytes": "[5]", "memory/sounds/budget": "[]",
		"memory/held": "[0 0 0]", "memory/warm": "[0 0 0]",
	} {
		if got := fmt.Sprint(p.Counters.History(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	b.Shrink()
	sounds.Shrink()
	for _, part := range []profile.Probe{{}, {Counters: p.Counters}, {Memory: p.Memory}} {
		if source := part.PublishMemory(); source != nil {
			t.Errorf("%+v publishes", part)
		}
	}
}
