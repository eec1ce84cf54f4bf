// Package watch keeps an output directory up to date. A cook of the same directory asks the
// watcher for its result instead of looking at the tree.
//
// # Rounds
//
// A round is a pass (package pass) that looks only at directories with events (package notify).
// After each round the watcher learns the directories of the pass and watches the new ones.
// Before that, files may have changed through a new directory unseen, so the next round looks
// everywhere. When no more events come, the watcher waits.
//
// # Saves
//
// A round begins when a save looks complete, or has taken longer than saves usually do: a removed
// file may come back, and an open file may be half written. A new failure waits as long. If the
// source or a dependency changes meanwhile, the old output stays, and the next round cooks the
// asset again.
//
// # Changes without events
//
// Each round looks at some directories even without events: directories with links, whose
// targets may change anywhere, and directories with hard links, because a write is reported only
// for one name of the file. A file that comes with a second name makes the next round look
// everywhere, which finds the first name; so does a file that came and went between two rounds.
// Before each round the watcher compares mounts, the two root directories and the programs that
// PATH leads to. Other changes (writes through a mapping that stays open, other hosts, names
// outside the tree) show in a look at everything from time to time: less often if it takes
// longer.
//
// # Answers
//
// A cook asks at the socket in the state directory (package peer). Its question holds everything
// that decides about its pass, so that only a watcher whose pass would do the same answers it.
// Before the answer, the watcher takes all events and does the rounds for them.
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
	// Rules is the error in the rules if the round followed the last correct rules instead.
	Rules error
	// Directories is the number of watched directories. 0 means that the system cannot watch, so
	// the watcher looks at the tree from time to time.
	Folders int
}

const (
	// pauseTime is the pause between two attempts to get the lock.
	pauseTime = 50 * time.Millisecond
	// mostRounds bounds the rounds without a pause, for events that came meanwhile.
	mostRounds = 8
)

// saveTime is how long a file may stay missing or half written before that counts as an edit: an
// editor may rename a file to its backup and then slowly write the new one.
const saveTime = 150 * time.Millisecond

// editorPatience waits for the events of one save. They end within a few milliseconds if no file
// stays open or missing.
var editorPatience = notify.Patience{Settled: 4 * time.Millisecond, Open: saveTime, Most: 500 * time.Millisecond}

// StageWait is the name of the stage between two rounds.
const StageWait = "wait"

// Run brings the output directory up to date whenever something changes, until ctx ends. It
// returns the error of the context, or of the first round if that could not begin. It calls told
// after the first round and after each round with work or another result, one call at a time.
func Run(ctx context.Context, opt session.Options, told func(Round)) error {
	if len(opt.Scope.Patterns) > 0 || opt.Scope.Source != "" {
		return &session.ConfigError{Err: errors.New("watching brings everything up to date; it takes no patterns")}
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
	m.mu.Lock() // questions wait for the first round
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

// A watcher keeps one output directory up to date.
type watcher struct {
	opt  session.Options
	told func(Round)
	feed *feed.History

	mu      sync.Mutex // of all fields below
	watched watched
	pending pending
	places  places
	learned learned
	last    outcome
	pace    pace
	rounds  int    // so far
	hurry   func() // ends a wait
}

// pending holds the directories in which the next round must look.
type pending struct {
	folders map[string]bool // where something may have changed
	all     bool            // anything may have changed
	rest    bool            // likewise, but after the changes in directories
	locked  bool            // another cook had the lock
}

// due reports whether a round must come without further events: for events that came already, or
// after a failed round.
func (p *pending) due() bool { return p.locked || p.all || p.rest || len(p.folders) > 0 }

// markFolderPending notes that something may have changed in a directory.
func (p *pending) markFolderPending(folder string) {
	if p.folders == nil {
		p.folders = map[string]bool{}
	}
	p.folders[folder] = true
}

// outcome is the result of the last round.
type outcome struct {
	stats    stats.Stats
	good     bool   // everything is up to date
	rules    error  // error in the rules, if earlier ones were followed
	state    string // as reported
	question string // of a cook with the same pass
}

func newWatcher(opt session.Options, told func(Round)) *watcher {
	return &watcher{
		opt: forWatching(opt), told: told, feed: feed.NewHistory(), hurry: func() {},
		watched: watched{folders: map[string]bool{}}, pending: pending{all: true},
	}
}

// firstRound begins to watch, once no other cook runs.
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

// Pause waits a moment. It returns false if ctx ended.
func Pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pauseTime):
		return true
	}
}

// pollSources gives up watching, reports why, and looks at the tree from time to time.
func (m *watcher) pollSources(err error) {
	m.opt.Observer.Note(fmt.Sprintf("%v; looking at the whole tree every %v instead, or less often if it is large", err, pollTime))
	m.watched.endWatch()
	m.watched = watched{folders: map[string]bool{}}
}

// waitForChanges waits until something may have changed. It reports whether that may be anywhere.
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

// untilDue returns the longest wait: until the next look at everything, or the next attempt of a
// round that is due.
func (m *watcher) untilDue() time.Duration {
	switch {
	case m.watched.events == nil:
		return m.pace.poll()
	case m.pending.due():
		return pollTime
	}
	return max(0, m.pace.due(m.opt.Limits.Workers, m.places.local && !m.watched.blind).Sub(m.opt.Time.Now()))
}

// catchUpWithRun does rounds until no more events come.
func (m *watcher) catchUpWithRun(ctx context.Context) {
	for range mostRounds {
		if !m.lookForChanges(ctx) || m.cookChanges(ctx) != nil || !m.last.good || ctx.Err() != nil {
			return
		}
		if m.watched.events != nil && !m.watched.events.Settled() {
			return // wait returns when it has settled
		}
	}
}

// lookForChanges takes all events, and reports whether there is anything to look at.
func (m *watcher) lookForChanges(ctx context.Context) bool {
	if m.watched.events == nil {
		return m.pending.all
	}
	changes, err := m.watched.events.Sync(ctx)
	if err != nil || changes.Lost {
		if changes.Lost {
			m.opt.Observer.Note("watch: too much changed at once; looking at the whole tree")
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
	// A file that came and went may have been another name of a known file. The files of a
	// removed or moved directory are unknown.
	m.pending.rest = m.pending.rest || changes.Vanished || len(changes.Unwatched) > 0
	m.pending.all = m.pending.all || !m.places.samePlaces() || !m.learned.sameTools(m.places.assets)
	return m.pending.all || m.pending.rest || len(m.pending.folders) > 0
}
