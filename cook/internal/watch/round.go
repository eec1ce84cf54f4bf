package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/notify"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/pathname"
)

// cookChanges cooks all pending changes. It reports an error before it returns the error.
func (m *watcher) cookChanges(ctx context.Context) error {
	first := m.rounds == 0
	m.rounds++
	done, all, err := m.cookRound(ctx, first)
	m.opt.Observer.Stage(StageWait)
	var locked *state.LockedError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && first:
		return err
	case errors.As(err, &locked), errors.Is(err, state.ErrLostLock):
		// The other cook may have changed files that this watcher knows, so the next round examines
		// everything.
		m.last.good, m.pending.all, m.pending.locked = false, true, true
		return nil
	}
	m.pending.locked = false
	t := &done.Stats
	m.last.stats = *t
	m.last.good = err == nil && m.last.rules == nil && t.Failures()+t.Outcomes.NotReached.Assets == 0
	worked := t.UpToDate()+t.Outcomes.NotReached.Assets != t.Found.Assets || t.Removed.Assets > 0
	whole := all && err == nil
	if whole {
		m.pace.looked(m.opt.Time.Now(), done.Took, worked)
	}
	state := fmt.Sprint(t.Found.Assets, t.Failures(), err, m.last.rules)
	if m.told != nil && (worked || state != m.last.state) {
		m.last.state = state
		m.told(Round{Done: done, Err: err, Rules: m.last.rules, Folders: len(m.watched.folders)})
	}
	if whole {
		debug.FreeOSMemory() // a pass over the whole tree leaves much garbage
	}
	return err
}

// cookRound runs a pass over the changes and learns from its result. all reports whether the pass
// examined all directories.
func (m *watcher) cookRound(ctx context.Context, first bool) (done pass.Done, all bool, err error) {
	opt := m.opt
	if !first && !m.pending.all {
		opt.Place.Remote = rules.Remote{} // connecting to a server takes longer than most edits need
	}
	s, err := session.Open(opt, session.Write)
	if err != nil {
		m.pending.all = true
		return done, false, err
	}
	defer s.Close()
	m.places, m.last.question = placesOf(s), readQuestion(s)
	// Another cook may have written the index. Files that this watcher has not seen then look
	// unchanged.
	foreign := s.State.Index.Seal() != m.learned.index
	m.pending.all = m.pending.all || foreign
	where := m.concernsRun
	if first && s.Mode.Strict {
		where = nil // examine all directories, because the index does not record warnings, which are errors in strict mode
	}
	var now learned
	watching := pass.Watching{Learn: func(done *pass.Done) (err error) {
		now, err = learn(s, done, m.places, m.learned, m.pending.all)
		return err
	}}
	if !first {
		saved := time.After(saveTime)
		watching.Hesitate = sync.OnceFunc(func() {
			select {
			case <-ctx.Done():
			case <-saved:
			}
		})
	}
	if !foreign { // if another cook wrote the index, the round does not know all changes
		watching.Changed = m.tellRound
	}
	m.last.rules = nil
	done, err = pass.RunWatched(ctx, s, where, watching)
	var wrong *session.ConfigError
	if errors.As(err, &wrong) && m.learned.rules != nil {
		s = s.Following(m.learned.rules)
		old, oldErr := pass.RunWatched(ctx, s, where, watching)
		now.rules = m.learned.rules // keep the earlier rules, because the round has not read new rule files
		if !errors.As(oldErr, new(*session.ConfigError)) {
			done, err, m.last.rules = old, oldErr, wrong
		}
	}
	if err != nil || foreign {
		m.feed.Lost()
	}
	if err != nil {
		m.pending.all, m.learned.vouched = true, false
		return done, false, err
	}
	if m.watched.events != nil {
		m.watched.events.Placed(done.Placed)
	}
	all = m.pending.all || done.Delta == nil
	m.learned, m.pending = now, pending{all: now.everywhere || m.pending.rest && !m.pending.all || m.last.rules != nil}
	m.watchLearned()
	return done, all, nil
}

// concernsRun reports whether a round must examine a directory.
func (m *watcher) concernsRun(f *index.Folder) bool {
	if m.pending.all {
		return true
	}
	dir := m.places.namePlace(f)
	return m.pending.folders[dir] || m.learned.always[dir] || !m.watched.folders[dir]
}

// watched holds the directories whose events the system reports.
type watched struct {
	events  *notify.Watcher // nil if the system cannot watch directories
	folders map[string]bool // absolute names
	blind   bool            // set if some directory cannot be watched
}

func (w *watched) endWatch() {
	if w.events != nil {
		w.events.Close()
	}
}

