package builtin

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A trace is what a program got to see of the asset folder, by absolute name.
type trace map[string]sandbox.Access

// mayReadMore reports whether the program of a call may read files of the asset folder that
// are neither declared nor recorded. Of a server that it talks to nothing is seen.
func (c *Command) mayReadMore(p *call) bool {
	return p.trace == nil && !c.Daemons && (p.cell == nil || p.cell.assets == "")
}

// openPolicy is what a program without a cell may do while it is traced: read everything, and
// write where its results are to be.
func (p *call) openPolicy() *sandbox.Policy {
	policy := &sandbox.Policy{Read: []string{"/"}, Write: []string{p.scratch}}
	for _, file := range p.outputs {
		policy.Write = append(policy.Write, filepath.Dir(file))
	}
	if home := p.vars["HOME"]; home != "" {
		policy.Write = append(policy.Write, home)
	}
	return policy
}

// dependInVain makes what was listed, and what was looked for in vain, dependencies of a
// program that has failed.
func (t trace) dependInVain(p *call, job *recipe.Job, tools []string) {
	some := trace{}
	for name, access := range t {
		if access == sandbox.Missing || access == sandbox.List {
			some[name] = access
		}
	}
	some.depend(p, job, tools) // the failure says more than what of it could not be found out
}

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
			rooted = pathname.Folder(rooted)
		}
		if err := job.Depend(rooted); err != nil {
			return fmt.Errorf("what it reads: %s: %w", pathname.Show(rooted), err)
		}
	}
	return nil
}
