//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

func TestLastLineReportsFirstError(t *testing.T) {
	broken := errors.New("broken")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		err   error
		wrong int64
		times int64
		want  string
	}{
		{t.Context(), nil, 0, 1, ""},
		{t.Context(), nil, 0, 0, "0 faults, so nothing was tested; run more rounds, or find out why"},
		{t.Context(), nil, 2, 1, "2 wrong"},
		{gone, nil, 2, 1, "2 wrong"},
		{gone, nil, 0, 1, "context canceled"},
		{t.Context(), broken, 2, 1, "broken"},
	} {
		r := testRounds(t, "")
		r.wrong.Store(c.wrong)
		got := ""
		if err := r.printLastLine(c.ctx, c.err, "1 round", c.times, "faults"); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v, %d wrong, %d times: %q, want %q", c.err, c.wrong, c.times, got, c.want)
		}
	}
}

func TestEachPlaysAllRoundsAndCountsFailures(t *testing.T) {
	r := testRounds(t, "")
	r.count, r.jobs = 10, 3
	var begun, ended, played atomic.Int64
	play := func(fails func(n int64) error) error {
		begun.Store(0)
		ended.Store(0)
		played.Store(0)
		r.next.Store(0)
		r.done.Store(0)
		r.wrong.Store(0)
		return r.playAllRounds(t.Context(), func(_ context.Context, n int) (job, error) {
			begun.Add(1)
			s := r.newJobScene(r.dir, uint64(n))
			return job{
				scenes: []*scene{s},
				round:  func(context.Context) error { return fails(played.Add(1)) },
				end:    func() { ended.Add(1) },
			}, nil
		})
	}
	output := filepath.Join(r.dir, "cooked", "x")
	s := scene{}
	if err := s.write(output, nil); err != nil {
		t.Fatal(err)
	}

	if err := play(func(int64) error { return nil }); err != nil || r.done.Load() != 10 || played.Load() != 10 || begun.Load() != 3 || ended.Load() != 3 {
		t.Errorf("all well: %v, %d done, %d played, %d begun, %d ended", err, r.done.Load(), played.Load(), begun.Load(), ended.Load())
	}
	if _, err := os.Stat(output); err != nil {
		t.Errorf("all well: %v", err)
	}
	err := play(func(n int64) error {
		if n%2 == 0 {
			return errors.New("stale")
		}
		return nil
	})
	if err != nil || r.done.Load() != 10 || r.wrong.Load() != 5 {
		t.Errorf("half of them wrong: %v, %d done, %d wrong", err, r.done.Load(), r.wrong.Load())
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("the outputs of a failed round were not removed")
	}
	err = play(func(int64) error { return sceneError(errors.New("no loop device")) })
	if !errors.Is(err, errScene) || played.Load() != 3 || r.wrong.Load() != 0 || ended.Load() != 3 {
		t.Errorf("no scene: %v, %d played, %d wrong, %d ended", err, played.Load(), r.wrong.Load(), ended.Load())
	}
}
