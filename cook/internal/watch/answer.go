package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
)

// readQuestion returns everything that decides about a pass without forced work. A watcher with the
// same question does the same.
func readQuestion(s *session.Session) string {
	return fmt.Sprintf("%s %q %t %t %s", s.Basis.Fingerprint, s.Scope.Asked(), s.Mode.OutputsByFolder, s.Mode.ListAll, os.Getenv("PATH"))
}

// listenOnSocket opens the socket, nil if the system has none. It fails if another watcher of the output
// directory listens.
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
		s.Observer.Note(err.Error() + "; every cook looks for itself")
	}
	return socket, nil
}

// serveCaller answers cooks, and programs that follow changes.
func (m *watcher) serveCaller(ctx context.Context, socket *peer.Listener) {
	if socket == nil {
		return
	}
	defer socket.Close()
	err := socket.Serve(ctx, func(client context.Context, question []byte) []byte {
		if feed.Asks(question) {
			return feed.Reply(client, m.feed, question, func() { m.mu.Lock(); defer m.mu.Unlock() })
		}
		// The round runs even if the client goes away meanwhile.
		text, _ := json.Marshal(m.answerCaller(ctx, string(question)))
		return text
	})
	if err != nil && ctx.Err() == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.opt.Observer.Note(err.Error() + "; every cook looks for itself")
	}
}

// answerCaller brings everything up to date and returns the result of a pass of the asking cook, nil if
// unknown.
func (m *watcher) answerCaller(ctx context.Context, asked string) *stats.Stats {
	if asked == "" {
		return nil // only a sign of life is wanted
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
