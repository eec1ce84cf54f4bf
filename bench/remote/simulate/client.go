package main

import (
	"container/heap"
	"math"
	"time"
)

// These constants equal the constants of the real client in cook/internal/remote/share. The constants from
// firstGap on are in cook/internal/execute. TestConstants compares them.
const (
	firstWindow    = 16
	maxWindow      = 8192
	slowdown       = 20 * time.Millisecond
	smallTransfers = 8
	largeTransfers = 4
	mostTransfers  = 64
	mostFlying     = 4 << 20
	smallBatch     = 1 << 20
	atOnce         = 16
	uploaders      = 4
	uploadGroup    = 500
	paceKnown      = 4 << 20 // number of downloaded bytes that make the measured rate reliable

	firstGap = 25 * time.Millisecond // assumed time until the first answer
	silences = 8                     // The server counts as unresponsive after this many gaps without an answer.
	never    = time.Duration(math.MaxInt64)
)

// roundTrips is the number of round trips that opening a connection takes: TCP, HTTP/2 settings,
// and the server's capabilities.
const roundTrips = 3

// recordSize is the approximate size of a look-up's answer in bytes.
const recordSize = 1500

// A link is a machine's connection to the server.
type link struct {
	latency time.Duration // round-trip time
	rate    float64       // bytes per second, in each direction
	request time.Duration // time that an idle server needs per request
}

// A machine has workers that cook assets in parallel.
type machine struct {
	link
	workers int
	cook    time.Duration // time to cook one asset
}

// An item is an asset whose result is looked up.
type item struct {
	size int64
	hit  bool
}

// A transfer is the traffic between a machine and the server in one run.
type transfer struct {
	looked, hits, requests int
	cooked                 int   // items that were not found, or were cooked before their results arrived
	bytes                  int64 // bytes downloaded by sync, or uploaded by upload
	took                   time.Duration
}

// sync simulates a run that looks up items and downloads the results found. Workers cook the items
// without results. An idle worker cooks the item whose answer is expected last.
func (m machine) sync(items []item) transfer {
	s := &syncing{machine: m, items: items, state: make([]itemState, len(items)), size: firstWindow, end: len(items), free: m.workers}
	s.schedule(roundTrips*m.latency, opened)
	s.work()
	for len(s.events) > 0 {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		s.happen(e)
		s.work()
	}
	s.total.looked = len(items)
	return s.total
}

// A syncing is the state of a simulated run.
type syncing struct {
	machine
	items  []item
	state  []itemState
	now    time.Duration
	events events
	total  transfer

	opened                bool // true when the connection to the server is open
	next, size, out, late int  // look-up window: index of the next item, window size, look-ups in flight, and late answers
	fastest               time.Duration
	serverFree, linkFree  time.Duration // times when the server and the link become idle
	small, large          queue

	free       int           // number of idle workers
	came       []int         // items with an answer that no worker has started
	begin, end int           // range of items that have not been started
	answers    int           // number of answers received
	lastAnswer time.Duration // time of the last answer
}

type itemState struct {
	sent    time.Duration // time when the look-up was sent
	begun   bool          // a worker started the item, or the blob arrived first
	done    bool
	settled bool // the outcome is known: the blob arrived, or the item must be cooked
}

// A queue holds items whose blobs must be downloaded.
type queue struct {
	waiting []int
	active  int
	flying  int64 // number of requested bytes that have not arrived yet
}

type kind uint8

const (
	answered kind = iota // a look-up was answered
	arrived              // the blobs of some items arrived
	cooked               // an item was cooked
	opened               // the connection was opened
	later                // a worker has waited long enough for an answer
)

type event struct {
	at    time.Duration
	kind  kind
	items []int
}

// happen applies an event to the state.
func (s *syncing) happen(e event) {
	switch e.kind {
	case answered:
		i := e.items[0]
		s.leave(s.now - s.state[i].sent)
		switch {
		case !s.items[i].hit:
			s.settle(i)
		case s.dear(i):
			s.total.hits++
			s.settle(i)
		default:
			s.total.hits++
			s.want(i)
		}
		s.send()
	case arrived:
		q := s.queueOf(e.items[0])
		q.active--
		for _, i := range e.items {
			q.flying -= s.items[i].size
			s.total.bytes += s.items[i].size
			s.settle(i)
			s.finish(i)
		}
		s.fetch(q)
	case opened:
		s.opened = true
		s.send()
	case cooked:
		if i := e.items[0]; !s.state[i].done { // The item is already done if its blob arrived during cooking.
			s.total.cooked++
			s.finish(i)
		}
	}
}

