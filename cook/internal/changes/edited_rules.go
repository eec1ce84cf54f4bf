package changes

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/tools"
)

// followRules adds the sources that edited rules cook in another way. Sources of other targets
// are for their next run.
func (f *finder) followRules() error {
	if len(f.rules) == 0 {
		return nil
	}
	configs := f.delta.Configs()
	for i := range configs {
		if stamp, ok := f.rules[configs[i].Path]; ok {
			configs[i].Stamp = stamp
		}
	}
	rules, err := f.s.CompileRules(configs)
	if err != nil || !slices.Equal(f.delta.Targets, f.s.Scope.Among(rules.Set.Targets())) {
		return errNeedFullScan // the full scan reports the error
	}
	f.delta.Edited.Rules = rules
	methods := plan.NewMethods(rules.Set, tools.Finder(f.s.Assets.Name(), func(file string) (contents.File, error) {
		known, ok := f.last.Files().File(file)
		if !ok {
			return contents.File{}, errNeedFullScan // a new program: the plan will find it
		}
		return contents.File{Path: file, Blob: known.Blob}, nil
	}))
	for _, target := range ValidTargets(f.last) {
		if !rules.Set.HasTarget(target) {
			return errNeedFullScan
		}
	}
	for row := range f.last.Results().Rows("") {
		target := row.Target()
		switch {
		case !rules.Set.HasTarget(target):
			return errNeedFullScan // its artifacts must go
		case row.State() != index.Done || methods.Still(row):
		case slices.Contains(f.delta.Targets, target):
			f.concern(row.Path())
		default:
			f.outdated(target, row.Path())
		}
	}
	return nil
}
