package cookone

import (
	"errors"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A later step of a chain reads the output of an earlier step under its path.
func TestStepsReadWhatEarlierStepsMade(t *testing.T) {
	c := &chain{made: map[string]madeFile{"b": {file: contents.File{Path: "b", How: contents.Unreadable, Err: errors.New("the step's")}}}}
	sums, _ := hashing.Lookup("xxh3")
	_, err := New(Env{Checksum: sums}, 0, hashing.NewSummer(sums)).Dependencies(t.Context(), Task{Action: &plan.Action{Path: "a"}, chain: c}, store.ReadSet{dependency.OfFile("b")})
	if err == nil || err.Error() != "the step's" {
		t.Errorf("error %v", err)
	}
}
