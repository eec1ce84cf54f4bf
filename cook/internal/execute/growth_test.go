package execute

import (
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/jobs"
)

// TestGrowthHasALineForEachDirectory adds images of eight directories in two orders. The five that grew
// most have lines, the others are summed up, and the order of images has no influence.
func TestGrowthHasALineForEachDirectory(t *testing.T) {
	var images []jobs.Growth
	for i := range 8 {
		dir := strings.Repeat("a", i)
		images = append(images, jobs.Growth{Dir: dir, Format: "JPEG", Became: "textures", From: 1024, To: int64(4+i) << 10},
			jobs.Growth{Dir: dir, Format: "JPEG", Became: "textures", From: 1024, To: 4 << 10})
	}
	var there, back growthList
	for i := range images {
		there.addGrowth(images[i])
		back.addGrowth(images[len(images)-1-i])
	}
	lines := there.lines()
	if want := back.lines(); strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("another order makes other lines:\n%s", strings.Join(lines, "\n"))
	}
	if len(lines) != mostGrown+1 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range map[int]string{
		0:         "images in aaaaaaa: 2 JPEG files of 2.0 KiB became textures of 15.0 KiB; ",
		mostGrown: "images elsewhere: 6 lossy files of 6.0 KiB became outputs of 27.0 KiB",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	var one growthList
	one.addGrowth(jobs.Growth{Format: "WebP", Became: "lossless images", From: 10, To: 30})
	if lines := one.lines(); len(lines) != 1 || !strings.HasPrefix(lines[0], "images: 1 WebP file of 10 B became lossless images of 30 B; ") {
		t.Errorf("%q", lines)
	}
	var none growthList
	if lines := none.lines(); len(lines) != 0 {
		t.Errorf("no image: %q", lines)
	}
}
