package verify

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dirfd"
)

// A sweep verifies sources row by row, in the order of the index. It holds a few bits for each
// source, so that its memory does not grow with the tree.
//
// A source passes the sweep if
//
//   - the listing of the tree has it,
//   - its content, and the contents and modes of its outputs, are those in the index,
//   - the plan of a cook would neither cook it nor report an error (see plan.Confirmer), and
//   - the store has the same result and undamaged blobs, or none.
//
// So there is nothing to report about a source that passes. All other sources are planned and
// checked together, as in a tree of their own.
type sweep struct {
	session *session.Session
	index   *index.Index
	listed  rowSet // rows of the sources that the listing has
	failed  rowSet // rows of the listed sources that did not pass
	targets []string
	store   *storeSweep // nil if there is no store

	mu     sync.Mutex
	passed sums
	drawn  map[[2]string]bool // paths and targets of the actions drawn for the sample
}

// A sums counts the outputs of sources that passed.
type sums struct {
	assets, outputs int
	bytes           int64 // size of the outputs
}

func (s *sums) addSums(other sums) {
	s.assets += other.assets
	s.outputs += other.outputs
	s.bytes += other.bytes
}

// A rowSet is a set of rows of the index, which several goroutines may change.
type rowSet []atomic.Uint64

func newRowSet(rows int) rowSet { return make(rowSet, (rows+63)/64) }

func (s rowSet) markRow(i int)       { s[i/64].Or(1 << (i % 64)) }
func (s rowSet) isMarked(i int) bool { return s[i/64].Load()>>(i%64)&1 != 0 }
func (s rowSet) markRows(i, end int) {
	for ; i < end; i++ {
		s.markRow(i)
	}
}

// newSweep begins a sweep over an index that was checked.
func newSweep(s *session.Session, x *index.Index) *sweep {
	rows := x.Results().StoredRows()
	return &sweep{session: s, index: x, listed: newRowSet(rows), failed: newRowSet(rows)}
}

// noteListed returns a function that marks the rows of a source in a directory as listed. It reports
// whether there are such rows.
func (w *sweep) noteListed(directory string) func(name string) bool {
	sources := w.index.Results().SourcesIn(directory)
	return func(name string) bool {
		first, end := sources.FindStored(name)
		w.listed.markRows(first, end)
		return end > first
	}
}

// readRows reads the listed sources and their outputs.
func (w *sweep) readRows(ctx context.Context, report *reporter, found *contents.Contents, rules *session.Ruleset) error {
	trees := [...]bulk.Tree{index.Assets: bulk.OpenTree(w.session.Assets), index.Out: bulk.OpenTree(w.session.Out)}
	defer func() {
		for i := range trees {
			trees[i].Close()
		}
	}()
	runs, files := w.rowRuns()
	report.expect(files)
	methods := w.methodsOf(ctx, found, rules)
	var mu sync.Mutex
	readers := map[*bulk.Worker]*rowReader{}
	defer func() {
		for _, r := range readers {
			r.closeFolders()
		}
	}()
	return bulk.Each(ctx, w.session.Limits.Workers, hashing.NewSummer(w.session.Basis.Checksum), runs, func(worker *bulk.Worker, run bulk.Run) error {
		mu.Lock()
		r := readers[worker]
		if r == nil {
			r = &rowReader{sweep: w, worker: worker, confirm: plan.NewConfirmer(methods()), row: w.index.Results().NewRow()}
			r.folders[index.Assets].tree, r.folders[index.Out].tree = &trees[index.Assets], &trees[index.Out]
			readers[worker] = r
		}
		mu.Unlock()
		return index.Guard(func() error { return r.readRun(ctx, run, report) })
	})
}

// methodsOf returns a function that makes the methods of the rules, for one goroutine. found has the
// contents of programs. Programs and version commands are examined only once for all goroutines.
func (w *sweep) methodsOf(ctx context.Context, found *contents.Contents, rules *session.Ruleset) func() *plan.Methods {
	assets := w.session.Assets.Name()
	versions := &tools.Versions{Run: tools.RunIn(ctx, assets), Last: w.index.Results().Methods}
	find := tools.Finder(assets, func(file string) (contents.File, error) { return found.Tool(ctx, file) })
	var mu sync.Mutex
	ask := func(q plan.VersionQuestion) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		return versions.Print(q)
	}
	return func() *plan.Methods { return plan.NewMethods(rules.Set, find, ask) }
}

