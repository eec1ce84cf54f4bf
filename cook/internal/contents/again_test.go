package contents

import (
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A folder that is fresh when a run begins is listed again for each asset that uses it, but only
// until its stamp can be trusted.
func TestFreshFoldersAreListedAgainOnce(t *testing.T) {
	tr := newTree(t, map[string]string{"model": "a"})
	s := tr.begin(Options{})
	begin := time.Now()
	now := begin
	s.opt.Clock = scan.NewClock(begin, func() time.Time { return now })
	all := dependency.OfNames(".", "*", false)
	listing := s.At(t.Context(), all)
	if listing.Settled {
		t.Fatalf("%+v", listing)
	}
	relist := func(when string, want bool) {
		t.Helper()
		for range 3 {
			if same, err := s.Relist(all, listing); same != want || err != nil {
				t.Errorf("%s: the listing is the same: %v, %v", when, same, err)
			}
		}
	}
	relist("fresh", true)
	if len(s.again) != 0 {
		t.Errorf("fresh: %d are known", len(s.again))
	}
	now = now.Add(time.Hour)
	relist("an hour later", true)
	if len(s.again) != 1 {
		t.Errorf("%d are known, want 1", len(s.again))
	}
	// Stamps of what is written now are of an hour before the clock's time, and so trusted.
	tr.write("more", "")
	relist("changed", false)
}
