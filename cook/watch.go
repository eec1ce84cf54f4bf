package cook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/watch"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Round is one time that a watcher brought the output folder up to date.
type Round struct {
	Summary report.Summary
	Err     error
	// Folders is how many folders are watched; 0 means that none can be and that
	// the tree is looked at from time to time.
	Folders int
}

// How long a watcher waits: until nothing more happens, but not forever. After
// fullTime it looks at the whole tree, for the sake of what no event shows: a
// write through a mapping that stays open, or through another name that a file
// was given outside the tree meanwhile.
const (
	quietTime = 50 * time.Millisecond
	mostTime  = 500 * time.Millisecond
	fullTime  = time.Minute
	// pollTime is between two looks where watching is not possible, and before the
	// next try while another cook has the lock or something is known to be due.
	pollTime = 2 * time.Second
	// mostRounds is how often a watcher looks again at once, because of events
	// that came meanwhile.
	mostRounds = 8
)

// Watch cooks, and cooks again whenever something changed, until ctx ends; it
// returns the context's error, or that of the first round if that could not
// even begin. told is called after the first round and after every one that
// found work to do or ended otherwise than the one before.
//
// Meanwhile Cook, with the same options, asks the watcher instead of looking at
// the tree itself.
func Watch(ctx context.Context, opt Options, told func(Round)) error {
	if opt.Force || opt.DryRun || opt.Verify || len(opt.Patterns) > 0 {
		return configError("-watch looks after everything that changes; it goes with neither patterns nor -a, -n, -verify")
	}
	m := &watchman{opt: opt, told: told, watched: map[string]bool{}, all: true, hurry: func() {}}
	socket, err := m.listen()
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	m.mu.Lock() // who asks waits for the first round
	group.Go(func() { m.serve(serving, socket) })
	err = m.firstRound(ctx)
	m.mu.Unlock()
	if m.events != nil {
		defer m.events.Close()
	}
	if err != nil {
		return err
	}
	for {
		full := m.wait(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.mu.Lock()
		m.all = m.all || full
		m.catchUp(ctx)
		m.mu.Unlock()
	}
}

// A watchman keeps one output folder up to date.
type watchman struct {
	opt    Options
	told   func(Round)
	events *watch.Watcher // nil if nothing can be watched

	mu      sync.Mutex
	watched map[string]bool // folders, absolute
	dirty   map[string]bool // those in which something may have changed
	all     bool            // anything may have changed
	hurry   func()          // ends a wait
	rounds  int
	state   string         // what was told last
	good    bool           // the last round left everything up to date
	locked  bool           // another cook had the lock
	vouched bool           // it was a quick one, so its index vouches for the whole tree
	doubt   bool           // it met files of which the whole tree must be asked
	summary report.Summary // of the last round
	asked   string         // who would get the same from a run of their own

	// What the last round knew.
	assets, out string
	roots       [2]os.FileInfo
	folders     []string
	index       map[string]scan.Stamp // the stamps of its files
	tools       map[string]string     // the files of the programs that methods name
	mounts      string
	always      map[string]bool // folders of which events do not tell all
}

// firstRound begins to watch. It waits for another cook to end.
func (m *watchman) firstRound(ctx context.Context) error {
	var err error
	if m.events, err = watch.New(); err != nil {
		m.goBlind(err)
	}
	var locked *LockedError
	for {
		if err = m.round(ctx); !errors.As(err, &locked) || !pause(ctx) {
			break
		}
		m.rounds = 0
	}
	if err != nil {
		return err
	}
	m.catchUp(ctx)
	return nil
}

// pause waits a moment, and reports false if ctx ended.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(quietTime):
		return true
	}
}

// goBlind says why nothing can be watched, and gives up doing so.
func (m *watchman) goBlind(err error) {
	if m.opt.Observer != nil {
		m.opt.Observer.Note(fmt.Sprintf("%v; looking at the whole tree every %v instead", err, pollTime))
	}
	if m.events != nil {
		m.events.Close()
	}
	m.events, m.watched = nil, map[string]bool{}
}

// wait waits until something may have changed and reports whether that may be
// anywhere.
func (m *watchman) wait(ctx context.Context) (full bool) {
	m.mu.Lock()
	patience := fullTime
	if m.events == nil || m.due() {
		patience = pollTime
	}
	events := m.events
	ctx, m.hurry = context.WithTimeout(ctx, patience)
	defer m.hurry()
	m.mu.Unlock()
	if events == nil {
		<-ctx.Done()
		return true
	}
	waited := events.Wait(ctx, quietTime, mostTime)
	m.mu.Lock()
	defer m.mu.Unlock()
	return waited != nil && !m.due()
}

// due reports whether there is something to look at that no event will tell of,
// because it was told already or because the last round failed.
func (m *watchman) due() bool { return m.locked || m.all || len(m.dirty) > 0 }

