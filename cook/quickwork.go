package cook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"syscall"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/sweep"
	"github.com/assetcook/assetcook/hashing"
)

// lookAfter leads the pipeline over the sources that are concerned, counts the
// others as up to date, and saves what changed.
func (q *quick) lookAfter(ctx context.Context) error {
	paths := q.sources()
	rest := q.live.Totals()
	touched := q.live.Tally()
	before := q.actionsOf(paths)
	for i := range before {
		if slices.Contains(q.Targets, before[i].Target) {
			rest.Take(&before[i], q.live.Size(before[i].Path))
		}
	}
	for i := range q.found.Files {
		f := &q.found.Files[i]
		if !q.same[i] || f.Role != index.Asset && f.Role != index.Made {
			continue
		}
		if len(q.now) > 0 {
			if _, concerned := q.now[q.sourceOf(f)]; concerned {
				continue
			}
		}
		touched.Node(f.Part, f.Node)
	}
	var err error
	if len(paths) > 0 {
		err = q.cookSome(ctx, paths, before)
	} else {
		err = q.saveChanges(nil, nil, nil, &run.Outturn{})
	}
	if errors.Is(err, errWhole) {
		return err
	}
	q.noteProblems(q.tree)
	q.summary.Rest(rest, touched.Totals)
	q.summary.Checksummed.Assets += int(q.reads.Files.Load())
	q.summary.Checksummed.In += q.reads.Bytes.Load()
	q.summary.Looked.Opened += q.found.Opened
	q.summary.Looked.Listed += q.tree.Listed
	q.summary.Looked.Stats += q.found.Stats + q.tree.Stats
	return err
}

// actionsOf decodes the actions of some sources.
func (q *quick) actionsOf(paths []string) []index.Action {
	var all []index.Action
	for _, p := range paths {
		q.live.Actions(p, func(a index.Action, _ index.Method) { all = append(all, a) })
	}
	return all
}

// cookSome leads the pipeline over some sources.
func (q *quick) cookSome(ctx context.Context, paths []string, before []index.Action) error {
	var err error
	if q.last, err = q.excerpt(paths); err != nil {
		return err
	}
	tree := &scan.Tree{}
	for _, p := range paths {
		if e := q.now[p]; e != nil {
			tree.Entries = append(tree.Entries, *e)
		}
	}
	for _, f := range q.live.Configs() {
		tree.Configs = append(tree.Configs, scan.Entry{Path: f.Path, Stamp: f.Stamp})
	}
	q.kitchen.tree, q.quickly = tree, q
	q.openStore()
	if err := q.readRules(); err != nil {
		return errWhole // which will say it
	}
	if err := q.surveyAll(ctx, tree.Entries); err != nil {
		return err
	}
	p := q.plan(ctx)
	if p.Contested || len(p.Unseen) > 0 {
		return errWhole
	}
	outturn, err := q.carryOut(ctx, p)
	if err != nil || q.DryRun {
		return err
	}
	if err := q.saveChanges(paths, before, p, outturn); err != nil {
		return err
	}
	q.trim(ctx)
	return nil
}

// excerpt is an index that knows of some sources only.
func (q *quick) excerpt(paths []string) (*index.Index, error) {
	b := index.NewBuilder(q.live.Checksum())
	added := map[string]bool{}
	addFile := func(p string) {
		if f, ok := q.live.File(p); ok && !added[p] {
			added[p] = true
			b.AddFile(f)
		}
	}
	for _, p := range paths {
		addFile(p)
		q.live.Actions(p, func(a index.Action, m index.Method) {
			a.Method = b.AddMethod(m)
			b.AddAction(a)
			for _, d := range a.Deps {
				addFile(d.Path)
			}
			for _, f := range m {
				if name, ok := plan.ToolOf(f); ok {
					if file, err := recipe.FindTool(q.assets.Name(), name); err == nil {
						addFile(file)
					}
				}
			}
		})
	}
	return index.Open(b.Bytes())
}

// Owns reports whether a file of the output folder was made by an action of a
// source that is not looked after now.
func (q *quick) Owns(output string) bool {
	yes, err := q.owns(output)
	return yes || err != nil // who cannot tell must look closer
}

func (q *quick) owns(output string) (yes bool, err error) {
	err = sweep.Guard(func() error {
		source, ok := q.live.Owner(output)
		_, ours := q.now[source]
		yes = ok && !ours
		return nil
	})
	return yes, err
}

