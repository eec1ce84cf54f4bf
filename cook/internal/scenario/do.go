package scenario

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/smoke"
)

// ahead is how far the clock of a step is ahead of the file system's clock. It is so large that
// every stamp counts as old, and thus as trusted.
const ahead = time.Hour

// Do runs a step in a working directory and measures it. It is called in a process that a smoke run
// starts.
func Do(ctx context.Context, do string, passes int, work string, project cook.Project) error {
	set := counters.New(counters.Options{Max: 1024})
	run := smoke.Start(set)
	project.Dir, project.Out, project.Cache = filepath.Join(work, Assets), filepath.Join(work, Outputs), filepath.Join(work, Store)
	project.Now = func() time.Time { return time.Now().Add(ahead) }
	if do == Verify {
		return doVerify(ctx, project, passes, run)
	}
	seen := sightings{}
	opt := cook.CookOptions{Force: do == Force, Observer: seen}
	opt.Probe = profile.Probe{Counters: set, Memory: memory.New(memory.Options{Live: 1})}
	for range passes {
		if _, err := cook.Cook(ctx, project, opt); err != nil {
			return err
		}
		run.Frame()
	}
	for _, group := range opt.Probe.Memory.Snapshot().Groups {
		run.Level("memory/"+group.Name+"/peak", float64(group.Peak))
	}
	seen.reportOutcomes(run)
	return run.Finish()
}

// doVerify verifies all outputs in each pass. All passes cook the same sample of assets again.
func doVerify(ctx context.Context, project cook.Project, passes int, run *smoke.Run) error {
	var found cook.Verified
	differences := map[string]string{}
	opt := cook.VerifyOptions{Seed: 1, Found: func(f cook.Finding) { differences[f.Path] = f.Text }}
	for range passes {
		var err error
		if found, err = cook.Verify(ctx, project, opt); err != nil {
			return err
		}
		run.Frame()
	}
	for _, path := range slices.Sorted(maps.Keys(differences)) {
		run.Item("difference "+path, differences[path], 0)
	}
	for name, value := range map[string]int64{
		"outputs": int64(found.Outputs), "bytes": found.Bytes, "blobs": int64(found.Blobs),
		"again": int64(found.Again), "assets": int64(found.Assets), "differences": int64(found.Differences),
	} {
		run.Exact("verify/"+name, value)
	}
	return run.Finish()
}

// sightings is an observer that records the outcomes of assets by name.
type sightings map[string]*sighting

type sighting struct {
	outcomes []string
	took     time.Duration
}

func (s sightings) Stage(string)               {}
func (s sightings) Planned(int, time.Duration) {}
func (s sightings) Step(_, _, _ string)        {}
func (s sightings) Reading(_, _ int, _ int64)  {}
func (s sightings) Note(string)                {}

func (s sightings) Event(e cook.Event) {
	if e.Outcome == cook.Started {
		return
	}
	name := "asset " + e.Path
	if e.Target != "" {
		name += " for " + e.Target
	}
	seen := s[name]
	if seen == nil {
		seen = new(sighting)
		s[name] = seen
	}
	seen.outcomes = append(seen.outcomes, string(e.Outcome))
	seen.took += e.Took
}

// reportOutcomes adds to a run the outcomes of each asset, and how often each outcome occurred.
func (s sightings) reportOutcomes(run *smoke.Run) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		seen := s[name]
		slices.Sort(seen.outcomes)
		var parts []string
		for i := 0; i < len(seen.outcomes); {
			j := i
			for j < len(seen.outcomes) && seen.outcomes[j] == seen.outcomes[i] {
				j++
			}
			part := seen.outcomes[i]
			if j-i > 1 {
				part = fmt.Sprintf("%s %d times", part, j-i)
			}
			parts, i = append(parts, part), j
		}
		run.Item(name, strings.Join(parts, ", "), seen.took)
	}
}
