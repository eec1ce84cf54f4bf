package hashname

import (
	"slices"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// A planned name is recognized from the target alone, and Fits accepts its final name.
func TestPlannedNamesAreRecognized(t *testing.T) {
	const digits = "0123456789abcdef"
	for _, tc := range []struct{ target, before, after string }{
		{"", "a.", ".png"}, {"", "x/y/", ""}, {"phone", "t/a", "b.ktx2"}, {"", "x/" + digits, digits + ".png"}, {"pc", digits + "/-", "."},
	} {
		dir := ""
		if tc.target != "" {
			dir = tc.target + "/"
		}
		planned := dir + Planned(tc.before, tc.after)
		n, ok := Parse(tc.target, planned)
		if shape := dir + tc.before + Word + tc.after; !ok || n.Shape() != shape || n.With(n.Token()) != planned || Show(tc.target, planned) != shape {
			t.Errorf("%s: %+v, %v", planned, n, ok)
		}
		final := n.With(Digits(hashing.DigestOf([]byte("content"))))
		if !n.Fits(final) || !slices.Contains(slices.Collect(Shapes(final)), n.Shape()) {
			t.Errorf("%s does not fit %s", final, n.Shape())
		}
		for _, other := range []string{final + "0", "x" + final, n.With("0123456789abcdeF"), n.With("0123456789abcde"), ""} {
			if n.Fits(other) {
				t.Errorf("%s fits %s", other, n.Shape())
			}
		}
		if _, ok := Parse("other", planned); ok {
			t.Errorf("%s is an output of another target", planned)
		}
	}
	for _, other := range []string{"", "a.png", "a." + digits + ".png", Planned("a.", ".png") + "/b", "a/" + Planned("a.", ".png")} {
		if n, ok := Parse("", other); ok {
			t.Errorf("%s: %+v", other, n)
		}
	}
	if (Name{}).Fits(digits) {
		t.Error("the zero Name fits a path")
	}
}