// Holds reports whether a folder of the output folder has artifacts.
func (q *quick) Holds(folder string) (yes bool) {
	err := sweep.Guard(func() error {
		yes = q.live.HoldsOutputs(folder)
		return nil
	})
	return yes || err != nil
}

// saveChanges brings the index and the manifest up to date with what was done
// about some sources, and with what the sweep saw of the others.
func (q *quick) saveChanges(paths []string, before []index.Action, p *plan.Plan, outturn *run.Outturn) error {
	if q.DryRun {
		return nil
	}
	q.saveFolders()
	for _, f := range q.appear {
		q.live.DropNode(f.Part, f.Node)
	}
	if len(paths) > 0 {
		q.stage("save")
		if err := q.saveActions(paths, before, p, outturn); err != nil {
			return err
		}
	}
	if !q.live.Edited() {
		return nil
	}
	if err := q.clearLeftovers(); err != nil {
		return err
	}
	owed, err := q.debt(p, outturn)
	if err != nil {
		return err
	}
	if err := q.live.Load(); err != nil {
		return errWhole
	}
	if q.live.Grown() {
		x, changes := q.live.Rewrite()
		err := q.writeIndex(x, changes, owed)
		if errors.Is(err, syscall.EFAULT) {
			return fmt.Errorf("%w: %w", sweep.ErrFault, err) // what is written lies there
		}
		if err != nil {
			return err
		}
	} else if err := q.put(changesName(q.live.Base().ID()), q.live.Changes(), q.paying(owed)); err != nil {
		return err
	}
	if p != nil {
		err = q.closeJournal(p, q.done)
	}
	return errors.Join(err, q.endDoubt())
}

// saveFolders notes what was seen of the folders that were listed again.
func (q *quick) saveFolders() {
	for _, f := range q.dropped {
		q.live.DropFolder(f.Part, f.Row)
	}
	for _, f := range q.found.OutFolders {
		if !q.different(f) {
			q.live.RestampFolder(f.Part, f.Row, f.Now, q.clock.Settled(f.Now), false)
		}
	}
	for _, f := range q.tree.Folders {
		part, row, ok := q.live.FindFolder(slashed(f.Path))
		if ok && string(q.live.Parts()[part].Folder(row).Real) == slashed(f.Real) {
			q.live.RestampFolder(part, row, f.Stamp, q.clock.Settled(f.Stamp), f.Odd)
			continue
		}
		if ok {
			q.live.DropFolder(part, row)
		}
		q.live.AddFolder(f, q.clock.Settled(f.Stamp))
	}
}

// different reports whether an output in a folder was not as the index knows it.
func (q *quick) different(f sweep.OutFolder) bool {
	x := q.live.Parts()[f.Part].Folder(f.Row)
	i := sort.Search(len(q.found.Files), func(i int) bool {
		file := &q.found.Files[i]
		return file.Part > f.Part || file.Part == f.Part && file.Node >= x.First
	})
	return i < len(q.found.Files) && q.found.Files[i].Part == f.Part && q.found.Files[i].Node < x.First+x.Count
}

// saveActions puts what is known of some sources now in the place of what was.
func (q *quick) saveActions(paths []string, before []index.Action, p *plan.Plan, outturn *run.Outturn) error {
	b := q.newIndex(p, outturn)
	q.done = b.Actions()
	if !wholly(p, outturn) {
		q.identity = hashing.Digest{} // the next run must look at everything
	}
	list, err := q.updateManifest(changesOf(before, q.done))
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	outturn.Wrote = outturn.Wrote || list.wrote
	for _, p := range paths {
		q.live.DropActions(p)
	}
	for _, p := range paths {
		if q.now[p] == nil {
			q.live.DropFile(p)
		}
	}
	for _, name := range list.removed {
		q.live.DropFile(q.outFile(name))
	}
	for _, f := range b.Files() {
		// What else the index knows was as it knows it when the sweep looked; if it
		// has changed since, the next run must see that.
		_, concerned := q.now[f.Path]
		if _, known := q.live.File(f.Path); !known || concerned || q.changed[f.Path] {
			q.live.PutFile(f)
		}
	}
	for _, f := range list.files {
		q.live.PutFile(f)
	}
	for _, a := range q.done {
		q.live.PutAction(a, b.Method(a.Method))
	}
	q.live.Identify(q.identity)
	return nil
}
