// Package watch keeps an output directory up to date. A cook of the same directory asks the watcher
// for its result instead of scanning the tree.
//
// # Rounds
//
// A round is a pass (package pass) that examines only directories with events (package notify).
// After each round the watcher learns the directories of the pass and watches the new directories.
// Files in a new directory may have changed before the watch began, so the next round examines all
// directories. When there are no more events, the watcher waits.
//
// # Saves
//
// A round begins when a save looks complete, or has taken longer than saves usually do: a removed
// file may come back, and an open file may be half written. A new failure counts only after the
// same time. If the source or a dependency changes meanwhile, the old output is kept, and the next
// round cooks the asset again.
//
// # Changes without events
//
// Each round examines some directories even without events: directories with links, whose targets
// may change anywhere, and directories with hard links, because a write is reported only for one
// name of the file. If a new file has a second name, the next round examines all directories to
// find the other name; the same happens if a file appeared and vanished between two rounds. Before
// each round the watcher compares mounts, the two root directories and the programs that PATH leads
// to. Other changes (writes through a mapping that stays open, other hosts, names outside the tree)
// are found by a full scan from time to time, which is less frequent the longer it takes.
//
// # Answers
//
// A cook sends a request to the socket in the state directory (package peer). The request contains
// everything that determines what its pass does, so that only a watcher whose pass would do the
// same answers it. Before it answers, the watcher reads all events and runs the rounds for them.
package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/notify"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
)

// A Round is one pass of a watcher.
type Round struct {
	Done pass.Done
	Err  error
	// Rules is the error in the rules, if the round used the last correct rules instead.
	Rules error
	// Folders is the number of watched directories. If the system cannot watch directories, it is
	// 0, and the watcher scans the tree from time to time.
	Folders int
}

const (
	// pauseTime is the pause between two attempts to get the lock.
	pauseTime = 50 * time.Millisecond
	// mostRounds limits the number of successive rounds without a pause. Each of these rounds
	// handles events that arrived during the previous round.
	mostRounds = 8
)

// saveTime is how long a file may stay missing or half written before that counts as an edit. An
// editor may rename a file to its backup and then take long to write the new file.
const saveTime = 150 * time.Millisecond

// editorPatience is how long the watcher waits for further events after an editor saves a file. The
// wait is a few milliseconds, but longer while a file is open or missing.
var editorPatience = notify.Patience{Settled: 4 * time.Millisecond, Open: saveTime, Most: 500 * time.Millisecond}

// StageWait is the name of the stage between two rounds.
const StageWait = "wait"

// Run brings the output directory up to date whenever something changes, until ctx ends. It returns
// the error of the context, or the error of the first round if that round could not begin. It calls
// told after the first round, and after each round that did work or whose result differs from the
// previous round. Only one call is made at a time.
func Run(ctx context.Context, opt session.Options, told func(Round)) error {
	if !opt.Scope.Whole() {
		return &session.ConfigError{Err: errors.New("a watching cook brings all assets up to date; remove the patterns")}
	}
	return newWatcher(opt, told).runWatcher(ctx, editorPatience)
}

// runWatcher runs a new watcher.
func (m *watcher) runWatcher(ctx context.Context, patience notify.Patience) error {
	socket, err := m.listenOnSocket()
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	m.mu.Lock() // the lock makes requests wait for the first round
	group.Go(func() { m.serveCaller(serving, socket) })
	err = m.firstRound(ctx)
	m.mu.Unlock()
	defer m.watched.endWatch()
	if err != nil {
		return err
	}
	for {
		full := m.waitForChanges(ctx, patience)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.mu.Lock()
		m.pending.all = m.pending.all || full
		m.catchUpWithRun(ctx)
		m.mu.Unlock()
	}
}

// forWatching returns the options of each round, without modes that force work.
func forWatching(opt session.Options) session.Options {
	m := opt.Mode
	opt.Mode = session.Mode{Strict: m.Strict, StopOnFailure: m.StopOnFailure, OutputsByFolder: m.OutputsByFolder, ListAll: m.ListAll}
	return opt
}

// A watcher keeps an output directory up to date.
type watcher struct {
	opt  session.Options
	told func(Round)
	feed *feed.History

	mu      sync.Mutex // guards all fields below
	watched watched
	pending pending
	places  places
	learned learned
	last    outcome
	pace    pace
	rounds  int    // number of rounds so far
	hurry   func() // ends the current wait
}

// pending holds the directories that the next round must examine.
type pending struct {
	folders map[string]bool // directories that may contain changes
	all     bool            // set if anything may have changed
	rest    bool            // set if anything may have changed; handled after folders
	locked  bool            // set if another cook had the lock
}

