package oracle

import (
	"context"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/recipes"
)

// A Run is a project and the options of all verbs; each verb uses some of them. The fields have
// the meaning that they have in package cook.
type Run struct {
	Dir, Out, Config, Cache string
	Checksum                string
	Targets, Patterns       []string
	Recipes                 []recipe.Recipe // in addition to package recipes; replaces recipes with the same name
	Workers                 int
	Memory, CacheSize       int64

	DryRun, Force, Strict, StopOnFailure, OutputsByFolder, Wait, EveryAsset bool
	// Verify sets IgnoreTimestamps.
	Verify   bool
	Probe    profile.Probe
	Observer cook.Observer
	Now      func() time.Time
	// Adjust changes the project before it is used; nil changes nothing.
	Adjust func(*cook.Project)
}

// Project returns the project to cook.
func (r Run) Project() cook.Project {
	p := cook.Project{
		Dir: r.Dir, Out: r.Out, Config: r.Config, Cache: r.Cache, Targets: r.Targets, Checksum: r.Checksum,
		Recipes: with(recipes.All(), r.Recipes), Now: r.Now,
	}
	if r.Adjust != nil {
		r.Adjust(&p)
	}
	return p
}

// with appends recipes to a list and replaces recipes with the same name.
func with(all, more []recipe.Recipe) []recipe.Recipe {
	for _, m := range more {
		replaced := false
		for i := range all {
			if all[i].Name == m.Name {
				all[i], replaced = m, true
			}
		}
		if !replaced {
			all = append(all, m)
		}
	}
	return all
}

func (r Run) limits() cook.Limits {
	return cook.Limits{Workers: r.Workers, Memory: r.Memory, CacheSize: r.CacheSize}
}

// Cook calls cook.Cook.
func (r Run) Cook(ctx context.Context) (cook.Summary, error) {
	return cook.Cook(ctx, r.Project(), cook.CookOptions{
		Patterns: r.Patterns, DryRun: r.DryRun, Force: r.Force, IgnoreTimestamps: r.Verify, Strict: r.Strict,
		StopOnFailure: r.StopOnFailure, OutputsByFolder: r.OutputsByFolder, Wait: r.Wait, Limits: r.limits(),
		Probe: r.Probe, Observer: r.Observer, EveryAsset: r.EveryAsset,
	})
}

// Why calls cook.Why.
func (r Run) Why(ctx context.Context, path string) ([]cook.Explanation, error) {
	return cook.Why(ctx, r.Project(), path, cook.WhyOptions{
		IgnoreTimestamps: r.Verify, OutputsByFolder: r.OutputsByFolder, Workers: r.Workers, Observer: r.Observer,
	})
}

// A Check contains the options that only cook.Verify has.
type Check struct {
	Sample string
	Seed   uint64
	Found  func(cook.Finding)
}

// Check calls cook.Verify.
func (r Run) Check(ctx context.Context, c Check) (cook.Verified, error) {
	return cook.Verify(ctx, r.Project(), cook.VerifyOptions{
		Patterns: r.Patterns, Sample: c.Sample, Seed: c.Seed, Found: c.Found, Limits: r.limits(), Observer: r.Observer,
	})
}

// Watch calls cook.Watch.
func (r Run) Watch(ctx context.Context, round func(cook.Round)) error {
	return cook.Watch(ctx, r.Project(), cook.WatchOptions{
		Strict: r.Strict, StopOnFailure: r.StopOnFailure, OutputsByFolder: r.OutputsByFolder, Limits: r.limits(),
		Probe: r.Probe, Observer: r.Observer, Round: round,
	})
}

// Clean calls cook.Clean.
func (r Run) Clean(ctx context.Context) (int, error) {
	return cook.Clean(ctx, r.Project(), r.Observer)
}

// Trim calls cook.Trim.
func (r Run) Trim(ctx context.Context) (cook.Trimmed, error) {
	return cook.Trim(ctx, r.Cache, r.CacheSize)
}
