package image

import (
	"errors"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/imagetest"
)

// What is no picture is refused before it costs anything; what is one costs no
// more than it was said to.
func TestBombs(t *testing.T) {
	for _, b := range imagetest.Bombs() {
		t.Run(b.Name, func(t *testing.T) {
			if len(b.Data) > 2<<20 {
				t.Errorf("%d bytes", len(b.Data))
			}
			limit, refused := estimate(defaults(), b.Data)
			if errors.Is(refused, recipe.ErrShortHead) {
				limit, refused = defaults().Estimate(b.Data, int64(len(b.Data)))
			}
			if refused != nil {
				limit = 3*int64(len(b.Data)) + 1<<20
			}
			var err error
			if got := allocated(func() { _, err = load(t, defaults(), "a"+b.Ext, b.Data) }); got > limit+slack(b) {
				t.Errorf("%d bytes of file: allocated %d bytes, estimated %d", len(b.Data), got, limit)
			}
			if (err == nil) != b.Fine {
				t.Errorf("error %v, fine: %v", err, b.Fine)
			}
			if !b.Fine && refused == nil {
				t.Errorf("Estimate lets it through, for %d bytes", limit)
			}
			if err == nil && refused != nil {
				t.Errorf("decoded, but Estimate says %v", refused)
			}
		})
	}
}

// slack is what decoders drop again at once, which the estimate is not about:
// a buffer for each chunk or tile, and lists of lengths and codes for each tree.
func slack(b imagetest.Bomb) int64 {
	switch {
	case strings.Contains(b.Name, "chunks"), strings.Contains(b.Name, "tiles"):
		return 1 << 30
	case strings.Contains(b.Name, "trees"):
		return 80 << 20
	}
	return 0
}
