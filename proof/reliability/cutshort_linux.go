package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// forgetOutputs makes the next run a first cook, half of the time without a store.
func (s *scene) forgetOutputs() error {
	s.note("no outputs")
	err := empty(s.out)
	if s.rng.IntN(2) == 0 {
		err = errors.Join(err, os.RemoveAll(s.store))
	}
	return sceneError(err)
}

// cookBefore cooks without faults, and returns how long that took.
func (s *scene) cookBefore(ctx context.Context, more ...string) (time.Duration, error) {
	end, err := s.run(ctx, more...)
	if err == nil && (end.code > 1 || end.code < 0) {
		err = fmt.Errorf("exit %d without a fault: %s", end.code, end.stderr)
	}
	return end.took, err
}

// part returns a random time, at most a third longer than a run takes.
func (s *scene) part(took time.Duration) time.Duration {
	return time.Duration(s.rng.Int64N(int64(took + took/3)))
}

// runAndKill starts the command, waits, injects a fault by calling harm, if that is not nil, and
// kills the command with SIGKILL. amid reports whether the command was still running. A command
// that ends before the fault must exit with 0 or 1.
func (s *scene) runAndKill(ctx context.Context, wait time.Duration, harm func(kill func()) error, more ...string) (amid bool, err error) {
	var text strings.Builder
	cmd := s.command(ctx, more...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return false, sceneError(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	kill := func() { cmd.Process.Kill() }
	unharmed := func() error {
		if code := cmd.ProcessState.ExitCode(); !killed(cmd) && code != 0 && code != 1 {
			return fmt.Errorf("exit %d without a fault: %s", code, text.String())
		}
		return nil
	}

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		amid = true
	case <-ended:
		if err := unharmed(); err != nil {
			return false, err
		}
		<-timer.C
	}
	if harm != nil {
		err = harm(kill)
	}
	kill()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		return false, sceneError(errors.Join(err, errors.New("cook cannot be killed")))
	}
	s.note("fault after %s; cook %s; it printed: %s", wait, cmd.ProcessState, text.String())
	amid = amid && !cmd.ProcessState.Success()
	if harm == nil {
		amid = killed(cmd)
		err = unharmed()
	}
	return amid, err
}

// killed reports whether SIGKILL has ended a command. Wait must have returned.
func killed(cmd *exec.Cmd) bool { return endedBy(cmd, syscall.SIGKILL) }
