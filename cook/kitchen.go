package cook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A kitchen is one run: what it works with and what it has found so far.
type kitchen struct {
	Options
	started  time.Time
	clock    *scan.Clock // of that time
	checksum hashing.Func
	recipes  *recipe.Set
	assets   *confine.Dir
	out      *confine.Dir // nil in a dry run without output folder
	lock     *heldLock
	store    *store.Store   // nil if there is none to be had
	identity hashing.Digest // see identify
	last     *index.Index

	tree      *scan.Tree
	rules     *rules.Set
	survey    *survey.Survey
	outputs   []survey.Output
	claims    []plan.Claim
	summary   report.Summary
	meter                               // of the run as a whole
	only      string                    // the one source to look at, "" for all
	used      bool                      // the output folder has been cooked into before
	stuck     map[string]bool           // see run.Outturn
	odd       map[*plan.Action][]string // see lint
	said      map[[2]string]bool        // sources and what was warned of; see warn
	theirs    map[string]bool           // outputs whose names a file that is not ours has
	ours      map[string]bool           // outputs that are, once asked for
	ownedOnce sync.Once
	quickly   *quick       // if this is a quick run
	saved     *index.Index // as written by the long way
	watch     *watchman    // if this is a round of a watcher
	doubt     bool         // the last run ended amid syncing; see doubtName
	raised    bool         // this one has begun to
	logged    bool         // a file of the output folder was synced since the survey

	fineOnce   sync.Once // see stampsFinely
	fine       bool
	fineDevice uint64

	config    []byte                    // what Config said when identify read it
	rulesSums map[string]hashing.Sum128 // checksums of the tree's files of rules
	rulesBusy map[string]bool           // those that somebody had open for writing
}

// begin opens what a run needs and finds out who it is.
func begin(opt Options) (*kitchen, error) {
	opt, checksum, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	k := &kitchen{Options: opt, checksum: checksum, started: opt.Now(), rulesSums: map[string]hashing.Sum128{}, rulesBusy: map[string]bool{}}
	k.clock = scan.NewClock(k.started, opt.Now)
	k.summary.DryRun = opt.DryRun
	if k.recipes, err = recipe.NewSet(append(builtIn(), opt.Recipes...)...); err != nil {
		return nil, &ConfigError{err}
	}
	ok := false
	defer func() {
		if !ok {
			k.close()
		}
	}()
	if k.assets, err = confine.Open(opt.Dir); err != nil {
		return nil, &ConfigError{err}
	}
	if err := k.openOut(); err != nil {
		return nil, err
	}
	k.identity = k.identify()
	k.startMeter()
	ok = true
	return k, nil
}

// openStore opens the store. A run without one works as well, only more often.
func (k *kitchen) openStore() {
	open := store.Open
	if k.DryRun {
		open = store.OpenReadOnly
	}
	var err error
	if k.store, err = open(k.Cache); err != nil {
		k.store = nil
		if !k.DryRun {
			k.Observer.Note(fmt.Sprintf("store: %v; results are not kept for later", err))
		}
	}
}

// openOut opens the output folder, which a dry run must not make. A cook clean
// may remove it in the middle of that.
func (k *kitchen) openOut() error {
	var err error
	for range lockTries {
		k.out, k.used = nil, false
		if err = k.tryOut(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if k.out != nil {
			k.out.Close()
		}
	}
	return err
}

func (k *kitchen) tryOut() error {
	if !k.DryRun {
		if err := os.MkdirAll(k.Out, 0o777); err != nil {
			if info, linkErr := os.Lstat(k.Out); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
				return configError("output folder %s is a link that leads to no folder; make that or remove the link", k.Out)
			}
			return fmt.Errorf("output folder: %w", err)
		}
	}
	real := k.Out
	out, err := confine.Open(k.Out)
	if err == nil {
		k.out, real = out, out.Name()
	}
	if err := apart(k.assets.Name(), real); err != nil {
		return err
	}
	if rel, ok := pathname.Below(k.assets.Name(), k.Cache); ok && rel == "." {
		return configError("the store cannot be the asset folder %s; choose another with -cache", k.assets.Name())
	}
	if k.DryRun && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	if _, err := out.Root().Lstat(plan.StateDir); err == nil {
		k.used = true
	} else if err := k.checkForeign(); err != nil {
		return err
	}
	if k.DryRun {
		return nil
	}
	if k.used {
		return nil
	}
	if err := out.Root().MkdirAll(plan.StateDir, 0o777); err != nil {
		return fmt.Errorf("output folder %s: %w", k.Out, err)
	}
	return nil
}

// outside knows the outputs of sources that a quick run does not look after.
func (k *kitchen) outside() plan.Outside {
	if k.quickly == nil {
		return nil
	}
	return k.quickly
}

// owned reports whether cook has made a file of the output folder.
func (k *kitchen) owned(output string) bool {
	k.ownedOnce.Do(func() { k.ours = plan.Owned(k.last, k.claims) })
	if k.ours[output] || k.quickly == nil {
		return k.ours[output]
	}
	yes, err := k.quickly.owns(output)
	return yes && err == nil
}

func (k *kitchen) close() {
	k.stopMeter()
	if k.lock != nil {
		k.lock.Close()
	}
	for _, d := range []*confine.Dir{k.assets, k.out} {
		if d != nil {
			d.Close()
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
