package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/report"
)

// deafFor is how long a run that has no work yet leaves interrupts to the system,
// which ends the process at once: sooner than anybody can press a key.
const deafFor = 10 * time.Millisecond

// An interrupt is the wish of the user or the system that the command ends: Ctrl-C,
// a SIGTERM, or a terminal that is closed. The first one ends the context, the
// second one the process, whatever it is at: any instant is as good for that as
// another, see ARCHITECTURE.md. The programs that recipes run are asked to end by
// the first; they die with the process at the second, on Linux.
//
// To listen takes two more threads and about a tenth of the time of a run that
// finds nothing to do. So it begins when there is work, or when the run is not
// that short.
type interrupt struct {
	cancel context.CancelFunc
	once   sync.Once
}

// interruptible returns a context that interrupts end once listen was called, by
// the caller or by the clock.
func interruptible() (context.Context, *interrupt) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupt{cancel: cancel}
	time.AfterFunc(deafFor, i.listen)
	return ctx, i
}

// listen returns when interrupts are heard.
func (i *interrupt) listen() {
	i.once.Do(func() {
		came := make(chan os.Signal, 2) // one may come before the other is dealt with
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// Whoever started us may want one ignored, as nohup does.
			if !signal.Ignored(sig) {
				signal.Notify(came, sig)
			}
		}
		go func() {
			<-came
			i.cancel()
			<-came
			os.Exit(exitInterrupted)
		}()
	})
}

// A workWatch listens before the first asset is worked on.
type workWatch struct {
	report.Multi // does nothing for what is not watched
	listen       func()
}

func (w workWatch) Planned(assets int, _ time.Duration) {
	if assets > 0 {
		w.listen()
	}
}
