package main

import (
	"container/heap"
	"time"
)

// What a client does, as in cook/internal/remote/share; TestConstants compares them.
const (
	firstWindow    = 16
	maxWindow      = 8192
	slowdown       = 20 * time.Millisecond
	smallTransfers = 8
	largeTransfers = 4
	smallBatch     = 1 << 20
	uploaders      = 4
	uploadGroup    = 100

	runPatience = time.Second            // patience of cook/internal/remote: how long a run waits beyond what cooking takes, in all
	patience    = 200 * time.Millisecond // until questions no longer wait for the server to open
	paceKnown   = 4 << 20                // bytes after which the client knows what downloading takes
)

// roundTrips are what it takes to open a connection: TCP, settings of HTTP/2, and what the
// server can do.
const roundTrips = 3

// recordSize is what an answer to a look-up takes, about.
const recordSize = 1500

// A link is the way from a machine to the server.
type link struct {
	latency time.Duration // both ways together
	rate    float64       // bytes a second, in each direction
	request time.Duration // that the server spends on one, when it is not shared
}

// A machine is one that cooks.
type machine struct {
	link
	workers int
	cook    time.Duration // what an asset takes
}

// An item is an asset whose result is looked for.
type item struct {
	size int64
	hit  bool
	// fresh says that there is nothing of it in the output folder: its blob is fetched as soon
	// as it is found, and not only when its turn comes.
	fresh bool
}

// A transfer is what passed between a machine and the server in one run.
type transfer struct {
	looked, hits, requests int
	cooked                 int   // of what was found: it would have taken longer to wait for
	bytes                  int64 // down for a sync, up for an upload
	took                   time.Duration
}

// sync is a run that looks for items and takes what it finds.
func (m machine) sync(items []item) transfer {
	s := &syncing{machine: m, items: items, state: make([]itemState, len(items)), size: firstWindow, left: runPatience}
	s.openAt = roundTrips * m.latency
	s.schedule(s.openAt, opened)
	for range min(m.workers, len(items)) {
		s.step()
	}
	for len(s.events) > 0 {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		s.happen(e)
	}
	s.total.looked = len(items)
	s.total.requests += len(items)
	return s.total
}

// A syncing is the state of a run, as events change it.
type syncing struct {
	machine
	items  []item
	state  []itemState
	now    time.Duration
	events events
	total  transfer

	next, size, out, late int // of the window
	fastest               time.Duration
	left                  time.Duration // of the run's patience
	openAt                time.Duration // when the server is
	turn                  int           // the next item that a worker takes
	serverFree, linkFree  time.Duration // when they are
	small, large          queue
}

type itemState struct {
	sent                      time.Duration // when it was looked for
	since, until              time.Duration // a worker waits
	answered, wanted, fetched bool
	awaited                   bool // by a worker
}

// A queue is of items whose blobs are wanted.
type queue struct {
	waiting []int
	active  int
}

type kind uint8

const (
	answered  kind = iota // a look-up
	arrived               // the blobs of some items
	cooked                // an item that was not found, or was not waited for
	impatient             // a worker has waited for an item for long
	opened                // the server
)

type event struct {
	at    time.Duration
	kind  kind
	items []int
}

// happen changes the state as an event does.
func (s *syncing) happen(e event) {
	switch e.kind {
	case answered:
		i := e.items[0]
		s.leave(s.now - s.state[i].sent)
		s.state[i].answered = true
		if s.items[i].hit {
			s.total.hits++
			if s.items[i].fresh && !s.dear(i) {
				s.want(i)
			}
		}
		s.send()
		s.wake(i)
	case arrived:
		q := s.queueOf(e.items[0])
		q.active--
		for _, i := range e.items {
			s.state[i].fetched = true
			s.total.bytes += s.items[i].size
		}
		s.fetch(q)
		for _, i := range e.items {
			s.wake(i)
		}
	case opened:
		s.send()
	case cooked:
		s.step()
	case impatient:
		if st := &s.state[e.items[0]]; st.awaited && st.until == s.now {
			st.awaited = false
			s.left -= min(s.left, max(0, s.now-st.since-s.cook))
			s.cookIt()
		}
	}
}

// send sends look-ups while there is room in the window.
func (s *syncing) send() {
	for ; s.out < s.size && s.next < len(s.items); s.next++ {
		s.out++
		s.state[s.next].sent = s.now
		s.schedule(s.passes(recordSize, 1), answered, s.next)
	}
}

// leave is what the client's window does with an answer.
func (s *syncing) leave(took time.Duration) {
	s.out--
	if s.fastest == 0 || took < s.fastest {
		s.fastest = took
	}
	s.late++
	switch {
	case took <= 2*s.fastest+slowdown:
		s.size, s.late = min(s.size+1, maxWindow), 0
	case s.late >= s.size:
		s.size, s.late = max(s.size/2, firstWindow), 0
	}
}

