//go:build !guard

package memory

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	tracker := New(Options{Live: 4, Totals: true})
	all := tracker.Group("all", GroupOptions{Budget: 1 << 20, Enforce: true})
	images := tracker.Group("images", GroupOptions{Parent: all})
	pixels := images.Pool("pixels", PoolOptions{Type: "RGBA", Lifetime: Temporary})
	files := tracker.Group("files", GroupOptions{Budget: 1000})
	w := tracker.Worker("w").Push("a.png").Push("decode")
	pixels.Bytes(w, 1000)
	images.Grow(w, 5)
	if _, err := pixels.TryBytes(w, 2<<20); err == nil {
		t.Error("a budget of 1 MiB admitted 2 MiB")
	}
	files.Grow(nil, 2048)
	for range 4 {
		files.Pool("content", PoolOptions{}).Bytes(nil, 64)
	}
	var out strings.Builder
	if err := tracker.WriteReport(&out); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(?m)^process: .*\n`).ReplaceAllString(out.String(), "")
	got = regexp.MustCompile(`(?m)^tables: .*$`).ReplaceAllString(got, "tables: N")
	if want := `tracked: 3.2 KiB held in 6 allocations, 3.2 KiB peak, 6 allocations at most
pools: 1.2 KiB from the system, 0 B of that kept for reuse, 24 B by rounding to sizes
tables: N
untracked: 1 allocation, because Live is too small

groups
     held  count     peak   budget  exceeded  refused  waited  group
   1005 B      2   1005 B  1.0 MiB         0        1       0  all
  2.2 KiB      4  2.2 KiB   1000 B         1        0       0  files
   1005 B      2   1005 B     none         0        0       0  images < all

pools
     held  count  rounding  pool
  2.0 KiB      1       0 B  files
   1000 B      1      24 B  images/pixels (RGBA temporary)
    192 B      3       0 B  files/content
      5 B      1       0 B  images

largest scopes
     held  count     peak  scope
  2.0 KiB      1  2.0 KiB  (no worker): files
   1000 B      1   1000 B  w;a.png;decode: images/pixels
    192 B      3    192 B  (no worker): files/content
      5 B      1      5 B  w;a.png;decode: images
`; got != want {
		t.Errorf("report\n%s, want\n%s", got, want)
	}
	if err := tracker.WriteReport(full{}); !errors.Is(err, errFull) {
		t.Errorf("to a full disk: %v", err)
	}
	out.Reset()
	if err := (*Tracker)(nil).WriteReport(&out); err != nil || out.Len() > 0 {
		t.Errorf("a nil tracker writes %q, %v", &out, err)
	}
}

// A report on many scopes must be short, and must list the largest scopes.
func TestReportOfManyScopes(t *testing.T) {
	tracker := New(Options{})
	g := tracker.Group("g", GroupOptions{})
	for i := range 100 {
		g.Grow(tracker.Worker("w").Push(fmt.Sprint("asset ", i)), int64(i))
	}
	var out strings.Builder
	if err := tracker.WriteReport(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "w;asset 99: g") || strings.Contains(out.String(), "asset 79:") || !strings.HasSuffix(out.String(), "and 80 more\n") {
		t.Errorf("report\n%s", &out)
	}
}
