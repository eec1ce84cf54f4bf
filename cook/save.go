package cook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/machine"
	"github.com/assetcook/assetcook/internal/pathname"
)

const indexName = plan.StateDir + "/index"

func (k *kitchen) outFile(p string) string {
	return filepath.Join(k.out.Name(), filepath.FromSlash(p))
}

// readIndex opens what the last run left. Whatever is wrong with it means
// work, not failure.
func (k *kitchen) readIndex() error {
	k.last = &index.Index{}
	if k.out == nil {
		return nil
	}
	data, err := k.out.Root().ReadFile(indexName)
	if errors.Is(err, fs.ErrNotExist) {
		if k.used && exists(k.outFile(plan.ManifestName)) {
			k.Observer.Note("the index is missing; everything is checked anew")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	last, err := index.Open(data)
	if err != nil {
		k.Observer.Note(fmt.Sprintf("index %s: %v; everything is checked anew", k.outFile(indexName), err))
		return nil
	}
	k.last = last
	return nil
}

// wantedOutputs marks the artifacts, by row of the index, that this run is to
// look after.
func (k *kitchen) wantedOutputs() []bool {
	wanted := make([]bool, k.last.Artifacts())
	targets := map[string]bool{}
	for _, t := range k.Targets {
		targets[t] = true
	}
	for i := range k.last.Actions() {
		if targets[string(k.last.ActionTarget(i))] && k.inScope(string(k.last.ActionPath(i))) {
			first, n := k.last.ActionArtifacts(i)
			for row := first; row < first+n; row++ {
				wanted[row] = true
			}
		}
	}
	return wanted
}

// save writes the manifest and, when all that it speaks of is on the disk, the
// index. Either is left alone if it would not change.
func (k *kitchen) save(ctx context.Context, p *plan.Plan, outturn *run.Outturn) error {
	if k.unchanged(ctx, p) {
		return nil
	}
	b := k.newIndex(p, outturn)
	list, err := manifest(b.Actions())
	if err != nil {
		return err
	}
	if old, err := k.out.Root().ReadFile(plan.ManifestName); err != nil || !bytes.Equal(old, list) {
		if err := k.replace(plan.ManifestName, list); err != nil {
			return err
		}
		outturn.Wrote = true
	}
	k.addManifest(b, list)
	data := b.Bytes()
	if _, err := index.Open(data); err != nil {
		return fmt.Errorf("index: %w (this is a bug in cook)", err)
	}
	if !bytes.Equal(data, k.last.Bytes()) {
		if outturn.Wrote {
			if err := k.syncOut(); err != nil {
				return err
			}
		}
		if err := k.replace(indexName, data); err != nil {
			return err
		}
	}
	return k.closeJournal(p, b.Actions())
}

// unchanged reports whether the index and the manifest would be what they are:
// every file that they speak of is vouched for by its stamp.
func (k *kitchen) unchanged(ctx context.Context, p *plan.Plan) bool {
	if len(k.claims) > 0 || len(p.Kept) > 0 || p.Gone > 0 || len(p.Retired) > 0 || len(p.Actions) != k.last.Actions() {
		return false
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Err != nil || a.Runs || a.Reasons[0].Kind != plan.SameStamp {
			return false
		}
	}
	if _, err := k.survey.Tool(ctx, k.outFile(plan.ManifestName)); err != nil {
		return false
	}
	extra := k.survey.Extra()
	for _, f := range extra {
		if f.How != survey.ByStamp {
			return false
		}
	}
	return len(k.survey.Assets())+len(extra) == k.last.Files()
}

// addManifest makes the manifest one of the files that the index knows, under
// its absolute name as tools are, so that the next run can tell by its stamp
// whether it is as it was.
func (k *kitchen) addManifest(b *index.Builder, list []byte) {
	name := k.outFile(plan.ManifestName)
	info, err := os.Lstat(name)
	if err != nil {
		return // the next run will look closer
	}
	stamp := scan.StampOf(info)
	b.AddFile(index.File{
		Path: name, Stamp: stamp, Settled: stamp.Settled(k.Now().UnixNano()),
		Sum: k.checksum.Sum128(list), Blob: store.BlobID(hashing.DigestOf(list)),
	})
}

// replace writes a file whole or leaves it as it was. What a killed process may
// leave behind lies in the state folder, where sweep finds it.
func (k *kitchen) replace(name string, data []byte) error {
	f, err := atomicfile.Create(k.outFile(plan.StateDir), 0o666)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", k.outFile(name), err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", k.outFile(name), err)
	}
	return f.Commit(k.outFile(name))
}

