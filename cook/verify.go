package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// VerifyOptions say how much Verify does, and who is told. The zero value cooks
// DefaultSample again.
type VerifyOptions struct {
	// Sample is how many assets are cooked again: a number such as "20", a part
	// such as "5%", or "all"; "" is DefaultSample.
	Sample string
	// Seed chooses the sample. The same seed chooses the same assets as long as
	// nothing is added, changed or removed; 0 is another seed each time.
	Seed uint64
	// Found is called for each difference, by one goroutine at a time; nil for
	// nobody.
	Found func(report.Finding)
}

// Verify proves that the output folder is what a cook from scratch would make,
// and tells of every difference:
//
//   - all outputs are read and compared by BLAKE3 with what was cooked, and so are
//     manifest and index with each other;
//   - all sources, dependencies and programs are read and compared in the same way
//     with what the outputs were cooked from;
//   - the store's records and blobs that this tree would be restored from are read.
//     A damaged one is removed, so that no cook meets it; a missing one is no
//     difference;
//   - a sample of the assets is cooked again in another scratch folder, time zone,
//     locale and home folder, with another number beside it, and compared byte by
//     byte with what is in the output folder.
//
// Nothing else is changed: not the assets, not the outputs, not the index. The lock
// of the output folder is held, so that no cook runs at the same time. Without
// targets in opt those that were cooked last are verified; patterns limit
// everything to some sources, as in Cook. Force, Verify, StopOnFailure,
// OutputsByFolder and DryRun mean nothing here.
//
// Differences are counted, not errors. The error is for what kept Verify from
// doing its work, as in Cook; what it has found until then is in the result.
func Verify(ctx context.Context, opt Options, how VerifyOptions) (report.Verified, error) {
	sample, err := parseSample(how.Sample)
	if err != nil {
		return report.Verified{}, err
	}
	chosen := len(opt.Targets) > 0
	opt.DryRun = true // make no folder that is not there
	k, err := begin(opt)
	if err != nil {
		return report.Verified{}, err
	}
	defer k.close()
	if k.out == nil || !k.used {
		return report.Verified{}, configError("nothing was cooked into %s yet; run cook, or say where with -out", k.Out)
	}
	k.DryRun, k.Force = false, false
	if k.Memory <= 0 {
		k.Memory = DefaultMemory()
	}
	if err := k.takeOut(); err != nil {
		return report.Verified{}, advised(err)
	}
	v := &verifier{kitchen: k, how: how}
	err = v.verify(ctx, sample, chosen)
	if err == nil {
		err = k.stillOurs() // else what was found may be somebody else's doing
	}
	v.sum.Took = k.Now().Sub(k.started)
	return v.sum, advised(err)
}

// A verifier is one Verify at work.
type verifier struct {
	*kitchen
	how  VerifyOptions
	sum  report.Verified
	lost bool       // there is no index; the manifest stands in for it
	mu   sync.Mutex // of sum.Differences, and so that observers are told one at a time
}

func (v *verifier) verify(ctx context.Context, sample sample, chosen bool) error {
	if err := v.readKnown(); err != nil {
		return err
	}
	entries, err := v.list(ctx)
	if err != nil {
		return err
	}
	if !chosen {
		v.Targets = v.knownTargets()
	}
	for _, p := range v.tree.Problems {
		if p.Fatal() {
			v.found(report.Finding{Kind: report.Unreadable, Path: p.Path, Text: p.Reason()})
		}
	}
	v.stage("outputs")
	if err := v.checkOutputs(ctx); err != nil {
		return err
	}
	if err := v.checkManifest(); err != nil {
		return err
	}
	v.stage("sources")
	p, err := v.checkSources(ctx, entries)
	if err != nil {
		return err
	}
	v.stage("store")
	if err := v.checkStore(ctx); err != nil {
		return err
	}
	v.stage("cook")
	return v.cookAgain(ctx, p, sample)
}

// found tells of a difference.
func (v *verifier) found(f report.Finding) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sum.Differences++
	if v.how.Found != nil {
		v.how.Found(f)
	}
}

