//go:build unix

package pass

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/confine"
)

// lockOf takes the lock of an output directory for another cook.
func lockOf(t *testing.T, folder string) (*state.Dir, error) {
	t.Helper()
	out, err := confine.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	d := state.Open(out)
	_, err = d.Lock()
	return d, err
}

// An output directory may be replaced after it was opened and before it is locked. The session must
// lock the directory that it works in.
func TestLockIsThatOfTheFolder(t *testing.T) {
	for what, harm := range map[string]func(out string) error{
		"nothing":           func(string) error { return nil },
		"lock removed":      func(out string) error { return os.RemoveAll(filepath.Join(out, manifest.StateDir, "lock")) },
		"state removed":     func(out string) error { return os.RemoveAll(filepath.Join(out, manifest.StateDir)) },
		"directory removed": func(out string) error { return os.RemoveAll(out) },
		"directory moved":   func(out string) error { return os.Rename(out, out+"3") },
		"directory replaced": func(out string) error {
			return errors.Join(os.RemoveAll(out), os.Rename(out+"2", out))
		},
		"directory moved and replaced": func(out string) error {
			return errors.Join(os.Rename(out, out+"3"), os.Rename(out+"2", out))
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := newProject(t, map[string]string{"a.txt": "one"})
			second := filepath.Join(p.Place.Out+"2", manifest.StateDir)
			if err := errors.Join(os.MkdirAll(second, 0o777), os.WriteFile(filepath.Join(second, "lock"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(p.Options, session.Ask)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := harm(p.Place.Out); err != nil {
				t.Fatal(err)
			}
			if err := s.Lock(session.Write); err != nil {
				t.Fatal(err)
			}
			if err := s.State.CheckLock(); err != nil {
				t.Error(err)
			}
			var locked *state.LockedError
			if _, err := lockOf(t, p.Place.Out); !errors.As(err, &locked) {
				t.Errorf("another cook takes the lock as well: %v", err)
			}
			if done, err := Run(t.Context(), s, nil); err != nil || done.Stats.Outcomes.Cooked.Assets != 1 || !exists(p.out("a.txt")) {
				t.Errorf("run: %s, %v", counts(done), err)
			}
			s.Close()
			other, err := lockOf(t, p.Place.Out)
			if err != nil {
				t.Errorf("the lock is not given back: %v", err)
			}
			other.Close()
		})
	}
}

// A session that locks only existing directories does not create a removed output directory again.
func TestLockOfVanishedFolder(t *testing.T) {
	for what, vanishing := range map[string]string{"state": manifest.StateDir, "folder": ""} {
		t.Run(what, func(t *testing.T) {
			p := newProject(t, map[string]string{"a.txt": "one"})
			p.run()
			s, err := session.Open(p.Options, session.Look)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := errors.Join(os.RemoveAll(p.out(vanishing)), s.Lock(session.WriteExisting)); err != nil {
				t.Fatal(err)
			}
			if s.Used() || exists(p.out(vanishing)) {
				t.Errorf("used %v, there %v", s.Used(), exists(p.out(vanishing)))
			}
		})
	}
}

// A session for writing cannot open an output directory that another cook has locked. It can still
// read the state, so the error names the process with the lock.
func TestLockedByAnotherCook(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one"})
	p.run()
	s, err := session.Open(p.Options, session.Ask)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := lockOf(t, p.Place.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var locked *state.LockedError
	if err := s.Lock(session.Write); !errors.As(err, &locked) {
		t.Errorf("Lock: %v", err)
	}
	if s.State == nil || !s.Used() {
		t.Error("the session has lost its output directory")
	}
	for _, access := range []session.Access{session.Write, session.WriteExisting} {
		if s, err := session.Open(p.Options, access); !errors.As(err, &locked) {
			t.Errorf("Open: %v", err)
			if err == nil {
				s.Close()
			}
		}
	}
	other.Close()
	if err := s.Lock(session.Write); err != nil {
		t.Errorf("Lock of a directory that is free again: %v", err)
	}
}

// If the rules can no longer be read when a session is reopened, its fingerprint is zero.
func TestFingerprintOfReopened(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one"})
	p.Place.Config = filepath.Join(t.TempDir(), "rules.toml")
	if err := os.WriteFile(p.Place.Config, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(p.Options, session.Ask)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Basis.Fingerprint.IsZero() {
		t.Fatal("no fingerprint")
	}
	if err := errors.Join(os.Remove(p.Place.Config), os.RemoveAll(p.Place.Out), s.Lock(session.Write)); err != nil {
		t.Fatal(err)
	}
	if !s.Basis.Fingerprint.IsZero() {
		t.Error("the fingerprint is that of rules that are gone")
	}
	var config *session.ConfigError
	if _, err := Run(t.Context(), s, nil); !errors.As(err, &config) {
		t.Errorf("run: %v", err)
	}
}
