package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
)

// readQuestion returns a text of everything that determines the work of a pass, except modes that
// force work. If a watcher has the same text, its rounds do the same work.
func readQuestion(s *session.Session) string {
	return fmt.Sprintf("%s %q %t %t %s", s.Basis.Fingerprint, s.Scope.Asked(), s.Mode.OutputsByFolder, s.Mode.ListAll, os.Getenv("PATH"))
}

// listenOnSocket opens the socket. If the system does not support sockets, it returns nil. If
// another watcher of the output directory listens, it returns an error.
func (m *watcher) listenOnSocket() (*peer.Listener, error) {
	opt, err := m.opt.WithDefaults()
	if err != nil {
		return nil, err
	}
	s, err := session.Open(opt, session.Ask)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m.opt, m.places = opt, placesOf(s)
	dir := s.State.Folder()
	socket, err := peer.Listen(dir)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, &state.LockedError{Path: filepath.Join(dir, "socket"), Holder: "another watching cook"}
	case err != nil:
		s.Observer.Note(err.Error() + "; other cooks must scan the tree themselves")
	}
	return socket, nil
}

// serveCaller answers requests of two kinds of clients: cooks, and programs that follow changes.
func (m *watcher) serveCaller(ctx context.Context, socket *peer.Listener) {
	if socket == nil {
		return
	}
	defer socket.Close()
	err := socket.Serve(ctx, func(client context.Context, question []byte) []byte {
		if feed.Asks(question) {
			return feed.Reply(client, m.feed, question, func() { m.mu.Lock(); defer m.mu.Unlock() })
		}
		// The round completes even if the client disconnects meanwhile.
		text, _ := json.Marshal(m.answerCaller(ctx, string(question)))
		return text
	})
	if err != nil && ctx.Err() == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.opt.Observer.Note(err.Error() + "; other cooks must scan the tree themselves")
	}
}

// answerCaller brings everything up to date. It returns the result that a pass of the asking cook
// would have, or nil if the result is unknown.
func (m *watcher) answerCaller(ctx context.Context, asked string) *stats.Stats {
	if asked == "" {
		return nil // the request only checks whether the watcher is alive
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		if m.pending.due() {
			m.hurry()
		}
	}()
	if m.watched.events == nil || asked != m.last.question {
		return nil
	}
	before := m.rounds
	var worked *stats.Stats
	for range mostRounds {
		if !m.lookForChanges(ctx) && (len(m.learned.always) == 0 || m.rounds > before) {
			break
		}
		if m.cookChanges(ctx) != nil || !m.last.good || ctx.Err() != nil {
			return nil
		}
		if t := m.last.stats; worked == nil && t.UpToDate() != t.Found.Assets {
			worked = &t
		}
	}
	switch {
	case !m.last.good || !m.learned.vouched || asked != m.last.question || m.pending.all || len(m.pending.folders) > 0:
		return nil
	case worked != nil:
		return worked
	}
	t := &m.last.stats
	return &stats.Stats{Found: t.Found, Outcomes: stats.Outcomes{ByStamp: t.Found}, Saved: t.Saved}
}

// LongWait is how long a cook waits before it reports the wait. By then, a stopped watcher would
// have been detected.
const LongWait = 2 * time.Second

// Ask asks the watcher of the output directory for the result of a pass of this session. known is
// nil if the watcher does not know the result, or if the session needs more than a result. beside
// reports whether a watcher is running, which may hold the lock for a moment.
func Ask(ctx context.Context, s *session.Session) (known *stats.Stats, beside bool) {
	m := s.Mode
	switch {
	case !s.Used() || m.DryRun:
		return nil, false
	case m.Force || m.FullScan || m.IgnoreStamps || m.Strict || !s.Scope.Whole() || m.EveryAction:
		_, beside = Beside(ctx, s)
		return nil, beside
	}
	text, err := askWatcher(ctx, s)
	if err != nil {
		return nil, false
	}
	if json.Unmarshal(text, &known) != nil {
		return nil, true
	}
	return known, true
}

// askWatcher sends a request to the watcher, and prints a note if the answer takes long.
func askWatcher(ctx context.Context, s *session.Session) (answer []byte, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err = peer.Ask(ctx, s.State.Folder(), []byte(readQuestion(s)))
	}()
	timer := time.NewTimer(LongWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
		pid, _ := peer.Listens(ctx, s.State.Folder())
		s.Observer.Note(fmt.Sprintf("a watching cook (%s) is at work on the same output directory; waiting for its answer", peer.Process(pid)))
		<-answered
	}
	var silent *peer.SilentError
	if errors.As(err, &silent) {
		s.Observer.Note(fmt.Sprintf("a watching cook (%v); this cook scans the tree itself", silent))
	}
	return answer, err
}

// Beside returns the name of the watcher's process, such as "process 1234". It finds the watcher of
// the output directory even if the process is stopped.
func Beside(ctx context.Context, s *session.Session) (process string, ok bool) {
	if !s.Used() {
		return "", false
	}
	pid, ok := peer.Listens(ctx, s.State.Folder())
	if !ok {
		return "", false
	}
	return peer.Process(pid), true
}

// Alive reports whether the watcher of the output directory sends heartbeats.
func Alive(ctx context.Context, s *session.Session) bool {
	if !s.Used() {
		return false
	}
	_, err := peer.Ask(ctx, s.State.Folder(), nil)
	return err == nil
}
