package cook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/store"
)

// A stored is an artifact that the store may have, and one action that made it.
type stored struct {
	store.Artifact
	action int // row of the index
}

// checkStore reads the records and blobs from which this tree would be restored.
// What the store does not have is no difference: it may be trimmed at any time.
func (v *verifier) checkStore(ctx context.Context) error {
	if !store.Exists(v.Cache) {
		return nil
	}
	v.openStore()
	if v.store == nil {
		return nil // which was said
	}
	var blobs []stored
	for i := range v.last.Actions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := v.last.Action(i)
		if a.State != index.Done || !slices.Contains(v.Targets, a.Target) || !v.inScope(a.Path) {
			continue
		}
		for _, m := range a.Made {
			blobs = append(blobs, stored{store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}, i})
		}
		if !v.lost {
			v.checkRecords(&a)
		}
	}
	slices.SortFunc(blobs, func(a, b stored) int { return bytes.Compare(a.Blob[:], b.Blob[:]) })
	blobs = slices.CompactFunc(blobs, func(a, b stored) bool { return a.Blob == b.Blob })

	var next, intact atomic.Int64
	var group sync.WaitGroup
	for range v.Workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(blobs) {
					return
				}
				switch err := v.store.CheckBlob(ctx, blobs[i].Blob, blobs[i].Size); {
				case err == nil:
					intact.Add(1)
				case ctx.Err() == nil:
					v.tellStore(v.last.ActionPath(blobs[i].action), string(v.last.ActionTarget(blobs[i].action)), err)
				}
			}
		})
	}
	group.Wait()
	v.sum.Blobs = int(intact.Load())
	return ctx.Err()
}

// checkRecords reads what the store says of an action.
func (v *verifier) checkRecords(a *index.Action) {
	if len(a.Deps) > 0 {
		if _, err := v.store.ReadSets(a.ID); err != nil {
			v.tellStore(a.Path, a.Target, err)
		}
	}
	result, err := v.store.Result(plan.ResultID(a.ID, a.Deps))
	if err != nil {
		v.tellStore(a.Path, a.Target, err)
		return
	}
	made := make([]store.Artifact, len(a.Made))
	for i, m := range a.Made {
		made[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	if slices.Equal(made, result.Artifacts) {
		return
	}
	// Two cooks of the same inputs have made different things of them.
	recipe := plan.RecipeOf(v.last.Method(a.Method))
	f := report.Finding{Kind: report.NotReproducible, Path: a.Path, Target: a.Target, Recipe: recipe}
	f.Text = fmt.Sprintf("the store has another result of the same inputs: the recipe %q is not deterministic", recipe)
	v.found(f)
}

// tellStore tells of an entry that is damaged or cannot be read.
func (v *verifier) tellStore(source, target string, err error) {
	if errors.Is(err, store.ErrMissing) {
		return
	}
	f := report.Finding{Kind: report.StoreDamaged, Path: source, Target: target, Text: fmt.Sprintf("store: %v", err)}
	var kept *fs.PathError // if it could not be removed
	if errors.Is(err, store.ErrDamaged) && !errors.As(err, &kept) {
		f.Text += "; it is removed, and cooked anew when it is needed"
	}
	v.found(f)
}
