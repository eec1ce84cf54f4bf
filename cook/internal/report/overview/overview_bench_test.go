package overview

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/profile/guid"
)

// large returns the data for a report with many assets and runs.
func large(assets, runs int) Input {
	in := Input{Out: "/game/cooked", Now: time.Unix(1_800_000_000, 0)}
	methods := []*survey.Method{{Recipe: "image"}, {Recipe: "audio"}, {Recipe: "mesh"}, {Recipe: "copy"}}
	for i := range runs {
		p := stats.Past{ID: guid.New(), At: in.Now.Add(time.Duration(i-runs) * time.Hour), Took: time.Duration(1+i%7) * time.Second, Counts: map[string]int64{
			"cook/found/count": int64(assets), "cook/cook/count": int64(1 + i*i%97), "cook/found/bytes_out": int64(1e9 + 1e6*(i/100)), "cook/skip/stamp/count": int64(assets - 1), "cook/saved_ns": 1e12,
		}}
		for _, s := range []string{"scan", "checksum", "plan", "cook", "save"} {
			p.Stages = append(p.Stages, stats.Stage{Name: s, Took: time.Duration(1+i%5) * time.Millisecond, PeakRSS: int64(1e8 + 1e6*(i%11))})
		}
		in.Runs = append(in.Runs, p)
	}
	if runs > 0 {
		d := &execute.Detail{Workers: 8, Took: time.Second, Busy: 8 * time.Second}
		for i := range 384 {
			d.Spans = append(d.Spans, execute.Span{Worker: i % 8, Begin: time.Duration(i/8) * 20 * time.Millisecond, End: time.Duration(i/8+1) * 20 * time.Millisecond, Busy: 20 * time.Millisecond, Assets: 100, Path: "some/folder/of/the/game/with_a_name.png"})
		}
		in.Runs[runs-1].Detail = d
	}
	for i := range assets {
		path := fmt.Sprintf("levels/%03d/area_%02d/textures/asset_number_%06d.png", i%300, i%17, i)
		a := survey.Asset{
			Path: path, Method: methods[i%4], In: int64(1000 + i%1000*1000), CookTime: time.Duration(i%5000) * time.Millisecond,
			Outputs: []survey.Output{{Path: path + ".ktx2", Size: int64(500 + i%777*1000)}},
			Last:    survey.Decision{At: in.Now, Outcome: execute.Cooked, Reasons: []string{"content changed: b8192c550988 -> 278220ecfd55", "option quality changed: \"normal\" -> \"best\""}},
		}
		if runs > 0 {
			a.Last.At = in.Runs[runs-1].At
		}
		if i%10 == 0 {
			a.Dependencies = []string{fmt.Sprintf("levels/%03d/shared.glsl", i%300)}
		}
		in.Assets = append(in.Assets, a)
	}
	return in
}

func BenchmarkHTML(b *testing.B) {
	in := large(100_000, 600)
	for b.Loop() {
		if err := New(in).WriteHTML(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
