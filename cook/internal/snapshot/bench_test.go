package snapshot_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/snapshot"
	"github.com/assetcook/assetcook/internal/faultlink"
	"github.com/assetcook/assetcook/recipes"
)

var slowLinks = flag.Bool("snapshot.slow", false, "measure slow links and many files, for two minutes")

// BenchmarkGet gets a snapshot of random files over a simulated link, and then again after one file
// has changed. It reports the time as a multiple of the time that the bytes take, the requests, and
// the bytes of the second get.
func BenchmarkGet(b *testing.B) {
	type link struct {
		files, size int           // number of files, and average size
		megabits    float64       // rate of the link
		delay       time.Duration // latency in one direction
	}
	all := []link{{200, 20_000, 1000, 0}}
	if *slowLinks {
		all = []link{
			{560, 240_000, 20, 15 * time.Millisecond},
			{560, 240_000, 100, 15 * time.Millisecond},
			{20_000, 2_000, 100, 15 * time.Millisecond},
			{20_000, 2_000, 1000, 0},
		}
	}
	for _, c := range all {
		b.Run(fmt.Sprintf("%d files, %v Mbit, %v", c.files, c.megabits, 2*c.delay), func(b *testing.B) {
			dir := b.TempDir()
			r := rand.New(rand.NewPCG(45, 3))
			write := func(i int) {
				content := make([]byte, c.size/2+r.IntN(c.size))
				for k := range content {
					content[k] = byte(r.Uint32())
				}
				name := filepath.Join(dir, "assets", fmt.Sprint(i/100), fmt.Sprint(i)+".dat")
				os.MkdirAll(filepath.Dir(name), 0o777)
				if err := os.WriteFile(name, content, 0o666); err != nil {
					b.Fatal(err)
				}
			}
			for i := range c.files {
				write(i)
			}
			url := (&remotetest.Server{BLAKE3: true}).Start(b)
			p := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}
			publish := func() {
				if _, err := cook.Cook(b.Context(), p, cook.CookOptions{}); err != nil {
					b.Fatal(err)
				}
				from, err := export.Open(p.Out, "", "")
				if err != nil {
					b.Fatal(err)
				}
				defer from.Close()
				_, err = snapshot.Publish(b.Context(), session.Options{Place: session.Place{Dir: p.Dir, Out: p.Out, Cache: p.Cache}, Recipes: p.Recipes}, from, openCarrier(b, url, nil), share.SnapshotName{Ref: "main"})
				if err != nil {
					b.Fatal(err)
				}
			}
			publish()
			slow := remotetest.Over(b, url, faultlink.Options{Delay: c.delay, Rate: c.megabits * 1e6 / 8})
			to := openStore(b, filepath.Join(dir, "player"))
			get := func() (took time.Duration, bytes, requests int64) {
				link := openCarrier(b, slow, to)
				begun := time.Now()
				got, err := snapshot.Getter{Carrier: link, Store: to, Name: share.SnapshotName{Ref: "main"}}.GetInto(b.Context(), filepath.Join(dir, "game"), 2, false)
				if err != nil {
					b.Fatal(err)
				}
				return time.Since(begun), got.Down, link.CountRequests()
			}
			for b.Loop() {
				took, bytes, requests := get()
				b.ReportMetric(took.Seconds()/(float64(bytes)*8/1e6/c.megabits), "x-bytes-time")
				b.ReportMetric(float64(bytes)/1e6, "MB")
				b.ReportMetric(float64(requests), "requests")
				write(0)
				publish()
				took, bytes, requests = get()
				b.ReportMetric(took.Seconds(), "s-again")
				b.ReportMetric(float64(bytes)/1e6, "MB-again")
				b.ReportMetric(float64(requests), "requests-again")
			}
		})
	}
}
