package contents

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
)

// What is fresh when a run begins is read again for each asset that uses it, but only until
// its stamp can be trusted.
func TestFreshFilesAreReadAgainOnce(t *testing.T) {
	tr := newTree(t, map[string]string{"model": "a"})
	var read atomic.Int64
	firstByte := recipe.Extract{
		Name: "first", Version: 1,
		Of: func(file io.ReaderAt, _ int64) ([]byte, error) {
			read.Add(1)
			b := make([]byte, 1)
			_, err := file.ReadAt(b, 0)
			return b, err
		},
		About: func(extract []byte, subject string) []byte { return append([]byte(subject), extract...) },
	}
	s := tr.begin(Options{Extracts: func(string) (recipe.Extract, bool) { return firstByte, true }})
	begin := time.Now()
	now := begin
	s.opt.Clock = scan.NewClock(begin, func() time.Time { return now })

	extract := s.At(t.Context(), pathname.Extracted{File: "model", Name: "first.1", Subject: "p"}.Path())
	other := s.At(t.Context(), pathname.Extracted{File: "model", Name: "first.1", Subject: "q"}.Path())
	listing := s.At(t.Context(), pathname.Listing(".", "*", false))
	if extract.Settled || listing.Settled || extract.Sum == other.Sum {
		t.Fatalf("%+v, %+v, %+v", extract, other, listing)
	}
	recheck := func(when string, want int64, same bool) {
		t.Helper()
		read.Store(0)
		for range 3 {
			for _, f := range []File{extract, other} {
				if got, err := s.Reextract(f); got != same || err != nil {
					t.Errorf("%s: the extract is the same: %v, %v", when, got, err)
				}
			}
			if got, err := s.Relist(listing); got != same || err != nil {
				t.Errorf("%s: the listing is the same: %v, %v", when, got, err)
			}
		}
		if got := read.Load(); got != want {
			t.Errorf("%s: read %d times, want %d", when, got, want)
		}
	}
	recheck("fresh", 6, true)
	if len(s.again) != 0 {
		t.Errorf("fresh: %d are known", len(s.again))
	}
	now = now.Add(time.Hour)
	recheck("an hour later", 1, true)
	recheck("then", 0, true)
	if len(s.again) != 2 {
		t.Errorf("%d are known, want 2", len(s.again))
	}
	// Stamps of what is written now are of an hour before the clock's time, and so trusted.
	tr.write("model", "bb")
	tr.write("more", "")
	recheck("changed", 1, false)
}
