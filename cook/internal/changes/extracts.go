package changes

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/internal/dependency"
)

// compareParts checks whether listings, links and extracts are unchanged although their
// directories or files changed. Assets that depend on an unchanged part stay up to date. For
// each changed extract it finds the assets whose answers differ.
func (f *finder) compareParts(ctx context.Context) {
	var now *contents.Contents
	var changed []dependency.Dependency
	for i := range f.delta.Found.Files {
		file := &f.delta.Found.Files[i]
		if file.Role != index.Other {
			continue
		}
		on := f.last.Dependency(file.Ref)
		if file.Kind == restat.Changed && !file.Compared && on.Kind != dependency.File {
			if now == nil {
				now = contents.New(contents.Options{Assets: f.s.Assets, Known: index.Empty().Files(), Checksum: f.s.Basis.Checksum, Workers: 1, Clock: f.s.Clock.Stamps, Parts: f.delta.Read.Parts})
			}
			got := now.At(ctx, on)
			want, _ := f.last.Content(file.Ref)
			file.Compared, file.Busy = true, !got.Settled
			file.Same = got.Known() && got.Stamp == file.Now && got.Sum == want
		}
		if on.Kind.IsExtract() && !file.Same {
			changed = append(changed, on)
		}
	}
	if len(changed) > 0 {
		f.askAgain(changed)
	}
}

// askAgain adds the answers that differ now because some extracts have changed.
func (f *finder) askAgain(changed []dependency.Dependency) {
	is := map[dependency.Dependency]bool{}
	folders := map[Asking]bool{} // where a file gives another answer
	for _, x := range changed {
		is[x] = true
		folders[AskingOf(x)] = true
	}
	f.last.Results().Deps(dependency.Kind.IsExtract, func(_ string, d index.Dep) {
		if !is[d.On.OfAll()] && !(d.On.Kind == dependency.Extracts && folders[AskingOf(d.On)]) || f.delta.Changed[d.On] {
			return
		}
		if now := f.delta.Read.Parts.At(d.On); now.How == contents.Unreadable || plan.Dependency(d.Name, d.On, now) != d {
			f.delta.Changed[d.On] = true
		}
	})
}

// An Asking is an extract function and the directory whose files it asks.
type Asking struct{ folder, function string }

// AskingOf returns the function and directory of an extract.
func AskingOf(x dependency.Dependency) Asking { return Asking{x.InFolder(), x.Function} }
