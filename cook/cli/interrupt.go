package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// deafFor is how long a run without work leaves interrupts to the system, which ends
// the process at once. It is shorter than the time that a person needs to press a key.
const deafFor = 10 * time.Millisecond

// An interrupt is Ctrl-C, a SIGTERM, or a terminal that is closed. The first one ends
// the context, the second one the process, at any instant: ARCHITECTURE.md says why that
// is safe. The first one asks the programs that recipes run to end; on Linux, the second
// one kills them with the process.
//
// Listening takes two more threads and about a tenth of the time of a no-op run. So it
// begins when there is work, or when the run takes longer than that.
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
			// The parent process may want one ignored, as nohup does.
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
	cook.Observers // ignores what is not overridden
	listen         func()
}

func (w workWatch) Planned(assets int, _ time.Duration) {
	if assets > 0 {
		w.listen()
	}
}
