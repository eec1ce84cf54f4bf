package stats

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/internal/sysmem"
)

// The times of repeated stages add up. The peak of a stage is the peak of the whole process.
func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := sysmem.PeakRSS()
		w := stopwatch{now: time.Now}
		w.endStage()
		for _, step := range []struct {
			stage string
			took  time.Duration
		}{{"scan", time.Second}, {"checksum", 2 * time.Second}, {"scan", 4 * time.Second}, {"scan", 8 * time.Second}, {"save", 0}} {
			w.beginStage(step.stage)
			time.Sleep(step.took)
		}
		w.endStage()
		time.Sleep(time.Hour)
		w.endStage()
		got := slices.Clone(w.stages)
		for i := range got {
			if got[i].PeakRSS < known || i > 0 && got[i].Name != "checksum" && got[i].PeakRSS < got[i-1].PeakRSS {
				t.Errorf("%+v after %d", got, known)
			}
			got[i].PeakRSS = 0
		}
		if want := []Stage{{Name: "scan", Took: 13 * time.Second}, {Name: "checksum", Took: 2 * time.Second}, {Name: "save"}}; !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// ParsePast reads lines of older versions without stages, and of newer versions with more fields.
func TestParsePast(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		stages     []Stage
		ok         bool
	}{
		{"older", `{"at":"2026-11-22T16:51:21Z","took_ns":5,"counts":{"cook/cook/count":1}}`, nil, true},
		{"ours", `{"at":"2026-11-22T16:51:21Z","took_ns":5,"stages":[{"stage":"scan","ns":3,"peak_rss":4096}],"counts":{"cook/cook/count":1}}`, []Stage{{"scan", 3, 4096}}, true},
		{"newer", `{"at":"2026-11-22T16:51:21Z","took_ns":5,"host":"a","stages":[{"stage":"dance","ns":3,"peak_rss":4096,"cpu_ns":[1]}],"counts":{"cook/cook/count":1}}`, []Stage{{"dance", 3, 4096}}, true},
		{"torn", `{"at":"2026-11-22T16:51:21Z","took_ns":5,"stages":[{"stage":"scan","n`, nil, false},
		{"no run", `{}`, nil, false},
	} {
		p, ok := ParsePast([]byte(tt.line))
		if ok != tt.ok {
			t.Errorf("%s: %v, want %v", tt.name, ok, tt.ok)
			continue
		}
		if ok && (p.Took != 5 || p.Counts["cook/cook/count"] != 1 || !slices.Equal(p.Stages, tt.stages)) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}
