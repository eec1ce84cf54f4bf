//go:build unix

package main

import (
	"syscall"
	"testing"
)

func TestInterruptEndsContext(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, i := interruptible()
		i.listen()
		i.listen() // as the clock does once more
		if err := ctx.Err(); err != nil {
			t.Fatalf("%v: before the signal: %v", sig, err)
		}
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
	}
}

func TestListensBeforeWork(t *testing.T) {
	heard := 0
	w := workWatch{listen: func() { heard++ }}
	w.Planned(0, 0)
	if heard != 0 {
		t.Error("listens without work")
	}
	w.Planned(1, 0)
	if heard != 1 {
		t.Error("does not listen before work")
	}
}
