package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// An edit starts a round because of its event. Without events, the tree is scanned only once a
// minute.
func TestEventOfEditStartsRound(t *testing.T) {
	dir, err := os.MkdirTemp("", "watch") // this directory is in no tree of assets
	if err != nil {
		t.Fatal(err)
	}
	source, output := filepath.Join(dir, "assets", "sub", "a.txt"), filepath.Join(dir, "cooked", "sub", "a.txt")
	write := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(source), 0o777), os.WriteFile(source, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	opt := session.Options{
		Place:   session.Place{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store")},
		Recipes: builtin.All(),
		Time:    session.Time{Now: func() time.Time { return time.Now().Add(time.Minute) }},
	}
	ctx, stop := context.WithCancel(t.Context())
	rounds, ended := make(chan Round, 100), make(chan error, 1)
	m := newWatcher(opt, func(r Round) { rounds <- r })
	go func() { ended <- m.runWatcher(ctx, editorPatience) }()
	defer func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) && !t.Skipped() {
			t.Error(err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.rounds > 20 {
			t.Errorf("%d rounds for two edits: the watcher sees its own writes", m.rounds)
		}
	}()
	await := func(want string) {
		t.Helper()
		for deadline := time.After(40 * time.Second); ; {
			select {
			case r := <-rounds:
				if errors.Is(r.Err, windows.ERROR_INVALID_FUNCTION) {
					t.Skip("no file can be removed by way of its open directory here")
				}
				if r.Err != nil || r.Folders == 0 {
					t.Fatalf("%d directories are watched (%v)", r.Folders, r.Err)
				}
				if got, _ := os.ReadFile(output); string(got) == want {
					return
				}
			case err := <-ended:
				ended <- err
				if errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
					t.Skip("no file can be removed by way of its open directory here")
				}
				t.Fatal(err)
			case <-deadline:
				t.Fatalf("no round has cooked %q", want)
			}
		}
	}
	await("one")
	for _, text := range []string{"two!", "three"} {
		write(text)
		await(text)
	}
}