// settle records that the outcome of an item is known.
func (s *syncing) settle(i int) {
	s.answers++
	s.lastAnswer = s.now
	st := &s.state[i]
	if st.settled = true; !st.begun {
		s.came = append(s.came, i)
	}
}

// finish completes an item, after cooking or after its blob arrived. It frees the worker of the
// item.
func (s *syncing) finish(i int) {
	st := &s.state[i]
	if st.done {
		return
	}
	if st.begun {
		s.free++
	}
	st.begun, st.done = true, true
	s.total.took = s.now
}

// work assigns items to idle workers.
func (s *syncing) work() {
	for s.free > 0 {
		i, ok := s.nextToCook()
		if !ok {
			return
		}
		s.free--
		s.state[i].begun = true
		s.schedule(s.now+s.cook, cooked, i)
	}
}

// nextToCook returns the next item for an idle worker. It returns false if the worker should wait.
func (s *syncing) nextToCook() (i int, ok bool) {
	for len(s.came) > 0 {
		i, s.came = s.came[0], s.came[1:]
		if !s.state[i].begun {
			return i, true
		}
	}
	for s.begin < s.end && s.taken(s.begin) {
		s.begin++
	}
	for s.begin < s.end && s.taken(s.end-1) {
		s.end--
	}
	if s.begin == s.end {
		return 0, false
	}
	gap := time.Duration(firstGap)
	if s.answers > 0 {
		gap = s.lastAnswer / time.Duration(s.answers)
	}
	silence, limit := s.now-s.lastAnswer, silences*max(gap, firstGap)
	switch {
	case silence >= limit:
		return s.begin, true
	case s.cook < max(gap*time.Duration(s.end-s.begin), silence):
		return s.end - 1, true
	}
	s.schedule(max(s.lastAnswer+min(s.cook, limit), s.now+time.Millisecond), later)
	return 0, false
}

// taken reports whether a worker has started the item, or the outcome of the item is known.
func (s *syncing) taken(i int) bool { return s.state[i].begun || s.state[i].settled }

// send sends look-ups while the window has room. It skips items that are done.
func (s *syncing) send() {
	for ; s.out < s.size && s.next < len(s.items); s.next++ {
		if st := &s.state[s.next]; !st.done {
			s.out++
			s.total.requests++
			st.sent = s.now
			s.schedule(s.passes(recordSize, 1), answered, s.next)
		}
	}
}

// leave removes an answered look-up from the window. It adapts the window size to the answer's
// latency, like the real client.
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

// passes returns the arrival time of the answer to a request. It keeps the server and the link busy
// until they have sent the answer.
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

// want queues the blob of an item for download.
func (s *syncing) want(i int) {
	q := s.queueOf(i)
	q.waiting = append(q.waiting, i)
	s.fetch(q)
}

// fetch starts downloads until the limit of parallel downloads is reached.
func (s *syncing) fetch(q *queue) {
	for len(q.waiting) > 0 {
		if s.state[q.waiting[0]].done { // The item was cooked first, so its blob is not needed.
			q.waiting = q.waiting[1:]
			continue
		}
		n, bytes := 1, s.items[q.waiting[0]].size
		few := q.active < mostTransfers && q.flying+bytes <= mostFlying
		if q == &s.small && q.active >= smallTransfers || q == &s.large && q.active >= largeTransfers && !few {
			return
		}
		for q == &s.small && n < len(q.waiting) && bytes+s.items[q.waiting[n]].size <= smallBatch {
			bytes += s.items[q.waiting[n]].size
			n++
		}
		q.active++
		q.flying += bytes
		s.total.requests++
		s.schedule(s.passes(bytes, 1), arrived, q.waiting[:n:n]...)
		q.waiting = q.waiting[n:]
	}
}

// dear reports whether an item probably takes longer to download than to cook.
func (s *syncing) dear(i int) bool {
	return s.total.bytes >= paceKnown && seconds(float64(s.items[i].size)/s.rate) > s.cook
}

// events is a heap of events, ordered by time.
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

// upload simulates a machine that cooks items and uploads them, because the server does not have
// them. It looks up and sends the cooked items in batches, then writes a result for each item.
func (m machine) upload(sizes []int64) transfer {
	t := transfer{}
	var free [uploaders]time.Duration
	ready := func(k int) time.Duration { // Cooking times are spread, so that the workers do not finish simultaneously.
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
		requests, inBatch := 1, int64(0)
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
		trips := requests + (n+atOnce-1)/atOnce
		requests += n
		t.requests += requests
		free[u] = max(now+time.Duration(trips)*m.latency+time.Duration(requests)*m.request, linkFree)
		t.took = max(t.took, free[u])
		k += n
	}
	return t
}