// rowRuns splits the rows into runs of sources in one directory, and counts the files of the listed
// sources.
func (w *sweep) rowRuns() (runs []bulk.Run, files int) {
	row, other := w.index.Results().NewRow(), w.index.Results().NewRow()
	runs = bulk.Runs(w.index.Results().StoredRows(), func(i, j int) bool {
		return row.MoveTo(i).SourceFolder() == other.MoveTo(j).SourceFolder()
	}, func(i int) int64 {
		if row.MoveTo(i); i%bulkRows == 0 {
			w.index.Passed(bulkRows * index.RowBytes)
		}
		if !w.listed.isMarked(i) {
			return 0
		}
		_, size, _ := row.Source()
		if files += row.Made(); i == 0 || other.MoveTo(i-1).SourceNode() != row.SourceNode() {
			files++
		}
		for k := range row.Made() {
			_, made := row.Artifact(k)
			size += made
		}
		return size
	})
	return runs, files
}

// unverified returns the sources that must be planned, in the form of changes.Delta.Concern.
func (w *sweep) unverified() map[string]bool {
	concerned := map[string]bool{}
	results := w.index.Results()
	row := results.NewRow()
	for i := range results.StoredRows() {
		if listed := w.listed.isMarked(i); !listed || w.failed.isMarked(i) {
			concerned[row.MoveTo(i).Path()] = listed
		}
		if i%bulkRows == 0 {
			w.index.Passed(bulkRows * index.RowBytes)
		}
	}
	results.EachReplaced(func(source string) { concerned[source] = false })
	return concerned
}

// bulkRows is the number of rows between two calls of Index.Passed.
const bulkRows = 256

// A rowReader reads the files of sources, one after the other.
type rowReader struct {
	sweep   *sweep
	worker  *bulk.Worker
	confirm *plan.Confirmer
	row     *index.Row
	folders [2]openFolder
}

// An openFolder is the directory of the last file that was read in a tree.
type openFolder struct {
	tree *bulk.Tree
	ref  index.FolderRef
	dir  dirfd.Folder
	open bool
}

func (r *rowReader) closeFolders() {
	for i := range r.folders {
		r.folders[i].dir.Close()
	}
}

// readRun reads the sources of a run. A source belongs to the run with its first row.
func (r *rowReader) readRun(ctx context.Context, run bulk.Run, report *reporter) error {
	rows := r.sweep.index.Results().StoredRows()
	sameSource := func(i, j int) bool { return r.row.MoveTo(i).SourceNode() == r.row.MoveTo(j).SourceNode() }
	first := run.First
	for first > 0 && first < rows && sameSource(first-1, first) {
		first++
	}
	var all sums
	files := 0
	var bytes int64
	for first < run.Last {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := first + 1
		for end < rows && sameSource(first, end) {
			end++
		}
		if r.sweep.listed.isMarked(first) {
			n, size := r.sizeOf(first, end)
			if !r.confirmsAll(first, end) {
				r.sweep.failed.markRows(first, end)
				report.expect(-n)
				first = end
				continue
			}
			got, ok := r.readSource(first, end)
			if ok {
				all.addSums(got)
			} else {
				r.sweep.failed.markRows(first, end)
			}
			files, bytes = files+n, bytes+size
		}
		first = end
	}
	r.sweep.index.Passed((run.Last - run.First) * index.RowBytes)
	r.sweep.mu.Lock()
	r.sweep.passed.addSums(all)
	r.sweep.mu.Unlock()
	if files > 0 {
		report.reading(files, bytes)
	}
	return nil
}

// sizeOf returns the number and the size of the files of a source, by the index.
func (r *rowReader) sizeOf(first, end int) (files int, bytes int64) {
	_, bytes, _ = r.row.MoveTo(first).Source()
	for i := first; i < end; i++ {
		r.row.MoveTo(i)
		files += r.row.Made()
		for k := range r.row.Made() {
			_, size := r.row.Artifact(k)
			bytes += size
		}
	}
	return files + 1, bytes
}

// confirmsAll reports whether the rows of a source have all targets, and are as a plan would make them.
func (r *rowReader) confirmsAll(first, end int) bool {
	if end-first != len(r.sweep.targets) {
		return false
	}
	for i := first; i < end; i++ {
		if r.row.MoveTo(i); !slices.Contains(r.sweep.targets, r.row.Target()) || !r.confirm.Confirms(r.row) {
			return false
		}
	}
	return true
}

// readSource reads a source and its outputs, given the rows of the source. ok reports whether they are
// intact.
func (r *rowReader) readSource(first, end int) (got sums, ok bool) {
	r.row.MoveTo(first)
	blob, ok := r.readSourceFile()
	for i := first; i < end && ok; i++ {
		r.row.MoveTo(i)
		ok = r.row.CookedSource() == blob && r.readOutputFiles(&got) && r.sweep.store.passesStored(r.worker, r.row)
		got.assets++
	}
	return got, ok
}

