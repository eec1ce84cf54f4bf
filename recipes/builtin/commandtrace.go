package builtin

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// newTrace returns an empty trace for a program that sees the asset directory.
func (c *Command) newTrace(p *call) *sandbox.Trace {
	t := &sandbox.Trace{Folder: p.assets, Seen: map[string]sandbox.Access{}}
	for _, tool := range c.tools() {
		if file, err := program.Find(p.assets, tool); err == nil { // else it cannot be executed
			t.Programs = append(t.Programs, file)
		}
	}
	return t
}

// mayReadMore reports whether the program of a call may read files of the asset directory that
// are neither declared nor recorded. Reads of a server that it talks to cannot be seen.
func (c *Command) mayReadMore(p *call) bool {
	return p.trace == nil && !c.Daemons && (p.cell == nil || p.cell.assets == "")
}

// openPolicy returns the rights of a traced program without a cell: to read everything, and to write
// in the directories of its outputs.
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

// dependInVain records dependencies of a failed program: directories that it listed, and files that it
// did not find.
func dependInVain(p *call, job *recipe.Job, tools []string) {
	if p.trace == nil {
		return
	}
	some := sandbox.Trace{Seen: map[string]sandbox.Access{}}
	for name, access := range p.trace.Seen {
		if access == sandbox.Missing || access == sandbox.List {
			some.Seen[name] = access
		}
	}
	dependOnTrace(&some, newPlaces(p, tools), job) // the failure of the program says more than this error
}

// dependOnTrace makes everything in a trace a dependency: the content or the absence of files, the
// names in directories or the presence of directories, and the texts of links.
func dependOnTrace(t *sandbox.Trace, places *places, job *recipe.Job) error {
	found := map[recipe.Dependency]bool{} // whether the program found it
	depend := func(on recipe.Dependency, is bool) error {
		if err := job.Depend(on); err != nil {
			return fmt.Errorf("input %s: %w", pathname.Show(on.String()), err)
		}
		found[on] = is
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.Seen)) {
		rooted, known, err := places.find(name)
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		if known {
			continue
		}
		on := dependency.OfFile(rooted)
		switch t.Seen[name] {
		case sandbox.List:
			on.Kind = dependency.Entries
		case sandbox.Exists:
			on.Kind = dependency.Folder
		}
		if err := depend(on, t.Seen[name] != sandbox.Missing); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Links)) {
		if how, seen := t.Seen[filepath.Dir(name)]; t.Links[name] == "" && seen && how == sandbox.List {
			continue // a listing says of each name whether it is a link
		}
		rooted, _, err := places.find(name)
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		if err := depend(recipe.Dependency{Kind: dependency.Link, Path: rooted}, t.Links[name] != ""); err != nil {
			return err
		}
	}
	for _, d := range jobs.Deps(job) { // the run may have looked earlier, with another result
		if is, seen := found[d.On.Named(d.Name)]; seen && is != d.Found {
			return fmt.Errorf("input %s %w", pathname.Show(d.On.Named(d.Name).String()), recipe.ErrChanged)
		}
	}
	return nil
}
