package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/sweep"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/mapped"
)

// A quick run brings the output folder up to date at a price in proportion to
// what changed. It stands on an index that vouches for the whole tree: a sweep
// tells what differs from it, and the pipeline is led over those sources only,
// as if they were all there are.
//
// It gives up when it meets what concerns the whole tree: rules, tools or options
// that changed, a folder that cannot be listed, outputs that are claimed
// elsewhere. Then nothing has been done, and the long way is taken, which trusts
// nothing but what it sees itself. Only a damaged manifest is found late; what was
// done until then the long way finds done.
type quick struct {
	*kitchen
	live  *index.Live
	found *sweep.Found
	tree  *scan.Tree      // the folders that were listed again
	fresh map[string]bool // of its assets: those that are new or whose stamp vouches for nothing

	now     map[string]*scan.Entry // the sources to look after; nil if gone
	changed map[string]bool        // paths with another content, or none, or one at last
	same    []bool                 // of found.Files: those that were only touched
	tools   map[string]string      // content of the programs that methods name
	appear  []sweep.File           // nodes of what was absent
	dropped []sweep.Folder
	reads   sweep.Reads
	done    []index.Action // of the sources that were looked after
}

// errWhole says that a quick run cannot tell.
var errWhole = errors.New("the whole tree must be looked at")

// quick reports whether a quick run did it all.
func (k *kitchen) quick(ctx context.Context) (done bool, err error) {
	if !k.mayBeQuick() {
		return false, nil
	}
	if k.watch != nil {
		k.watch.recognize(k)
	}
	var file *mapped.File
	read := func(name string) ([]byte, error) {
		if file != nil {
			file.Close()
		}
		if file, err = mapped.Open(k.outFile(name)); err != nil {
			return nil, err
		}
		return file.Data, nil
	}
	var live *index.Live
	err = sweep.Guard(func() (err error) {
		live, err = k.readLive(read)
		return err
	})
	if file != nil {
		defer file.Close()
	}
	if err != nil || live.Checksum() != k.checksum.Name || live.Identity() != k.identity {
		return false, nil // the long way will tell why
	}
	live.Count(k.Targets)
	q := &quick{
		kitchen: k, live: live, now: map[string]*scan.Entry{},
		changed: map[string]bool{},
	}
	summary, identity := k.summary, k.identity
	err = sweep.Guard(func() error { return q.run(ctx) })
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.Is(err, sweep.ErrFault):
		k.Observer.Note(fmt.Sprintf("%v; everything is checked anew", err))
	case errors.Is(err, errWhole):
	case err != nil:
		return true, err
	default:
		if k.watch != nil {
			k.watch.learn(q)
		}
		return true, nil
	}
	// Forget what was meant for a part of the tree.
	k.summary, k.identity, k.quickly = summary, identity, nil
	k.theirs, k.ours, k.ownedOnce = nil, nil, sync.Once{}
	return false, nil
}

// mayBeQuick reports whether the options ask for something that a quick run can
// do, and the last run left nothing to be tidied up.
func (k *kitchen) mayBeQuick() bool {
	if k.out == nil || k.identity.IsZero() || k.Force || k.Strict && k.watch == nil || len(k.Patterns) > 0 || k.only != "" || k.Observer.EveryAsset() {
		return false
	}
	for _, left := range []string{journalName, doubtName, plan.StateDir + "/tmp", plan.StateDir + "/trash"} {
		if _, err := k.out.Root().Lstat(left); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// identify hashes all that decides about the whole tree and is not in it: the
// program, the folders, the options. An index of another identity does not
// vouch for what this run would make. It is zero if it cannot be told.
func (k *kitchen) identify() hashing.Digest {
	program, err := os.Executable()
	if err != nil {
		return hashing.Digest{}
	}
	info, err := os.Stat(program)
	if err != nil {
		return hashing.Digest{}
	}
	h := hashing.NewKey("assetcook whole 1")
	stamp := scan.StampOf(info)
	h.String("program", program)
	for _, v := range [...]int64{stamp.Size, stamp.MTime, stamp.CTime, int64(stamp.Inode), int64(stamp.Device)} {
		h.Int64("stamp", v)
	}
	h.String("assets", k.assets.Name())
	if k.out == nil {
		return hashing.Digest{} // there is none to be vouched for
	}
	h.String("out", k.out.Name())
	h.String("checksum", k.checksum.Name)
	for _, t := range k.Targets {
		h.String("target", t)
	}
	for _, dir := range k.ownFolders() {
		h.String("not scanned", dir)
	}
	for _, r := range k.Recipes {
		h.String("recipe", fmt.Sprintf("%s %d", r.Name, r.Version))
	}
	if k.Config != "" {
		data, err := readRegular(k.Config)
		if err != nil {
			return hashing.Digest{}
		}
		k.config = data
		h.String("config", k.Config)
		h.Digest("rules", hashing.DigestOf(data))
	}
	return h.Sum()
}

func (q *quick) run(ctx context.Context) error {
	q.stage("scan")
	opt := sweep.Options{Index: q.live, Assets: q.assets.Name(), Out: q.out.Name(), Workers: q.Workers, Verify: q.Verify,
		OutputsByFolder: q.OutputsByFolder && !q.Verify && q.watch == nil} // a watcher knows where to look
	if q.watch != nil {
		opt.Only = q.watch.concerns
	}
	var err error
	if q.found, err = sweep.Sweep(ctx, opt); err != nil {
		if errors.Is(err, sweep.ErrFault) {
			return err
		}
		return errWhole
	}
	if q.differs() && q.live.Load() != nil {
		return errWhole
	}
	if err := q.sameTools(); err != nil {
		return err
	}
	if err := q.listAgain(ctx); err != nil {
		return err
	}
	q.stage("checksum")
	if err := q.compare(ctx, opt); err != nil {
		return err
	}
	if err := q.alsoConcerned(); err != nil {
		return err
	}
	return q.lookAfter(ctx)
}

// differs reports whether there is anything to be done.
func (q *quick) differs() bool {
	return len(q.found.Files)+len(q.found.Folders)+q.live.Totals().Failed > 0
}