// watchLearned watches the directories of the last round. If one of them is new, the next round
// must examine all directories: before the watch began, a hard link to any file may have been added
// and removed again.
func (m *watcher) watchLearned() {
	m.watched.blind = false
	if m.watched.events != nil {
		m.watched.events.Within(m.places.assets, m.places.out)
	}
	for _, dir := range m.learned.folders {
		// The parent directories may be renamed too, so they are watched as well.
		for inside := true; inside && !m.watched.folders[dir] && m.watched.events != nil; dir = filepath.Dir(dir) {
			m.watchFolder(dir)
			_, asset := pathname.Below(m.places.assets, dir)
			_, output := pathname.Below(m.places.out, dir)
			inside = (asset || output) && dir != m.places.assets && dir != m.places.out
		}
	}
}

func (m *watcher) watchFolder(dir string) {
	switch err := m.watched.events.Add(dir); {
	case errors.Is(err, notify.ErrLimit), errors.Is(err, errors.ErrUnsupported):
		m.pollSources(err)
	case err == nil:
		m.watched.folders[dir], m.pending.all = true, true
	case !errors.Is(err, fs.ErrNotExist):
		m.watched.blind = true
	}
	// The next round reports other errors of the directory.
}

// tellRound sends the changes of a round to followers. If there are too many changes, followers
// must compare the manifest.
func (m *watcher) tellRound(list []pass.Changed) {
	const most = 4096
	switch {
	case len(list) > most:
		m.feed.Lost()
	case len(list) > 0:
		m.feed.Add(feed.Encode(feedChanges(list)))
	}
}

func feedChanges(list []pass.Changed) []feed.Change {
	batch := make([]feed.Change, len(list))
	for i, c := range list {
		reasons := make([]string, len(c.Reasons))
		for k, r := range c.Reasons {
			reasons[k] = r.String()
		}
		batch[i] = feed.Change{
			Path: []byte(c.Path), Removed: c.Removed,
			Source: []byte(c.Source), Target: c.Target, Reason: strings.Join(reasons, "; "), Saved: c.Saved,
		}
		if !c.Removed {
			batch[i].Blob = list[i].Blob[:]
		}
	}
	return batch
}

// Full scans find changes that cause no events. They take at most 1/lookShare of a core, but at
// least one scan is made every mostInterval. If events may miss many changes, a scan is made every
// leastInterval. If the system cannot watch directories, a scan is made every pollTime, or less
// often if scans would take more than 1/pollShare of all cores.
const (
	lookShare     = 200
	leastInterval = time.Minute
	mostInterval  = time.Hour
	pollTime      = 2 * time.Second
	pollShare     = 10
)

// A pace schedules the full scans.
type pace struct {
	last time.Time     // time of the last scan
	took time.Duration // duration of the last scan, 0 if unknown
}

// looked records a full scan. The duration of a scan that found work is ignored, because it does
// not predict the next duration.
func (p *pace) looked(now time.Time, took time.Duration, worked bool) {
	p.last = now
	if !worked {
		p.took = took
	}
}

// due returns the time of the next full scan. cores is the number of cores that a scan uses. The
// result also depends on whether events report most changes.
func (p *pace) due(cores int, shown bool) time.Time {
	interval := leastInterval
	if shown {
		interval = min(max(lookShare*p.took*time.Duration(cores), leastInterval), mostInterval)
	}
	return p.last.Add(interval)
}

// poll returns the pause before the next scan if the system cannot watch directories.
func (p *pace) poll() time.Duration { return min(max(pollShare*p.took, pollTime), leastInterval) }

// places identifies the directories of a round.
type places struct {
	assets, out string // absolute names
	config      string // directory of Place.Config, "" for none
	roots       [2]os.FileInfo
	mounts      string
	local       bool // set if both file systems report every change
}

func placesOf(s *session.Session) places {
	p := places{assets: s.Assets.Name(), out: s.Out.Name(), mounts: mounts()}
	p.local = allLocal(p.mounts, p.assets) && allLocal(p.mounts, p.out)
	for i, name := range [...]string{p.assets, p.out} {
		p.roots[i], _ = os.Stat(name) // after an error this is nil, which differs from every file info
	}
	if s.Place.Config != "" {
		if config, err := filepath.Abs(s.Place.Config); err == nil {
			p.config = filepath.Dir(config)
		}
	}
	return p
}

// samePlaces reports whether the two directories and all mounts are unchanged. No event reports
// such changes.
func (p *places) samePlaces() bool {
	for i, name := range [...]string{p.assets, p.out} {
		info, err := os.Stat(name)
		if err != nil || p.roots[i] == nil || !os.SameFile(info, p.roots[i]) {
			return false
		}
	}
	return mounts() == p.mounts
}

// namePlace returns the absolute name of a directory.
func (p *places) namePlace(f *index.Folder) string {
	switch f.Tree {
	case index.Assets:
		return filepath.Join(p.assets, f.Real())
	case index.Out:
		return filepath.Join(p.out, f.Real())
	}
	return filepath.Clean(f.Path())
}
