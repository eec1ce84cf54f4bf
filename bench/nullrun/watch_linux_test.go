package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnswersWaitsForTheSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- answers(t.Context(), filepath.Join(dir, "socket"), make(chan error)) }()
	t.Chdir(dir)
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAnswersGivesUp(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	crash := errors.New("exit status 1")
	ended := make(chan error, 1)
	ended <- crash
	if err := answers(t.Context(), socket, ended); !errors.Is(err, crash) {
		t.Errorf("a watcher that ended: %v", err)
	}
	if len(ended) != 1 {
		t.Error("stopping the watcher would block forever")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := answers(ctx, socket, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
}
