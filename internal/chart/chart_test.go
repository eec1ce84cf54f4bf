package chart

import (
	"math"
	"strings"
	"testing"
)

// TestWrite checks that the drawing of a trend contains its values, with gaps for missing values,
// and its marks and levels. No text may become markup.
func TestWrite(t *testing.T) {
	l := Trend{
		Title: "<b>", Note: "a & b", Label: `"x"`, Values: []float64{0, 50, math.NaN(), 100}, High: 100, First: "<1>", Last: "<4>",
		Marks:  []Mark{{0, Step, "<s>"}, {2, Spike, "none"}, {3, Bad, "<m>"}},
		Levels: []Level{{75, "<l>"}},
	}
	var b strings.Builder
	if err := l.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<b>&lt;b&gt;</b><span>a &amp; b</span>", `aria-label="&#34;x&#34;"`, `d="M4.0 102.0L128.0 55.0M376.0 8.0h0"`,
		"<path class=step d=\"M4.0 8V102\"><title>&lt;s&gt;", "<circle class=bad-mark cx=376.0 cy=8.0 r=3><title>&lt;m&gt;", "H376\"><title>&lt;l&gt;", "&lt;4&gt;</text></svg>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "none") || strings.Contains(b.String(), "NaN") {
		t.Error(b.String())
	}
}

// TestRange checks that a drawing of any values contains neither infinity nor NaN.
func TestRange(t *testing.T) {
	for _, l := range []Trend{{}, {Values: []float64{1}}, {Values: []float64{math.Inf(1), math.Inf(-1), 1e300}, High: 1}, {Values: []float64{5, 5}, Low: 5, High: 5}} {
		var b strings.Builder
		if err := l.Write(&b); err != nil || strings.Contains(b.String(), "Inf") || strings.Contains(b.String(), "NaN") {
			t.Errorf("%v: %s, %v", l.Values, b.String(), err)
		}
	}
}

func TestSparklineShowsTheHighestValues(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 9, ""}, {[]float64{0, 0}, 9, "▁▁"}, {[]float64{0, 4, 7}, 9, "▁▅█"}, {[]float64{1, -1}, 9, "█▁"}, {[]float64{1, 9, 1, 1}, 2, "█▂"},
		{[]float64{-math.MaxFloat64 / 4, math.MaxFloat64 / 4}, 2, "▁█"},
	} {
		if got := Sparkline(c.values, c.width); got != c.want {
			t.Errorf("%v is %s, want %s", c.values, got, c.want)
		}
	}
}