// passes returns when the answer to a request is here.
func (s *syncing) passes(bytes int64, requests int) time.Duration {
	s.serverFree = max(s.serverFree, s.now+s.latency/2) + time.Duration(requests)*s.request
	s.linkFree = max(s.linkFree, s.serverFree) + seconds(float64(bytes)/s.rate)
	return s.linkFree + s.latency/2
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (s *syncing) schedule(at time.Duration, k kind, items ...int) {
	heap.Push(&s.events, event{at, k, items})
}

func (s *syncing) queueOf(i int) *queue {
	if s.items[i].size <= smallBatch/4 {
		return &s.small
	}
	return &s.large
}

// want asks for the blob of an item.
func (s *syncing) want(i int) {
	if s.state[i].wanted {
		return
	}
	s.state[i].wanted = true
	q := s.queueOf(i)
	q.waiting = append(q.waiting, i)
	s.fetch(q)
}

// fetch begins transfers while there may be more.
func (s *syncing) fetch(q *queue) {
	most := largeTransfers
	if q == &s.small {
		most = smallTransfers
	}
	for q.active < most && len(q.waiting) > 0 {
		n, bytes := 1, s.items[q.waiting[0]].size
		for q == &s.small && n < len(q.waiting) && bytes+s.items[q.waiting[n]].size <= smallBatch {
			bytes += s.items[q.waiting[n]].size
			n++
		}
		q.active++
		s.total.requests++
		s.schedule(s.passes(bytes, 1), arrived, q.waiting[:n:n]...)
		q.waiting = q.waiting[n:]
	}
}

// wake has the worker that waits for an item go on.
func (s *syncing) wake(i int) {
	if st := &s.state[i]; st.awaited {
		st.awaited = false
		s.left -= min(s.left, max(0, s.now-st.since-s.cook))
		s.work(i)
	}
}

// step has a worker take the next item.
func (s *syncing) step() {
	s.total.took = s.now
	if s.turn < len(s.items) {
		s.turn++
		s.work(s.turn - 1)
	}
}

// work goes on with an item as far as it can.
func (s *syncing) work(i int) {
	switch st := &s.state[i]; {
	case s.now < s.openAt && s.now >= patience:
		s.cookIt()
	case !st.answered:
		s.wait(i)
	case !s.items[i].hit:
		s.cookIt()
	case !st.fetched && !st.wanted && s.dear(i):
		s.cookIt()
	case !st.fetched:
		s.wait(i)
		s.want(i)
	default:
		s.step()
	}
}

// wait has a worker wait for an item, no longer than cooking takes and what patience is left.
func (s *syncing) wait(i int) {
	st := &s.state[i]
	st.awaited, st.since, st.until = true, s.now, s.now+s.cook+s.left
	if s.now < s.openAt && s.openAt > patience {
		st.until = min(st.until, patience)
	}
	s.schedule(st.until, impatient, i)
}

// cookIt has a worker cook what was not found, or could not be waited for.
func (s *syncing) cookIt() {
	s.total.cooked++
	s.schedule(s.now+s.cook, cooked)
}

// dear reports whether downloading an item takes longer than cooking it, as far as is known.
func (s *syncing) dear(i int) bool {
	return s.total.bytes >= paceKnown && seconds(float64(s.items[i].size)/s.rate) > s.cook
}

// events are a heap by time.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// upload is what a machine gives while it cooks items that the server has not: groups of what
// has been cooked, each looked for, sent in batches, and then named by a result each.
func (m machine) upload(sizes []int64) transfer {
	t := transfer{}
	var free [uploaders]time.Duration
	ready := func(k int) time.Duration { // workers do not finish at the same time
		return m.cook + time.Duration(k)*m.cook/time.Duration(m.workers)
	}
	linkFree := time.Duration(0)
	for k := 0; k < len(sizes); {
		u := 0
		for i := range free {
			if free[i] < free[u] {
				u = i
			}
		}
		now := max(free[u], ready(k), roundTrips*m.latency)
		n := 1
		for n < uploadGroup && k+n < len(sizes) && ready(k+n) <= now {
			n++
		}
		requests, inBatch := 1, int64(0) // what is missing
		for _, size := range sizes[k : k+n] {
			t.bytes += size
			linkFree = max(linkFree, now) + seconds(float64(size)/m.rate)
			switch {
			case size > smallBatch/4:
				requests++
			case inBatch == 0 || inBatch+size > smallBatch:
				requests++
				inBatch = size
			default:
				inBatch += size
			}
		}
		requests += n // results
		t.requests += requests
		free[u] = max(now+time.Duration(requests)*(m.latency+m.request), linkFree)
		t.took = max(t.took, free[u])
		k += n
	}
	return t
}
