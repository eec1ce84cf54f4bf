package upkeep

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const exportText = `usage: cook export [flags] [assets] DIR

Makes the directory DIR a copy of the files that an engine loads: the artifacts, and
manifest.json with its parts. The state of cook, CACHEDIR.TAG and .gitignore are not copied.
Files that differ are replaced, each as a whole; they share disk space with the output directory
if the file system supports that. Files of the last export are removed if the outputs no longer
have them; other files are kept. A directory with files must be an earlier export.

Cook the assets first, with the same rules. Nothing is exported if an asset failed, was never
cooked, or has changed or gone since; with -force that is a warning, and the outputs are
exported as they are.

With -target, the export has the outputs of one target, at the same paths as an export of any
other target: without the directory of the target.

Example:
	cook assets
	cook export assets public/assets
	cook export -target mobile assets mobile/assets
`

// Export is the verb "cook export".
var Export = cmdline.Verb{
	Name: "export", Synopsis: "export [flags] [assets] DIR", Summary: "copy only the files that an engine loads", Text: exportText,
	Takes: cmdline.Argument{Folders: true, Target: true},
	New:   cmdline.HandlerOf((*exportOptions).exportFlags, (*exportOptions).runExport),
}

type exportOptions struct {
	project       cook.Project
	target        string // "" for all targets
	flags         *flag.FlagSet
	workers       int
	dryRun, force bool
}

func (r *exportOptions) exportFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.RuleFlags(fs, &r.project, "export only the outputs for the target of this `name`, at paths without the directory of the target (default: all that were cooked)")
	r.flags = fs
	cmdline.WorkerFlag(fs, &r.workers)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: count what would be written and removed, and change nothing")
	fs.BoolVar(&r.force, "force", false, "export although assets failed or are out of date, with warnings")
}

// chooseTarget sets r.target to the target in the flag -target. Without the flag, it ignores
// r.project.Targets, which may come from cook.toml.
func (r *exportOptions) chooseTarget() error {
	given := false
	r.flags.Visit(func(f *flag.Flag) { given = given || f.Name == "target" })
	if !given || slices.Contains(r.project.Targets, rules.AllTargets) {
		return nil
	}
	if len(r.project.Targets) != 1 {
		return errors.New("-target takes the name of one target; without -target, all that were cooked are exported")
	}
	r.target = r.project.Targets[0]
	return nil
}

func (r *exportOptions) runExport(ctx context.Context, c *cmdline.Call, words []string) int {
	r.project.Recipes = c.Recipes
	if len(words) != 1 || r.project.Dir == "" && r.project.Out == "" {
		return c.Wrong("want a project and one directory to export to; try: cook export assets public/assets")
	}
	if err := r.chooseTarget(); err != nil {
		return c.Wrong("%v", err)
	}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	layout := manifest.Layout(r.project.Manifest)
	if _, err := manifest.LayoutNamed(r.project.Manifest); err != nil {
		return c.Wrong("manifest: %v", err)
	}
	c.AtWork()
	from, err := export.Open(out, r.target, layout)
	if err != nil {
		return c.Fail(ctx, err)
	}
	defer from.Close()
	if status := r.checkShippable(ctx, c, out, from.Targets, notExported); status != frontend.OK {
		return status
	}
	done, err := from.CopyTo(ctx, words[0], r.workers, r.dryRun)
	if err != nil {
		return c.Fail(ctx, err)
	}
	for _, name := range done.Kept {
		c.Warn(fmt.Sprintf("%s was edited and is no longer exported; the file stays", pathname.Show(name)))
	}
	would := ""
	if r.dryRun {
		would = "would be "
	}
	fmt.Fprintf(c.Stdout, "cook: %s of %s%s, %d %swritten, %d %sremoved\n", human.Count(done.Files, "file"), human.Bytes(done.Bytes), r.exported(from.Targets), done.Written, would, done.Removed, would)
	return frontend.OK
}

// exported describes the targets of an export: the name in -target, or the number of targets. It
// returns "" for a single target without -target.
func (r *exportOptions) exported(targets []string) string {
	switch {
	case r.target != "":
		return " for the target " + pathname.Show(r.target)
	case len(targets) > 1:
		return fmt.Sprintf(" for %d targets (-target exports one)", len(targets))
	}
	return ""
}

