package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// killable returns a campaign that runs the given program instead of cook, and a scene with an
// output directory.
func killable(t *testing.T, program string) (*killing, *scene) {
	t.Helper()
	c := &killing{}
	c.workplace = workplace{name: "kills", seed: 1, dir: t.TempDir(), program: program}
	j, err := c.newKillJob(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := j.scenes[0]
	if err := os.Mkdir(s.out, 0o777); err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestWatcherThatEndsIsWrong(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		code := 2
		if atOnce {
			code = 0
		}
		c, s := killable(t, says(t, "no such flag", code))
		// The command must end by itself before it is killed. This depends on timing, so the test
		// tries several times.
		err := eventually(func() error { return c.killWatcher(t.Context(), s, atOnce) })
		if err == nil || !strings.Contains(err.Error(), "no such flag") {
			t.Errorf("at once %t: a watcher that exits with %d: %v", atOnce, code, err)
		}
		c, s = killable(t, fake(t, "sleeps"))
		if err := c.killWatcher(t.Context(), s, atOnce); err != nil || c.amid.Load() != 1 || c.watched.Load() != 1 {
			t.Errorf("at once %t: a watcher that watches: %v, counted %d and %d", atOnce, err, c.amid.Load(), c.watched.Load())
		}
	}
}

func TestPartialOutputOfWatcherIsDetected(t *testing.T) {
	c, s := killable(t, fake(t, "half"))
	err := eventually(func() error { return c.killWatcher(t.Context(), s, true) })
	if err == nil || !strings.Contains(err.Error(), "plain.txt is partially written") {
		t.Error(err)
	}
}

// eventually repeats an attempt whose result depends on timing, at most 20 times. It returns the
// first error, or nil if all attempts succeed.
func eventually(try func() error) (err error) {
	for n := 0; n < 20 && err == nil; n++ {
		err = try()
	}
	return err
}

func TestRunAndKillReportsWhetherCommandWasRunning(t *testing.T) {
	cut := func(program string, wait time.Duration, harm func(kill func()) error) (bool, error) {
		_, s := killable(t, program)
		return s.runAndKill(t.Context(), wait, harm)
	}
	none := func(kill func()) error { return nil }
	for _, harm := range []func(func()) error{nil, none} {
		if amid, err := cut(says(t, "no such flag", 2), 30*time.Second, harm); amid || err == nil || !strings.Contains(err.Error(), "no such flag") {
			t.Errorf("a command that ends by itself: amid %t, %v", amid, err)
		}
		if amid, err := cut(fake(t, "sleeps"), 0, harm); !amid || err != nil {
			t.Errorf("a running command: amid %t, %v", amid, err)
		}
	}
	kept := func(kill func()) error { return context.DeadlineExceeded }
	if _, err := cut(fake(t, "sleeps"), 0, kept); err != context.DeadlineExceeded {
		t.Errorf("a fault that cannot be injected: %v", err)
	}
}

func TestKillsDetectsSpoiledOutputs(t *testing.T) {
	args := func(program string) []string {
		return []string{"-kills", "1", "-jobs", "1", "-seed", "1", "-dir", t.TempDir(), "-cook", program}
	}
	// Whether a kill hits a running cook depends on timing.
	if err := kills(t.Context(), args(fake(t, "cook"))); err != nil && !strings.HasPrefix(err.Error(), "0 kills amid a cook") {
		t.Errorf("cook without changes: %v", err)
	}
	if err := kills(t.Context(), args(fake(t, "spoils"))); err == nil || err.Error() != "1 wrong" {
		t.Errorf("a cook that spoils outputs: %v, want 1 wrong", err)
	}
}
