package memory

import (
	"fmt"
	"io"
	"testing"
)

// fixture holds a tracker with two pools, and a worker in a scope.
type fixture struct {
	*Tracker
	images, files *Pool
	w             *Worker
}

func newFixture(o Options) fixture {
	t := New(o)
	return fixture{t, t.Group("images", GroupOptions{}).Pool("pixels", PoolOptions{}), t.Group("files", GroupOptions{}).Pool("content", PoolOptions{}), t.Worker("w").Push("a.png").Push("decode")}
}

const culprit = "images/pixels by w in a.png;decode"

func TestBytesHasTheRequestedSize(t *testing.T) {
	f := newFixture(Options{})
	zeroed := f.Group("zeros", GroupOptions{}).Pool("p", PoolOptions{Zeroed: true})
	for _, n := range []int{0, 1, 63, 64, 65, 1000, 4096, mapFrom - 1, mapFrom, mapFrom + 1, 3 << 20} {
		for name, p := range map[string]*Pool{"any": f.images, "zeroed": zeroed} {
			for range 2 { // The memory is new the first time, and reused the second time.
				b := p.Bytes(f.w, n)
				if len(b) != n || cap(b) < n {
					t.Errorf("%s(%d) has %d bytes of %d", name, n, len(b), cap(b))
				}
				for i := range b {
					if b[i] != 0 && name == "zeroed" {
						t.Fatalf("zeroed(%d): byte %d is %#x", n, i, b[i])
					}
					b[i] = 0xEE
				}
				if got := p.group.Bytes(); got != int64(n) {
					t.Errorf("%s(%d) is entered as %d bytes", name, n, got)
				}
				p.Free(nil, b)
			}
		}
	}
	if s := f.Snapshot(); s.Held != s.Warm || s.Rows[0].Bytes != 0 || s.Rows[0].Count != 0 {
		t.Errorf("after everything was freed: %+v", s)
	}
}

func TestLiveSlicesDoNotOverlap(t *testing.T) {
	f := newFixture(Options{})
	var all [][]byte
	for i := range 200 {
		b := f.images.Bytes(f.w, 1+i%4*100) // The sizes repeat, so memory is reused.
		for j := range b {
			b[j] = byte(i)
		}
		all = append(all, b)
		if i%3 == 0 {
			f.images.Free(nil, all[i/2])
			all[i/2] = nil
		}
	}
	for i, b := range all {
		for j := range b {
			if b[j] != byte(i) {
				t.Fatalf("byte %d of slice %d was overwritten with %d", j, i, b[j])
			}
		}
	}
}

func TestNilWorksPlainly(t *testing.T) {
	var tracker *Tracker
	w, g := tracker.Worker("w"), tracker.Group("g", GroupOptions{Budget: 1})
	p := g.Pool("p", PoolOptions{})
	if w != nil || g != nil || p != nil {
		t.Fatalf("a nil tracker has worker %v, group %v and pool %v", w, g, p)
	}
	defer w.Push("a").Push("b").Pop()
	b := p.Bytes(w, 100)
	if len(b) != 100 || len(p.Bytes(w, 7)) != 7 {
		t.Errorf("a nil pool gave %d bytes, want 100", len(b))
	}
	p.Free(nil, b)
	a := g.Grow(w, 100)
	a.Shrink()
	tracker.Trim()
	if s := tracker.Snapshot(); len(s.Rows)+len(s.Groups) != 0 || g.Bytes() != 0 || p.label() != "" {
		t.Errorf("a nil tracker knows %+v", s)
	}
	if n := testing.AllocsPerRun(100, func() { w.Push("a").Pop(); a := g.Grow(w, 1); a.Shrink() }); n != 0 {
		t.Errorf("%v allocations per scope and account of nil, want 0", n)
	}
	New(Options{}).Group("g", GroupOptions{}).Pool("p", PoolOptions{}).Bytes(nil, 1) // The pool is not nil, but its worker is.
}

func TestMisusePanics(t *testing.T) {
	f := newFixture(Options{})
	for _, tt := range []struct {
		name string
		want string
		do   func(b []byte)
	}{
		{"another pool's", "files/content;100 bytes;" + culprit, func(b []byte) { f.files.Free(nil, b) }},
		{"part", "10 bytes after;" + culprit, func(b []byte) { f.images.Free(nil, b[10:]) }},
		{"made", "does not belong to a pool", func(b []byte) { f.images.Free(nil, make([]byte, 100)) }},
		{"another tracker's", "does not belong to a pool", func(b []byte) { f.images.Free(nil, newFixture(Options{}).images.Bytes(nil, 100)) }},
		{"negative", "images/pixels;negative", func(b []byte) { f.images.Bytes(f.w, -1) }},
		{"negative of nil", "negative", func(b []byte) { (*Pool)(nil).Bytes(f.w, -1) }},
		{"negative account", "negative", func(b []byte) { f.images.group.Grow(f.w, -1) }},
		{"another tracker's worker", "images/pixels;worker", func(b []byte) { f.images.Bytes(New(Options{}).Worker("w"), 1) }},
	} {
		b := f.images.Bytes(f.w, 100)
		wantPanic(t, tt.want, func() { tt.do(b) })
		if got := f.images.group.Bytes(); got != 100 {
			t.Errorf("%s: %d bytes are held afterwards, want 100", tt.name, got)
		}
		f.images.Free(nil, b) // Free must still be possible.
	}
	f.images.Free(nil, nil)
	wantPanic(t, "Live is -1", func() { New(Options{Live: -1}) })
	wantPanic(t, "Scopes", func() { New(Options{Scopes: maxScopes + 1}) })
}

