package cook_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/sysmem"
)

// TestHistory expects that a run with work is added to the history, and that a no-op run is not.
func TestHistory(t *testing.T) {
	p := sampleProject(t)
	must := p.must
	file, asset := p.path("cooked/.cook/history"), p.asset("new.json")
	recorded := func() []stats.Past {
		t.Helper()
		runs, err := survey.Runs(p.run.Out)
		must(err)
		return runs
	}
	// check cooks and expects n runs in the history, or any number if n is 0. If the run did work,
	// it must be the last run in the history.
	check := func(n int) {
		t.Helper()
		s := p.cook()
		runs := recorded()
		if len(runs) == 0 && n > 0 || n > 0 && len(runs) != n {
			t.Fatalf("%d runs, want %d", len(runs), n)
		}
		if s.UpToDate()+s.Failed.Assets == s.Found.Assets && s.Removed.Assets == 0 {
			return
		}
		want := map[string]int64{}
		for name, value := range s.Values() {
			if value != 0 {
				want[name] = value
			}
		}
		last := runs[len(runs)-1]
		if len(runs) > 1 && last.ID == runs[len(runs)-2].ID || last.ID.IsZero() {
			t.Errorf("the run's ID is %v", last.ID)
		}
		if !maps.Equal(last.Counts, want) || last.Took != s.Took || last.At.IsZero() {
			t.Errorf("%v, want %v; %v, want %v", last.Counts, want, last.Took, s.Took)
		}
		checkStages(t, last)
	}
	check(1)
	check(1)
	for n := range 3 {
		must(os.WriteFile(asset, fmt.Append(nil, n), 0o666))
		check(2 + n)
	}
	must(os.WriteFile(asset, []byte("["), 0o666))
	check(5)
	check(5)

	// A killed run can leave an incomplete line, which must not affect other lines.
	text, err := os.ReadFile(file)
	must(err)
	must(os.WriteFile(file, text[:len(text)-5], 0o666))
	must(os.WriteFile(asset, []byte("[1]"), 0o666))
	check(5)

	long := make([]byte, 0, 1<<20)
	first := text[bytes.LastIndexByte(text, '\n'):]
	first = append(first[:2:2], append(bytes.Repeat([]byte(" "), 2600-len(first)), first[2:]...)...) // 5000 lines of this length exceed the size limit of the history
	for range 5000 {
		long = append(long, first...)
	}
	must(os.WriteFile(file, long, 0o666))
	must(os.WriteFile(asset, []byte("[2]"), 0o666))
	check(0)
	if n := len(recorded()); n != 600 {
		t.Errorf("%d runs, want 600", n)
	}
	info, err := os.Stat(file)
	must(err)
	if info.Size() > 1850<<10 {
		t.Errorf("%d bytes", info.Size())
	}

	// Only the latest runs have details, whose size is limited.
	past, err := survey.Runs(p.run.Out)
	must(err)
	detailed := 0
	for i, run := range past {
		if run.Detail != nil {
			detailed++
		} else if detailed > 0 {
			t.Errorf("run %d has no detail, an older one has", i)
		}
	}
	if detailed == 0 || detailed == len(past) {
		t.Errorf("%d of %d runs have details", detailed, len(past))
	}

	// A damaged history above the size limit is discarded.
	must(os.WriteFile(file, make([]byte, 3<<20), 0o666))
	must(os.WriteFile(asset, []byte("[4]"), 0o666))
	check(1)
	info, err = os.Stat(file)
	must(err)
	if info.Size() > 2000 {
		t.Errorf("%d bytes for one run", info.Size())
	}

	// A directory with the name of the history file must not prevent cooking.
	must(os.Remove(file))
	must(os.Mkdir(file, 0o777))
	must(os.WriteFile(asset, []byte("[3]"), 0o666))
	if s := p.cook(); s.Cooked.Assets != 1 {
		t.Error(s.String())
	}
	if _, err := survey.Runs(p.run.Out); err == nil {
		t.Error("a directory was read as a history")
	}
}

// checkStages checks the recorded stages of a run that did work.
func checkStages(t *testing.T, run stats.Past) {
	t.Helper()
	var names []string
	took, peak := time.Duration(0), int64(0)
	for _, s := range run.Stages {
		names = append(names, s.Name)
		took += s.Took
		peak = max(peak, s.PeakRSS)
		if known := runtime.GOOS == "linux" || runtime.GOOS == "darwin"; known && s.PeakRSS < 1<<20 || s.PeakRSS > 1<<40 {
			t.Errorf("stage %s: a peak of %d bytes", s.Name, s.PeakRSS)
		}
	}
	if want := []string{"scan", "checksum", "plan", "cook", "save"}; !slices.Equal(names, want) {
		t.Errorf("stages %v, want %v", names, want)
	}
	if took <= 0 || took > run.Took {
		t.Errorf("stages of %v in a run of %v", took, run.Took)
	}
	if now := sysmem.PeakRSS(); peak > now {
		t.Errorf("a peak of %d bytes, the process's is %d", peak, now)
	}
}

func TestSummaryPrintsItself(t *testing.T) {
	s := cook.Summary{Found: cook.Count{Assets: 1}, Cooked: cook.Count{Assets: 1}, Took: time.Second}
	const want = "1 asset: 1 cooked in 1s"
	for _, got := range []string{fmt.Sprint(s), fmt.Sprint(&s), s.String()} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestVerifiedPrintsItself(t *testing.T) {
	v := cook.Verified{Outputs: 2, Differences: 1, Took: time.Second}
	if got := fmt.Sprint(v); got != v.String() || got != fmt.Sprint(&v) {
		t.Errorf("%q, want %q", got, v.String())
	}
}