// readKnown reads the index, or what the manifest knows of it.
func (v *verifier) readKnown() error {
	v.last = &index.Index{}
	live, err := v.readLive(v.readState)
	if err == nil {
		v.last, err = live.Flat()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errIndex):
		return fmt.Errorf("index %s: %w; remove it", v.outFile(indexName), err)
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("missing")
	}
	v.lost = true
	v.found(report.Finding{Kind: report.StateDamaged, Path: indexName, Text: err.Error() + "; run cook"})
	if v.last, err = v.manifestIndex(); err != nil {
		v.last = &index.Index{}
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("missing")
		}
		v.found(report.Finding{Kind: report.StateDamaged, Path: manifest.Name, Text: err.Error() + "; run cook"})
	}
	return nil
}

// manifestIndex is an index that knows what the manifest knows: which artifacts
// there are, and their content.
func (v *verifier) manifestIndex() (*index.Index, error) {
	root, err := v.readState(manifest.Name)
	if err != nil {
		return nil, err
	}
	b := index.NewBuilder(v.checksum.Name)
	method := b.AddMethod(nil)
	for m, err := range manifest.Read(root, v.readPart) {
		if err != nil {
			return nil, err
		}
		a := index.Action{Path: m.Source, Target: m.Target, Method: method}
		for _, o := range m.Outputs {
			a.Made = append(a.Made, index.Artifact{Path: o.Path, Stamp: scan.Stamp{Size: o.Size}, Blob: store.BlobID(o.BLAKE3)})
		}
		b.AddAction(a)
	}
	return index.Open(b.Bytes())
}

// knownTargets are the targets that were cooked, if the rules still have them.
func (v *verifier) knownTargets() []string {
	known := map[string]bool{}
	for i := range v.last.Actions() {
		known[string(v.last.ActionTarget(i))] = true
	}
	var targets []string
	for t := range known {
		if t == "" || v.rules.HasTarget(t) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return []string{""}
	}
	slices.Sort(targets)
	return targets
}

// checkSources reads all sources and tells of those that a cook would have work
// with.
func (v *verifier) checkSources(ctx context.Context, entries []scan.Entry) (*plan.Plan, error) {
	// A survey that knows nothing takes nobody's word: it computes the BLAKE3 of
	// whatever it is asked for.
	v.survey = survey.New(survey.Options{
		Assets: v.assets, Index: &index.Index{}, Checksum: v.checksum,
		Workers: v.Workers, Clock: v.clock,
	})
	if err := v.survey.Sources(ctx, entries); err != nil {
		return nil, err
	}
	if err := v.readClaims(); err != nil {
		return nil, err
	}
	p := v.plan(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err // what was not read looks as if it were not there
	}
	v.sum.Assets = len(p.Actions)
	for i := range p.Actions {
		v.checkAction(&p.Actions[i])
	}
	for _, old := range p.Retired {
		if _, err := v.out.Root().Lstat(old.Path); err == nil {
			v.found(report.Finding{Kind: report.NotUpToDate, Path: old.Source, Target: old.Target, Output: old.Path,
				Text: fmt.Sprintf("%s is made by no source any more; run cook", pathname.Show(old.Path))})
		}
	}
	return p, nil
}

func (v *verifier) checkAction(a *plan.Action) {
	f := report.Finding{Kind: report.NotUpToDate, Path: a.Path, Target: a.Target}
	if a.Err != nil {
		f.Text = a.Err.Error()
		v.found(f)
		return
	}
	if v.lost && a.Last != nil {
		return // nobody knows what it was cooked from
	}
	reasons := outdated(a)
	if len(reasons) == 0 {
		return
	}
	words := make([]string, len(reasons))
	remedy := "cook"
	for i, r := range reasons {
		words[i] = r.String()
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ToolChanged:
			remedy = "cook -verify" // in case that no stamp shows it
		}
	}
	f.Text = fmt.Sprintf("not up to date (%s); run %s", strings.Join(words, "; "), remedy)
	if len(reasons) == 1 && reasons[0].Kind == plan.FailedLastTime {
		f.Text = "could not be cooked the last time; run cook to see why"
	}
	v.found(f)
}

// outdated returns the reasons for cooking an action, but for those that concern
// the state of its outputs: they have been looked at.
func outdated(a *plan.Action) []plan.Reason {
	if !a.Runs {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r plan.Reason) bool {
		return r.Kind == plan.OutputMissing || r.Kind == plan.OutputEdited
	})
}
