package execute

import (
	"testing"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
)

// Without a server the run, its queue and its look-ups have no Remote at all: a nil interface,
// not a nil broker in an interface.
func TestRunWithoutServerHasNoRemote(t *testing.T) {
	r := &run{plan: &plan.Plan{}, env: cookone.Env{}, reports: newReporter(Options{}), finder: &lookup.Finder{}, queue: newQueue(false, nil)}
	r.openRemote(t.Context(), remote.Options{})
	if r.remote != nil || r.queue.remote != nil || r.finder.Server != nil {
		t.Errorf("remote %v, of the queue %v, of look-ups %v", r.remote, r.queue.remote, r.finder.Server)
	}
}