// sweep removes what replace left behind in a process that was killed.
func (k *kitchen) sweep() error {
	left, err := os.ReadDir(k.outFile(plan.StateDir))
	for _, e := range left {
		if strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			err = errors.Join(err, os.Remove(k.outFile(plan.StateDir+"/"+e.Name())))
		}
	}
	return err
}

// syncOut waits until the outputs are on the disk. An index that reached it
// before them would vouch for files that a power cut left empty.
func (k *kitchen) syncOut() error {
	f, err := os.Open(k.out.Name())
	if err != nil {
		return err
	}
	defer f.Close()
	return machine.SyncFS(f)
}

// newIndex collects what is known after the run: what was done, and as it was
// before whatever the run did not come to.
func (k *kitchen) newIndex(p *plan.Plan, outturn *run.Outturn) *index.Builder {
	b := index.NewBuilder(k.checksum.Name)
	b.Grow(len(k.survey.Assets())+1, len(p.Actions)+len(p.Kept))
	files := map[string]bool{}
	addFile := func(f survey.File) {
		if f.Known() && !files[f.Path] {
			files[f.Path] = true
			b.AddFile(index.File{Path: f.Path, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
		}
	}
	for _, f := range k.survey.Assets() {
		addFile(f)
	}
	for _, f := range k.survey.Extra() {
		if f.Path != k.outFile(plan.ManifestName) { // which is about to change
			addFile(f)
		}
	}

	kept := map[string]bool{}
	keep := func(row int) {
		a := k.last.Action(row)
		a.Method = b.AddMethod(k.last.Method(a.Method))
		b.AddAction(a)
		kept[a.Path] = true
		for _, d := range a.Deps {
			kept[d.Path] = true
		}
	}
	for _, row := range p.Kept {
		keep(row)
	}
	methods := map[*plan.Method]int{}
	method := func(m *plan.Method) int {
		row, ok := methods[m]
		if !ok {
			row = b.AddMethod(m.Fields)
			methods[m] = row
		}
		return row
	}
	for i, res := range outturn.Results {
		a := &p.Actions[i]
		switch {
		case a.Err != nil || res.Outcome == run.NotReached:
			if row, ok := k.last.FindAction(a.Path, a.Target); ok {
				keep(row)
			}
		case res.Outcome == run.UpToDate:
			row := res.Row
			row.Method = method(a.Method)
			b.AddAction(row)
		default:
			row := res.Row
			row.Method = method(a.Method)
			row.Decided = k.started
			row.Outcome = string(res.Outcome)
			row.Why = why(a, res.Err)
			k.settle(row.Made)
			b.AddAction(row)
		}
	}
	if k.last.Checksum() == k.checksum.Name {
		for row := range k.last.Files() {
			if f := k.last.File(row); (kept[f.Path] || len(p.Kept) > 0 && filepath.IsAbs(f.Path)) && !files[f.Path] && f.Path != k.outFile(plan.ManifestName) {
				b.AddFile(f)
			}
		}
	}
	return b
}

// settle looks at new artifacts once more: a stamp that has become old enough
// since it was taken may be trusted.
func (k *kitchen) settle(made []index.Artifact) {
	now := k.Now().UnixNano()
	for i := range made {
		info, err := k.out.Root().Lstat(made[i].Path)
		if err == nil && scan.StampOf(info) == made[i].Stamp {
			made[i].Settled = made[i].Stamp.Settled(now)
		}
	}
}

func why(a *plan.Action, err error) string {
	lines := make([]string, len(a.Reasons))
	for i, r := range a.Reasons {
		lines[i] = r.String()
	}
	if err != nil {
		lines = append(lines, "error: "+strings.ReplaceAll(pathname.Escape(err.Error()), "\n", " | "))
	}
	return strings.Join(lines, "\n")
}