// The second Free must panic while the memory is kept, and also after it was released.
func TestSecondFreePanics(t *testing.T) {
	for _, keep := range []int64{1 << 30, -1} {
		f := newFixture(Options{Keep: keep})
		for _, n := range []int{100, 1 << 20} {
			b := f.images.Bytes(f.w, n)
			f.images.Free(nil, b[:n/2])
			wantPanic(t, "already freed;"+culprit, func() { f.images.Free(nil, b) })
			if got := f.images.group.Bytes(); got != 0 {
				t.Errorf("%d bytes are held after a second Free", got)
			}
		}
	}
}

func TestExcessSlicesAreUntracked(t *testing.T) {
	f := newFixture(Options{Live: 4})
	var all [][]byte
	for range 6 {
		all = append(all, f.images.Bytes(f.w, 100))
	}
	s := f.Snapshot()
	if s.Untracked != 2 || s.Rows[0].Count != 4 || s.Rows[0].Bytes != 400 {
		t.Errorf("of 6 slices, %d are untracked and %d in the rows with %d bytes; want 2, 4 and 400", s.Untracked, s.Rows[0].Count, s.Rows[0].Bytes)
	}
	for _, b := range all {
		f.images.Free(nil, b)
	}
	// Kept blocks of one size must not prevent the tracking of other sizes.
	for range 4 {
		all = append(all, f.images.Bytes(f.w, 5000))
	}
	if s := f.Snapshot(); s.Untracked != 2 || s.Rows[0].Count != 4 || s.Rows[0].Bytes != 20000 {
		t.Errorf("after everything was freed %d are untracked, and %d bytes in %d tracked; want 2, 20000 in 4", s.Untracked, s.Rows[0].Bytes, s.Rows[0].Count)
	}
}

func TestReleasedMakeRoomInTheTable(t *testing.T) {
	f := newFixture(Options{Live: 2, Keep: -1})
	for i := range 200 {
		small, large := f.images.Bytes(f.w, 100+i), f.images.Bytes(f.w, mapFrom+i)
		f.images.Free(nil, small)
		f.images.Free(nil, large)
	}
	if got := f.Snapshot().Untracked; got != 0 {
		t.Errorf("%d slices are untracked, although no more than 2 were held at a time", got)
	}
}

func TestBudgetCountsCrossings(t *testing.T) {
	tracker := New(Options{})
	g := tracker.Group("g", GroupOptions{Budget: 100})
	p := g.Pool("p", PoolOptions{})
	if tracker.Group("g", GroupOptions{Budget: 7}) != g || g.Pool("p", PoolOptions{}) != p || tracker.Group("h", GroupOptions{}) == g || g.Pool("", PoolOptions{}) != g.account || g.Pool("q", PoolOptions{}) == p {
		t.Error("groups and pools are not identified by their names")
	}
	a, b := g.Grow(nil, 100), Account{}
	for i, tt := range []struct {
		do       func()
		exceeded int64
	}{
		{func() {}, 0},
		{func() { b = g.Grow(nil, 1) }, 1},
		{func() { g.Grow(nil, 50) }, 1}, // The group already exceeds its budget.
		{func() { a.Shrink() }, 1},
		{func() { a.Shrink() }, 1}, // The account is empty, so nothing shrinks.
		{func() { a = g.Grow(nil, 49) }, 1},
		{func() { b.Shrink(); b = g.Grow(nil, 2) }, 2},
	} {
		tt.do()
		if got := tracker.Snapshot().Groups[0]; got.Exceeded != tt.exceeded || got.Budget != 100 {
			t.Errorf("step %d: exceeded %d times a budget of %d, want %d of 100", i, got.Exceeded, got.Budget, tt.exceeded)
		}
	}
	if g.Bytes() != 101 || g.held.peak.Load() != 151 {
		t.Errorf("%d bytes, at most %d, want 101 and 151", g.Bytes(), g.held.peak.Load())
	}
}

func TestLimitsOfNames(t *testing.T) {
	tracker := New(Options{})
	for i := range maxGroups {
		tracker.Group(fmt.Sprint(i), GroupOptions{})
	}
	wantPanic(t, "group \"x\"", func() { tracker.Group("x", GroupOptions{}) })
	g := tracker.Group("0", GroupOptions{})
	for i := range maxPools - maxGroups {
		g.Pool(fmt.Sprint(i), PoolOptions{})
	}
	wantPanic(t, "pool 0/x", func() { g.Pool("x", PoolOptions{}) })
	g.Pool("0", PoolOptions{}).Bytes(nil, 1) // The tracker must still work.
	if err := tracker.Snapshot().WriteCSV(io.Discard); err != nil {
		t.Error(err)
	}
}

// Five pools are more than a scope's cache of recent rows can hold.
func TestManyPoolsInOneScope(t *testing.T) {
	tracker := New(Options{})
	g, w := tracker.Group("g", GroupOptions{}), tracker.Worker("w").Push("a")
	for range 3 {
		for i := range 9 {
			g.Pool(fmt.Sprint(i), PoolOptions{}).Bytes(w, i)
		}
	}
	for i, r := range tracker.Snapshot().Rows {
		if r.Name != fmt.Sprint(i) || r.Count != 3 || r.Bytes != int64(3*i) {
			t.Errorf("row %d is %+v", i, r)
		}
	}
}