// readSourceFile returns the content of the row's source.
func (r *rowReader) readSourceFile() (blob store.BlobID, ok bool) {
	ref, size, known := r.row.Source()
	if !known {
		return blob, false
	}
	dir, ok := r.folderOf(index.Assets, ref)
	if !ok {
		return blob, false
	}
	n := r.sweep.index.Node(ref)
	got, err := r.worker.SumKnown(dir, n.Name, size, bulk.Ask{Want: hashing.WantDigest})
	return store.BlobID(got.Digest), err == nil
}

// readOutputFiles reads the outputs of the row. It reports whether they are intact.
func (r *rowReader) readOutputFiles(got *sums) bool {
	var info dirfd.Info
	for k := range r.row.Made() {
		ref, _ := r.row.Artifact(k)
		dir, ok := r.folderOf(index.Out, ref)
		if !ok {
			return false
		}
		n := r.sweep.index.Node(ref)
		f, err := dir.OpenFile(n.Name, &info)
		if err != nil {
			return false
		}
		now, err := r.worker.SumOpen(f, &info, bulk.Ask{Want: hashing.WantDigest})
		f.Close()
		size, blob := r.row.ArtifactContent(k)
		sameMode := n.Stamp.Mode == 0 || n.Stamp.Mode == scan.StampOfInfo(&info).Mode
		if err != nil || now.Size != size || store.BlobID(now.Digest) != blob || !sameMode {
			return false
		}
		got.outputs, got.bytes = got.outputs+1, got.bytes+size
	}
	return true
}

// folderOf opens the directory of a file, unless it is open already. ok is false if a link leads to
// the directory, or if it cannot be opened.
func (r *rowReader) folderOf(tree index.Tree, ref index.Ref) (dir dirfd.Folder, ok bool) {
	at := &r.folders[tree]
	if folder := r.sweep.index.FolderOf(ref); !at.open || at.ref != folder {
		at.dir.Close()
		f := r.sweep.index.Folder(folder)
		var err error
		at.dir, err = at.tree.OpenSub(f.RealName())
		at.ref, at.open = folder, err == nil && !f.ReachedByLink()
	}
	return at.dir, at.open
}

// canSweep reports whether a verification can begin with a sweep. If the sample includes most assets,
// the sweep would not save anything.
func canSweep(s *session.Session, sample sample, lost bool) bool {
	return !lost && s.Scope.Whole() && !s.Mode.Strict && sample.part < 0.5
}

// drawRows draws sources that passed for a sample, and adds them to the concerned sources. They do not
// count as passed any more, because they are verified together with the concerned sources. Their share
// of the sample is the same as of all actions.
func (w *sweep) drawRows(sample sample, seed uint64, concerned map[string]bool) {
	total := w.passed.assets + len(concerned)*max(1, len(w.targets))
	n := sample.sampleSize(total)
	if n == 0 {
		return
	}
	row := w.index.Results().NewRow()
	var from []int
	for i := range w.index.Results().StoredRows() {
		if w.listed.isMarked(i) && !w.failed.isMarked(i) {
			from = append(from, i)
		}
	}
	share := int(math.Round(float64(n) * float64(w.passed.assets) / float64(total)))
	w.drawn = map[[2]string]bool{}
	for _, i := range drawSample(from, func(i int) *index.Field { return &row.MoveTo(i).Method()[0] }, share, seed) {
		row.MoveTo(i)
		path := row.Path()
		w.drawn[[2]string{path, row.Target()}], concerned[path] = true, true
		w.withdraw(row, i)
	}
}

// withdraw subtracts the actions of a source from the sources that passed.
func (w *sweep) withdraw(row *index.Row, i int) {
	if w.failed.isMarked(i) {
		return // another target of the source was drawn before
	}
	source := row.SourceNode()
	for i > 0 && row.MoveTo(i-1).SourceNode() == source {
		i--
	}
	for ; i < w.index.Results().StoredRows() && row.MoveTo(i).SourceNode() == source; i++ {
		w.failed.markRow(i)
		w.passed.assets--
		w.passed.outputs -= row.Made()
		for k := range row.Made() {
			_, size := row.Artifact(k)
			w.passed.bytes -= size
		}
	}
}

// hasDrawn reports whether the sample has an action. w may be nil.
func (w *sweep) hasDrawn(a *plan.Action) bool {
	return w != nil && w.drawn[[2]string{a.Path, a.Target}]
}

// passedAssets returns the number of actions that passed. w may be nil.
func (w *sweep) passedAssets() int {
	if w == nil {
		return 0
	}
	return w.passed.assets
}
