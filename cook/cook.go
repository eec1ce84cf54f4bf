package cook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/builtin"
	"github.com/assetcook/assetcook/cook/recipe/image"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Cook brings the output folder up to date with the asset folder. Assets that
// fail are counted in the Summary and told to the Observer; the error is for
// what kept the whole run from being done: a *ConfigError, a *LockedError, the
// context's error after an interrupt, or a failure to read or write what every
// run needs.
func Cook(ctx context.Context, opt Options) (report.Summary, error) {
	k, err := begin(opt)
	if err != nil {
		return report.Summary{}, err
	}
	defer k.close()
	if err := k.lookAround(ctx); err != nil {
		return k.summary, err
	}
	if err := k.work(ctx); err != nil {
		return k.summary, err
	}
	k.summary.Took = k.Now().Sub(k.started)
	return k.summary, ctx.Err()
}

// Recipes returns the recipes that are built in.
func Recipes() *recipe.Set {
	set, err := recipe.NewSet(builtIn()...)
	if err != nil {
		panic(err) // a built-in recipe breaks the rules for recipes
	}
	return set
}

func builtIn() []recipe.Recipe { return append(builtin.All(), image.Recipe()) }

// lookAround finds out what is there: sources, rules, contents, outputs.
func (k *kitchen) lookAround(ctx context.Context) error {
	k.openStore()
	k.Observer.Stage("scan")
	var err error
	k.tree, err = scan.Dir(ctx, k.assets.Name(), scan.Options{Exclude: k.ownFolders(), Workers: k.Workers})
	if err != nil {
		return err
	}
	for _, p := range k.tree.Problems {
		if path.Base(p.Path) == scan.ConfigName {
			return configError("%w", p)
		}
		if p.Fatal() {
			k.event(run.Event{Path: p.Path, Outcome: run.Failed, Err: errors.New(p.Reason())})
		} else {
			k.Observer.Note(p.Error())
		}
	}
	if err := k.readRules(); err != nil {
		return err
	}
	k.Observer.Stage("checksum")
	k.survey = survey.New(survey.Options{
		Assets: k.assets, Index: k.last, Checksum: k.checksum, Verify: k.Verify,
		Workers: k.Workers, Now: k.started.UnixNano(),
	})
	var entries []scan.Entry
	for _, e := range k.tree.Entries {
		if k.inScope(e.Path) {
			entries = append(entries, e)
		}
	}
	if err := k.checkPatterns(entries); err != nil {
		return err
	}
	begin := k.Now()
	if err := k.survey.Sources(ctx, entries); err != nil {
		return err
	}
	wanted := k.wantedOutputs()
	if k.outputs, err = k.survey.Outputs(ctx, k.out, func(row int) bool { return wanted[row] }); err != nil {
		return err
	}
	k.summary.Checksummed.Time = k.Now().Sub(begin)
	return k.readClaims()
}

// ownFolders are those of ours that lie among the assets.
func (k *kitchen) ownFolders() []string {
	var inside []string
	for _, dir := range []string{k.Out, k.Cache} {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // it does not exist yet
		}
		if rel, ok := below(k.assets.Name(), real); ok && rel != "." {
			inside = append(inside, real)
		}
	}
	return inside
}

// readRules compiles the configuration files that the scan found.
func (k *kitchen) readRules() error {
	var files []rules.File
	add := func(name, dir string, data []byte, err error) error {
		if err != nil {
			return configError("%s: %w", name, err)
		}
		files = append(files, rules.File{Name: name, Dir: dir, Data: data})
		return nil
	}
	if info, err := k.assets.Stat(scan.ConfigName); err == nil && info.IsDir() {
		return configError("%s: a folder, want a file of rules", filepath.Join(k.Dir, scan.ConfigName))
	}
	if k.Config != "" {
		data, err := readRegular(k.Config)
		if err := add(k.Config, "", data, err); err != nil {
			return err
		}
	}
	for _, c := range k.tree.Configs {
		dir := path.Dir(c.Path)
		if dir == "." {
			if dir = ""; k.Config != "" {
				continue
			}
		}
		data, err := k.readAsset(c.Path)
		name := filepath.Join(k.Dir, filepath.FromSlash(c.Path))
		if err := add(name, dir, data, err); err != nil {
			return err
		}
	}
	var err error
	if k.rules, err = rules.Compile(files, k.recipes); err != nil {
		return &ConfigError{err}
	}
	for _, t := range k.Targets {
		if t != "" && !k.rules.HasTarget(t) {
			return configError("unknown target %q; cook.toml has %s", t, list(k.rules.Targets()))
		}
	}
	return nil
}

