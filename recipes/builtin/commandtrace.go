package builtin

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A trace is what a program got to see of the asset folder, by absolute name.
type trace map[string]sandbox.Access

// depend makes all that was seen dependencies: the content of files, that files are not
// there, and of folders what they hold, or that they are there.
func (t trace) depend(p *call, job *recipe.Job, tools []string) error {
	places := newPlaces(p, tools)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		rooted, known, err := places.find(name)
		if err != nil {
			return fmt.Errorf("what it reads: %w", err)
		}
		if known {
			continue
		}
		switch t[name] {
		case sandbox.List:
			rooted = pathname.Listing(rooted, "", false)
		case sandbox.Exists:
			rooted = pathname.Listing(rooted, ".", false) // a name that none has
		}
		if err := job.Depend(rooted); err != nil {
			return fmt.Errorf("what it reads: %s: %w", pathname.Show(rooted), err)
		}
	}
	return nil
}
