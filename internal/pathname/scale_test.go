package pathname

import "testing"

func TestSplitScale(t *testing.T) {
	for _, tc := range []struct {
		stem, base string
		scale      float64
	}{
		{"hero@2x", "hero", 2}, {"hero@0.5x", "hero", 0.5}, {"a@b@3x", "a@b", 3}, {"wall.n@1.5x", "wall.n", 1.5},
		{"hero", "hero", 0}, {"hero@x", "hero@x", 0}, {"hero@2", "hero@2", 0}, {"hero@2X", "hero@2X", 0}, {"@2x", "@2x", 0},
		{"..@2x", "..@2x", 0}, {"hero@0x", "hero@0x", 0}, {"hero@1e3x", "hero@1e3x", 0}, {"hero@1.2.3x", "hero@1.2.3x", 0},
		{"hero@.x", "hero@.x", 0}, {"hero@+2x", "hero@+2x", 0}, {"hero@2x@", "hero@2x@", 0}, {"hero@000000000002x", "hero@000000000002x", 0}, {"", "", 0},
	} {
		if base, scale := SplitScale(tc.stem); base != tc.base || scale != tc.scale {
			t.Errorf("%q: %q, %v; want %q, %v", tc.stem, base, scale, tc.base, tc.scale)
		}
	}
}
