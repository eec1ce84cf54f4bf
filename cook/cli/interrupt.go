package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
)

// deafFor is how long a run without work leaves interrupts to the system, which ends the process at
// once. A person needs longer to press a key.
const deafFor = 10 * time.Millisecond

// An interrupt is Ctrl-C, a SIGTERM, or a closed terminal. The first interrupt ends the context, and
// asks the programs that recipes run to end. The second interrupt ends the process, at any instant:
// ARCHITECTURE.md says why that is safe. On Linux it also kills the programs.
//
// Listening takes two more threads and about a tenth of the time of a no-op run. So it begins when
// there is work, or when the run takes longer than deafFor.
type interrupt struct {
	cancel context.CancelFunc
	once   sync.Once
}

// interruptible returns a context that interrupts end. They are heard once the caller or the clock
// has called listen.
func interruptible() (context.Context, *interrupt) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupt{cancel: cancel}
	time.AfterFunc(deafFor, i.listen)
	return ctx, i
}

// listen begins to hear interrupts.
func (i *interrupt) listen() {
	i.once.Do(func() {
		came := make(chan os.Signal, 2) // a second one may come before the first is handled
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// The parent process may want a signal ignored, as nohup does.
			if !signal.Ignored(sig) {
				signal.Notify(came, sig)
			}
		}
		go func() {
			<-came
			i.cancel()
			<-came
			os.Exit(frontend.Interrupted)
		}()
	})
}
