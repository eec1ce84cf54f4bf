package main

import (
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/image/source"
)

// TestPhotoFinish holds that the photograph lies on its side and becomes upright by
// what its EXIF data say.
func TestPhotoFinish(t *testing.T) {
	m, info, err := source.Decode(t.Context(), generate(t)["textures/ui/photo_finish.jpg"], ".jpg", 1024)
	if err != nil {
		t.Fatal(err)
	}
	want := photoFinish(96, 128)
	if info.Orientation != int(turnedRight) || m.W != 96 || m.H != 128 {
		t.Fatalf("orientation %d, upright %d x %d pixels; want %d, 96 x 128", info.Orientation, m.W, m.H, turnedRight)
	}
	off := 0
	for i, v := range m.Pix8 {
		d := int(v) - int(want.Pix[i])
		off += max(d, -d)
	}
	if mean := off / len(m.Pix8); mean > 6 {
		t.Errorf("pixels are off by %d on average, as if it were another picture", mean)
	}
}