// due reports whether another round is needed without waiting for further events. There may be
// unhandled events, or the last round failed.
func (p *pending) due() bool { return p.locked || p.all || p.rest || len(p.folders) > 0 }

// markFolderPending records that something may have changed in a directory.
func (p *pending) markFolderPending(folder string) {
	if p.folders == nil {
		p.folders = map[string]bool{}
	}
	p.folders[folder] = true
}

// outcome is the result of the last round.
type outcome struct {
	stats    stats.Stats
	good     bool   // set if everything is up to date
	rules    error  // error in the rules, if earlier rules were used
	state    string // state in the most recent report
	question string // request of a cook whose pass would do the same
}

func newWatcher(opt session.Options, told func(Round)) *watcher {
	return &watcher{
		opt: forWatching(opt), told: told, feed: feed.NewHistory(), hurry: func() {},
		watched: watched{folders: map[string]bool{}}, pending: pending{all: true},
	}
}

// firstRound begins to watch as soon as no other cook runs.
func (m *watcher) firstRound(ctx context.Context) error {
	var err error
	if m.watched.events, err = notify.New(); err != nil {
		m.pollSources(err)
	}
	var locked *state.LockedError
	for {
		if err = m.cookChanges(ctx); !errors.As(err, &locked) || !Pause(ctx) {
			break
		}
		m.rounds = 0
	}
	if err != nil {
		return err
	}
	m.catchUpWithRun(ctx)
	return nil
}

// Pause waits a short time. It returns false if ctx ended.
func Pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pauseTime):
		return true
	}
}

// pollSources is used if watching is impossible. It reports the reason, and scans the tree from
// time to time.
func (m *watcher) pollSources(err error) {
	m.opt.Observer.Note(fmt.Sprintf("%v; scanning the whole tree every %v instead, or less often if the tree is large", err, pollTime))
	m.watched.endWatch()
	m.watched = watched{folders: map[string]bool{}}
}

// waitForChanges waits until something may have changed. It reports whether the change may be in
// any directory.
func (m *watcher) waitForChanges(ctx context.Context, patience notify.Patience) (full bool) {
	m.mu.Lock()
	events := m.watched.events
	ctx, m.hurry = context.WithTimeout(ctx, m.untilDue())
	defer m.hurry()
	m.mu.Unlock()
	if events == nil {
		<-ctx.Done()
		return true
	}
	waited := events.Wait(ctx, patience)
	m.mu.Lock()
	defer m.mu.Unlock()
	return waited != nil && !m.pending.due()
}

// untilDue returns the longest time to wait for events. This is the time until the next full scan.
// If a round is already due, it is the time until the next attempt.
func (m *watcher) untilDue() time.Duration {
	switch {
	case m.watched.events == nil:
		return m.pace.poll()
	case m.pending.due():
		return pollTime
	}
	return max(0, m.pace.due(m.opt.Limits.Workers, m.places.local && !m.watched.blind).Sub(m.opt.Time.Now()))
}

// catchUpWithRun runs rounds until there are no more events.
func (m *watcher) catchUpWithRun(ctx context.Context) {
	for range mostRounds {
		if !m.lookForChanges(ctx) || m.cookChanges(ctx) != nil || !m.last.good || ctx.Err() != nil {
			return
		}
		if m.watched.events != nil && !m.watched.events.Settled() {
			return // the save is incomplete; Wait waits for its other events
		}
	}
}

// lookForChanges reads all events, and reports whether there are changes to examine.
func (m *watcher) lookForChanges(ctx context.Context) bool {
	if m.watched.events == nil {
		return m.pending.all
	}
	changes, err := m.watched.events.Sync(ctx)
	if err != nil || changes.Lost {
		if changes.Lost {
			m.opt.Observer.Note("watch: too much changed at once; scanning the whole tree")
		}
		m.pending.all, m.watched.folders = true, map[string]bool{}
	}
	for _, dir := range changes.Folders {
		m.pending.markFolderPending(dir)
	}
	for _, dir := range changes.Unwatched {
		m.pending.markFolderPending(dir)
		delete(m.watched.folders, dir)
	}
	if len(m.watched.folders) == 0 || len(changes.Unwatched) > 0 {
		m.watchLearned()
	}
	// A file that appeared and vanished may have been a hard link to a known file. The files of a
	// removed or moved directory are no longer known.
	m.pending.rest = m.pending.rest || changes.Vanished || len(changes.Unwatched) > 0
	m.pending.all = m.pending.all || !m.places.samePlaces() || !m.learned.sameTools(m.places.assets)
	return m.pending.all || m.pending.rest || len(m.pending.folders) > 0
}