// readRegular reads a file of rules from outside the asset folder. What is no
// regular file could make us wait, or never end.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return os.ReadFile(name)
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (k *kitchen) readAsset(p string) ([]byte, error) {
	f, err := k.assets.OpenFile(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// work plans, runs, and saves what came of it.
func (k *kitchen) work(ctx context.Context) error {
	p := k.plan(ctx)
	for _, source := range p.Unseen {
		k.event(run.Event{Path: source, Outcome: run.NotReached})
	}
	k.Observer.Stage("cook")
	if !k.DryRun {
		if claims := newOutputs(p); len(claims) > 0 {
			if err := k.writeJournal(append(k.claims, k.notTheirs(claims)...)); err != nil {
				return err
			}
		}
	}
	outturn, err := run.Run(ctx, p, run.Options{
		Assets: k.assets, Out: k.out, Survey: k.survey, Checksum: k.checksum, Store: k.store,
		Last: k.last, Claims: k.claims, Workers: k.Workers, Memory: k.Memory,
		StopOnFailure: k.StopOnFailure, DryRun: k.DryRun, Now: k.Now,
		Report: k.event, Warn: k.Observer.Note,
	})
	if err != nil {
		return err
	}
	read := k.survey.Read()
	k.summary.Checksummed.Assets = int(read.Files.Load())
	k.summary.Checksummed.In = read.Bytes.Load()
	if k.DryRun {
		return nil
	}
	k.Observer.Stage("save")
	if err := k.save(ctx, p, outturn); err != nil {
		return err
	}
	if k.store != nil && k.store.TrimDue(k.Now(), k.CacheSize) {
		if _, err := k.store.Trim(ctx, k.CacheSize, k.Now()); err != nil && ctx.Err() == nil {
			k.Observer.Note(fmt.Sprintf("store: %v", err))
		}
	}
	return nil
}

func (k *kitchen) plan(ctx context.Context) *plan.Plan {
	p := plan.Make(plan.Input{
		Assets:     k.survey.Assets(),
		File:       func(p string) survey.File { return k.survey.At(ctx, p) },
		Tool:       func(name string) (survey.File, error) { return k.tool(ctx, name) },
		Method:     k.rules.Method,
		Targets:    k.Targets,
		Last:       k.last,
		Outputs:    k.outputs,
		Claims:     k.claims,
		HasTarget:  func(t string) bool { return t == "" || k.rules.HasTarget(t) },
		InScope:    k.inScope,
		Incomplete: k.tree.Incomplete,
		Force:      k.Force,
	})
	running, expected := 0, time.Duration(0)
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Runs {
			running++
			expected += run.Expected(a)
		}
	}
	k.Observer.Planned(running, expected)
	return p
}

// tool finds a program, or a file that belongs to one, and its content.
func (k *kitchen) tool(ctx context.Context, name string) (survey.File, error) {
	file, err := recipe.FindTool(k.assets.Name(), name)
	if err != nil {
		return survey.File{}, err
	}
	f, err := k.survey.Tool(ctx, file)
	if err != nil {
		return f, fmt.Errorf("tool %s: %w", pathname.Show(name), err)
	}
	return f, nil
}

func (k *kitchen) event(e run.Event) {
	k.summary.Add(e)
	k.Observer.Event(e)
}

// inScope reports whether the run is to bring a source up to date.
func (k *kitchen) inScope(p string) bool {
	switch {
	case k.only != "":
		return p == k.only
	case len(k.Patterns) == 0:
		return true
	}
	return slices.ContainsFunc(k.Patterns, func(pattern string) bool { return matches(pattern, p) })
}

// matches reports whether a pattern of the command line means a source.
func matches(pattern, p string) bool {
	pattern = strings.Trim(path.Clean(filepath.ToSlash(pattern)), "/")
	subject := p
	if !strings.Contains(pattern, "/") {
		subject = path.Base(p)
	}
	ok, _ := doublestar.Match(pattern, subject)
	return ok || p == pattern || strings.HasPrefix(p, pattern+"/") || pattern == "."
}

// checkPatterns refuses a pattern that means nothing, now or when last cooked:
// it is misspelt.
func (k *kitchen) checkPatterns(entries []scan.Entry) error {
	for _, pattern := range k.Patterns {
		found := slices.ContainsFunc(entries, func(e scan.Entry) bool { return matches(pattern, e.Path) })
		for i := 0; i < k.last.Actions() && !found; i++ {
			found = matches(pattern, string(k.last.ActionPath(i)))
		}
		if !found {
			return configError("no asset matches %s", pathname.Show(pattern))
		}
	}
	return nil
}
