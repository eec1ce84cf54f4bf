package artifacts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// namedAction returns the number of the action that makes the named artifact, or -1 if no
// action of the plan makes it. It returns a Wait if the action has not ended yet.
func (t *Catalog) namedAction(on dependency.Dependency) (i int, wait *Wait) {
	if t.plan == nil {
		return -1, nil
	}
	source, output := on.NamedOutput()
	i, ok := slices.BinarySearchFunc(t.plan.Actions, source, func(a plan.Action, source string) int {
		return cmp.Or(strings.Compare(a.Path, source), strings.Compare(a.Target, on.Path))
	})
	if !ok {
		return -1, nil
	}
	if !t.progress.Settled(i) {
		return i, &Wait{Question: on, Output: hashname.Show("", output), On: []int{i}}
	}
	return i, nil
}

// namedContent returns the content of the named artifact. It is zero if this is a dry run and a
// real run would make the artifact.
func (t *Catalog) namedContent(on dependency.Dependency) (store.BlobID, error) {
	i, wait := t.namedAction(on)
	if wait != nil {
		return store.BlobID{}, wait
	}
	if i < 0 {
		return t.contentOutside(on)
	}
	source, output := on.NamedOutput()
	switch made := t.progress.Made(i); {
	case made.Complete:
		return contentOf(on, made.Artifacts)
	case made.Failed:
		return store.BlobID{}, fmt.Errorf("this asset contains the name of %s, but %s could not be cooked; mend that source first", pathname.Show(hashname.Show("", output)), pathname.Show(source))
	}
	return store.BlobID{}, nil
}

// contentOutside is like namedContent, for an artifact whose source is outside the run.
func (t *Catalog) contentOutside(on dependency.Dependency) (id store.BlobID, err error) {
	source, _ := on.NamedOutput()
	switch {
	case t.plan == nil:
	case t.Concerned == nil:
		kept := slices.IndexFunc(t.plan.Kept, func(b *contents.Before) bool { return b.Path == source && b.Target == on.Path })
		if kept < 0 {
			return id, missingName(on)
		}
		return contentOf(on, t.plan.Kept[kept].Made)
	case t.Concerned[source]:
		return id, missingName(on)
	}
	err = index.Guard(func() error {
		if err := t.Last.Load(); err != nil {
			return err
		}
		for _, a := range t.Last.Results().ActionsOf(source) {
			if a.Target == on.Path && a.State == index.Done {
				id, err = contentOf(on, a.Made)
				return err
			}
		}
		return missingName(on)
	})
	return id, err
}

// contentOf returns the content of the artifact with the given name.
func contentOf(on dependency.Dependency, made []index.Artifact) (store.BlobID, error) {
	_, output := on.NamedOutput()
	if name, ok := hashname.Parse("", output); ok {
		for i := range made {
			p, _ := Below(on.Path, made[i].Path)
			if p == name.With(hashname.Digits(made[i].Blob)) {
				return made[i].Blob, nil
			}
		}
	}
	return store.BlobID{}, missingName(on)
}

func missingName(on dependency.Dependency) error {
	source, output := on.NamedOutput()
	return fmt.Errorf("this asset contains the name of %s, but there is no cooked %s; add the file, or cook it without {hash} in its outputs", pathname.Show(hashname.Show("", output)), pathname.Show(source))
}