// checkShippable prints the assets with missing or stale outputs. It returns a status other than OK
// if the export must not begin. refuse returns the error for a description of these outputs.
func (r *exportOptions) checkShippable(ctx context.Context, c *cmdline.Call, out string, targets []string, refuse func(outputs string) error) (status int) {
	if r.target != "" {
		targets = []string{r.target}
	}
	all, err := r.findUnshippable(ctx, out, targets)
	if err != nil {
		return c.Fail(ctx, err)
	}
	if len(all) == 0 {
		return frontend.OK
	}
	severity := frontend.Err
	if r.force {
		severity = frontend.Warning
	}
	style := c.Style()
	for i := range all[:min(mostUnshippable, len(all))] {
		all[i].Severity = severity
		fmt.Fprint(c.Stderr, style.Format(&all[i]))
	}
	if more := len(all) - mostUnshippable; more > 0 {
		fmt.Fprintf(c.Stderr, "and %s more\n", human.Count(more, "asset"))
	}
	if r.force {
		return frontend.OK
	}
	return c.Fail(ctx, refuse(countUnshippable(len(all))))
}

func notExported(outputs string) error {
	return fmt.Errorf("nothing was exported: %s; cook first, with the same rules, or export the outputs as they are with -force", outputs)
}

// mostUnshippable limits the number of assets in the error message.
const mostUnshippable = 10

func countUnshippable(n int) string {
	if n == 1 {
		return "the outputs of 1 asset are missing or out of date"
	}
	return fmt.Sprintf("the outputs of %d assets are missing or out of date", n)
}

// An unshippable is an observer that collects the assets with work to do in a dry run.
type unshippable struct {
	cook.Observers

	dir    string
	failed map[string]string // errors of the last run; the key is the path and target
	all    []frontend.Diagnostic
}

// findUnshippable returns the assets with missing or stale outputs. Without the asset directory, it
// returns only the assets that failed in the last run.
func (r *exportOptions) findUnshippable(ctx context.Context, out string, targets []string) ([]frontend.Diagnostic, error) {
	u := &unshippable{dir: r.project.Dir, failed: map[string]string{}}
	known, err := survey.List(out)
	if err != nil && !errors.Is(err, survey.ErrNotCooked) {
		return nil, err
	}
	for i := range known {
		a := &known[i]
		if !a.Failed || r.target != "" && a.Target != r.target {
			continue
		}
		text := "it failed"
		if n := len(a.Last.Reasons); n > 0 {
			text += ": " + strings.TrimPrefix(a.Last.Reasons[n-1], "error: ")
		}
		u.failed[a.Target+"\n"+a.Path] = text
		if r.project.Dir == "" {
			u.addDiagnostic(a.Path, a.Target, text)
		}
		if !slices.Contains(targets, a.Target) {
			targets = append(targets, a.Target)
		}
	}
	if r.project.Dir == "" {
		return u.all, nil
	}
	for _, t := range r.project.Targets {
		if t != rules.AllTargets && !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		targets = []string{""}
	}
	for _, t := range targets {
		p := r.project
		p.Targets = nil
		if t != "" {
			p.Targets = []string{t}
		}
		if _, err := cook.Cook(ctx, p, cook.CookOptions{DryRun: true, Observer: u}); err != nil {
			return nil, explainTargetError(err, t)
		}
	}
	slices.SortFunc(u.all, func(a, b frontend.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Target, b.Target))
	})
	return u.all, nil
}

// explainTargetError extends the error about outputs of a target that the rules no longer declare.
func explainTargetError(err error, target string) error {
	var config *cook.ConfigError
	var places rules.Errors
	if target == "" || !errors.As(err, &config) || errors.As(err, &places) {
		return err
	}
	return fmt.Errorf("%w; a cook without -target removes outputs of targets that are gone", err)
}

func (u *unshippable) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Started, cook.UpToDate, cook.Warned:
		return
	}
	text := "its outputs are out of date"
	switch failed := u.failed[e.Target+"\n"+e.Path]; {
	case failed != "":
		text = failed
	case e.Err != nil:
		text = e.Err.Error()
	case e.Outcome == cook.Removed:
		text = "the source is gone, but its outputs are still there"
	case slices.ContainsFunc(e.Reasons, func(r cook.Reason) bool { return r.Kind == plan.New }):
		text = "it was never cooked"
	case len(e.Reasons) > 0:
		text += ": " + e.Reasons[0].String()
	}
	u.addDiagnostic(e.Path, e.Target, text)
}

func (u *unshippable) addDiagnostic(path, target, text string) {
	file := filepath.FromSlash(path)
	if u.dir != "" {
		file = filepath.Join(u.dir, file)
	}
	u.all = append(u.all, frontend.Diagnostic{File: pathname.Show(file), Target: target, Text: text})
}
