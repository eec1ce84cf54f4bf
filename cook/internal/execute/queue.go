package execute

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/remote/broker"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A queue is a schedule that workers share. It is a broker.Queue.
type queue struct {
	mu       sync.Mutex
	more     sync.Cond // signals a ready action, or the end of the run
	schedule schedule
	remote   Remote       // nil without a server
	atWork   int          // number of actions that workers are carrying out
	idle     int          // number of workers that wait for answers of the server
	begun    map[int]bool // actions that have been reported as started, so that a second start is not reported
	ask      bool         // if set, bundles ignore the requests that they made in the last run
	stopped  atomic.Bool  // set if no new action may begin
	away     away
	dryRun   bool
	// endWaiting ends an action that waits although no other action can run. The parameter question
	// is what the action waits for, or nil if the run ended early.
	endWaiting func(i int, question *dependency.Dependency)
}

// away counts workers and actions, to decide which actions other machines get.
type away struct {
	atWork int           // number of actions that other machines are carrying out
	local  int           // number of workers that cook on this machine
	idle   chan struct{} // closed when no action is left to begin
}

func newQueue(dryRun bool, endWaiting func(i int, question *dependency.Dependency)) *queue {
	q := &queue{begun: map[int]bool{}, dryRun: dryRun, endWaiting: endWaiting}
	q.more.L = &q.mu
	return q
}

// Lock locks the queue.
func (q *queue) Lock() { q.mu.Lock() }

// Unlock unlocks the queue.
func (q *queue) Unlock() { q.mu.Unlock() }

// Push makes an action ready. The queue must be locked.
func (q *queue) Push(i int) { q.schedule.pushReady(i) }

// Wake makes all workers check the queue again. The queue must be locked.
func (q *queue) Wake() { q.more.Broadcast() }

// wakeAll is like Wake, for a queue that is not locked.
func (q *queue) wakeAll() {
	q.mu.Lock() // no worker holds the lock between its check and its wait
	defer q.mu.Unlock()
	q.more.Broadcast()
}

// remainingActions returns the number of actions that can begin now or wait for an answer.
func (q *queue) remainingActions() int {
	if q.remote == nil {
		return len(q.schedule.ready)
	}
	return len(q.schedule.ready) + q.remote.Pending()
}

// mayLead reports whether an action that runs now may make other actions ready when it ends.
func (q *queue) mayLead() bool {
	return q.schedule.settled != nil || q.remote != nil && q.remote.Reads()
}

// nextAction returns the next action to begin. It waits as long as another action may become ready.
func (q *queue) nextAction(ctx context.Context) (i int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if i, ok := q.schedule.takeReady(); ok {
			return q.beginAction(i), true
		}
		switch {
		case q.remote != nil && q.remote.Pending() > 0:
			i, wait, ok := q.remote.Next(q.idle, ctx.Err() != nil || q.stopped.Load())
			if ok {
				return q.beginAction(i), true
			}
			q.waitAtMost(wait)
		case q.atWork > 0 && q.mayLead():
			q.more.Wait()
		case len(q.schedule.waits) > 0:
			q.unblock(ctx)
			q.more.Broadcast()
		default:
			return 0, false
		}
	}
}

// beginAction counts an action that begins.
func (q *queue) beginAction(i int) int {
	q.atWork++
	if q.away.idle != nil && q.remainingActions() == 0 {
		select {
		case <-q.away.idle:
		default:
			close(q.away.idle)
		}
	}
	return i
}

// waitAtMost waits until an action may be ready, but no longer than the time limit.
func (q *queue) waitAtMost(wait time.Duration) {
	if wait < broker.Forever {
		timer := time.AfterFunc(wait, q.wakeAll)
		defer timer.Stop()
	}
	q.idle++
	q.more.Wait()
	q.idle--
}

// nextToLeave returns an action to send to another machine, and waits for one if necessary. It
// keeps one action for each idle local worker.
func (q *queue) nextToLeave(ctx context.Context, to *broker.Machines) (i int, ok bool) {
	const most = 64 // number of actions to examine, the longest first
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		moreToCome := q.remainingActions() > 0 || q.atWork > 0 && q.mayLead() || len(q.schedule.waits) > 0
		if !moreToCome || ctx.Err() != nil || q.stopped.Load() || to.NoneLeaves() {
			return 0, false
		}
		if to.Always() || q.remainingActions() > q.away.local-(q.atWork-q.away.atWork) {
			ready := q.schedule.ready
			for n, i := range ready[:min(most, len(ready))] {
				if to.Take(i) {
					q.schedule.ready = slices.Delete(ready, n, n+1)
					q.away.atWork++
					return q.beginAction(i), true
				}
			}
		}
		q.more.Wait()
	}
}

// cameBack counts an action that has returned from another machine.
func (q *queue) cameBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.away.atWork--
}

// leaveQueue records that an action has ended or waits.
func (q *queue) leaveQueue(i int, on *artifacts.Wait, how Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	switch {
	case on != nil:
		q.schedule.waitForOthers(i, on.Question, on.On)
	case how != NotReached: // NotReached means that the run ended early, so bundles must not start
		q.schedule.markSettled(i)
	}
	q.more.Broadcast()
}

// leaveAsked records that an action waits for the server's answer.
func (q *queue) leaveAsked() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	q.more.Broadcast()
}

// startsAgain reports whether an action has begun before.
func (q *queue) startsAgain(i int) (again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	again = q.begun[i]
	q.begun[i] = true
	return again
}

// unblock ends the waiting of all bundles when no other action can run. After the first call,
// bundles wait for their current requests instead of the requests in the last run. After the second
// call they fail, because they wait for each other in a cycle.
func (q *queue) unblock(ctx context.Context) {
	ended := ctx.Err() != nil || q.stopped.Load()
	askNow := !q.ask && !q.dryRun
	waits := q.schedule.giveUpWaiting()
	for _, i := range slices.Sorted(maps.Keys(waits)) {
		switch {
		case ended:
			q.endWaiting(i, nil)
		case askNow:
			q.schedule.pushReady(i)
		default:
			question := waits[i].question
			q.endWaiting(i, &question)
		}
	}
	q.ask = true
}