// catchUp brings everything up to date again and again until no more events
// come.
func (m *watchman) catchUp(ctx context.Context) {
	for range mostRounds {
		if !m.look(ctx) || m.round(ctx) != nil || !m.good || ctx.Err() != nil {
			return
		}
	}
}

// look takes the events that have come and reports whether there is anything to
// look at.
func (m *watchman) look(ctx context.Context) bool {
	if m.events == nil {
		return m.all
	}
	changes, err := m.events.Sync(ctx)
	if err != nil || changes.Lost {
		if changes.Lost && m.opt.Observer != nil {
			m.opt.Observer.Note("watch: too much changed at once; looking at the whole tree")
		}
		m.all, m.watched = true, map[string]bool{}
	}
	for _, dir := range changes.Folders {
		m.dirty[dir] = true
	}
	for _, dir := range changes.Unwatched {
		m.dirty[dir] = true
		delete(m.watched, dir)
	}
	if len(m.watched) == 0 || len(changes.Unwatched) > 0 {
		m.watch()
	}
	m.all = m.all || !m.sameRoots() || !m.sameTools() || mounts() != m.mounts
	return m.all || len(m.dirty) > 0
}

// sameRoots reports whether the two folders are still those of the last round,
// which no event tells.
func (m *watchman) sameRoots() bool {
	for i, name := range [...]string{m.assets, m.out} {
		info, err := os.Stat(name)
		if err != nil || m.roots[i] == nil || !os.SameFile(info, m.roots[i]) {
			return false
		}
	}
	return true
}

// round brings everything up to date. Its error is told.
func (m *watchman) round(ctx context.Context) error {
	began := m.rounds == 0
	m.rounds++
	summary, err := m.cook(ctx)
	if m.opt.Observer != nil {
		m.opt.Observer.Stage(report.StageWait)
	}
	var locked *LockedError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && began:
		return err
	case errors.As(err, &locked), errors.Is(err, errNotOurs):
		m.good, m.all, m.locked = false, true, true // its holder changes what we know
		return nil
	}
	m.locked = false
	m.good = err == nil && summary.Failures()+summary.NotReached.Assets == 0
	m.summary = summary
	worked := summary.UpToDate() != summary.Found.Assets || summary.Removed.Assets > 0
	state := fmt.Sprint(summary.Found.Assets, summary.Failures(), err)
	if m.told != nil && (worked || state != m.state) {
		m.state = state
		m.told(Round{Summary: summary, Err: err, Folders: len(m.watched)})
	}
	return err
}

func (m *watchman) cook(ctx context.Context) (report.Summary, error) {
	k, err := begin(m.opt)
	if err != nil {
		m.all = true
		return report.Summary{}, err
	}
	defer k.close()
	k.watch = m
	m.assets, m.out, m.asked, m.mounts = k.assets.Name(), k.out.Name(), k.question(), mounts()
	for i, name := range [...]string{m.assets, m.out} {
		m.roots[i], _ = os.Stat(name) // nil is like no other
	}
	m.folders, m.vouched, m.doubt = nil, false, false
	if k.Config != "" {
		if config, err := filepath.Abs(k.Config); err == nil {
			m.folders = append(m.folders, filepath.Dir(config))
		}
	}
	err = k.bringUpToDate(ctx)
	k.summary.Took = k.Now().Sub(k.started)
	k.remember()
	if err != nil {
		m.all = true
		return k.summary, err
	}
	m.dirty, m.all, m.index = map[string]bool{}, m.doubt, k.indexStamps()
	if k.saved != nil {
		// The long way. It did not look for files with several names, and what
		// happened in folders before they were watched is not known.
		m.learnFolders(k.saved)
		m.always = map[string]bool{}
		m.all = k.saved.Identity() == k.identity
	}
	m.watch()
	return k.summary, nil
}

// watch adds the folders that the last round knew of. Each must be looked at
// once more, because it may have changed before it was watched.
func (m *watchman) watch() {
	add := func(dir string) {
		if m.events == nil || m.watched[dir] {
			return
		}
		switch err := m.events.Add(dir); {
		case errors.Is(err, watch.ErrLimit):
			m.goBlind(err)
		case err == nil:
			m.watched[dir], m.dirty[dir] = true, true
		}
		// Whatever else is wrong with a folder, the next round will meet it.
	}
	for _, dir := range m.folders {
		// Of a folder of ours, those on the way to it may be renamed as well.
		for inside := true; inside && !m.watched[dir] && m.events != nil; dir = filepath.Dir(dir) {
			add(dir)
			_, asset := pathname.Below(m.assets, dir)
			_, output := pathname.Below(m.out, dir)
			inside = (asset || output) && dir != m.assets && dir != m.out
		}
	}
}
