package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestConstants(t *testing.T) {
	files, err := filepath.Glob("../../../cook/internal/remote/share/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	arrivals, err := os.ReadFile("../../../cook/internal/remote/broker/pending_lookups.go")
	if err != nil {
		t.Fatal(err)
	}
	source = append(source, arrivals...)
	if !strings.Contains(string(source), "const enough = 4 << 20\n") || paceKnown != 4<<20 {
		t.Error("the client knows its rate after a different number of bytes")
	}
	for name, want := range map[string]int64{
		"firstWindow": firstWindow, "maxWindow": maxWindow, "slowdown": int64(slowdown), "smallTransfers": smallTransfers,
		"largeTransfers": largeTransfers, "smallBatch": smallBatch, "uploaders": uploaders, "uploadGroup": uploadGroup,
		"mostTransfers": mostTransfers, "mostFlying": mostFlying, "firstGap": int64(firstGap), "silentGaps": silences,
	} {
		m := regexp.MustCompile(`(?m)^\t` + name + ` += (.*?)(?: //.*)?$`).FindSubmatch(source)
		if m == nil {
			t.Errorf("the client has no %s", name)
			continue
		}
		value := regexp.MustCompile(`time\.Millisecond`).ReplaceAllString(string(m[1]), fmt.Sprint(int64(time.Millisecond)))
		got, err := types.Eval(token.NewFileSet(), nil, token.NoPos, value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, ok := constant.Int64Val(got.Value); !ok || n != want {
			t.Errorf("%s is %s, but %d in the simulation", name, m[1], want)
		}
	}
}

// TestCookingRacesDownloads expects that a run never waits longer than cooking takes, and does not
// download items that can be cooked faster. Workers must not be idle while there is work.
func TestCookingRacesDownloads(t *testing.T) {
	slow := machine{link: link{latency: 5 * time.Second, rate: 1e9}, workers: 4, cook: 100 * time.Millisecond}
	items := make([]item, 40)
	for i := range items {
		items[i] = item{size: 1000, hit: true}
	}
	if got := slow.sync(items); got.cooked != 40 || got.took > 11*slow.cook+silences*firstGap {
		t.Errorf("%+v", got)
	}
	slow.latency = 20 * time.Millisecond
	if got := slow.sync(items); got.cooked > 8 || got.hits < 32 || got.took > 3*slow.cook {
		t.Errorf("%+v", got)
	}
	narrow := machine{link: link{latency: time.Millisecond, rate: 1e7}, workers: 4, cook: 50 * time.Millisecond}
	for i := range items {
		items[i].size = 1 << 20
	}
	if got := narrow.sync(items); got.cooked < 20 || got.took > 40*narrow.cook/4+narrow.cook {
		t.Errorf("%+v", got)
	}
}

func TestSync(t *testing.T) {
	m := machine{link: link{latency: 60 * time.Millisecond, rate: 1e12}, workers: 8, cook: time.Hour}
	items := make([]item, 100_000)
	for i := range items {
		items[i] = item{size: 1000, hit: true}
	}
	got := m.sync(items)
	trips := float64(got.took) / float64(m.latency)
	if got.hits != len(items) || got.bytes != 1000*100_000 || trips < 15 || trips > 40 {
		t.Errorf("%+v, %.1f round trips", got, trips)
	}
	if batches := got.requests - len(items); batches < 100 || batches > 2000 {
		t.Errorf("%d batches of 100 MB", batches)
	}
	for i := range items {
		items[i].hit = false
	}
	if none := m.sync(items[:80]); none.hits != 0 || none.bytes != 0 || none.requests != 80 || none.took < 10*m.cook {
		t.Errorf("%+v", none)
	}
}

func TestUpload(t *testing.T) {
	m := machine{link: link{latency: time.Millisecond, rate: 1e9}, workers: 4, cook: 10 * time.Millisecond}
	sizes := []int64{100, 200, smallBatch, 300}
	if got := m.upload(sizes); got.bytes != smallBatch+600 || got.requests != 4*3 {
		t.Errorf("%+v", got)
	}
	// All items are cooked before the connection is open, so they form one group. The group needs
	// one look-up, one batch, one large blob, and four results.
	m.cook = 0
	if got := m.upload(sizes); got.requests != 1+2+4 {
		t.Errorf("%+v", got)
	}
}

func TestCacheEvictsLeastRecentlyUsed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	size := func(v int32) int64 { return int64(v%7) + 1 }
	c := newCache(40, size)
	var plain []int32
	for range 10_000 {
		v := int32(r.IntN(60))
		at := slices.Index(plain, v)
		if r.IntN(2) == 0 {
			if got := c.use(v); got != (at >= 0) {
				t.Fatalf("version %d: %v", v, got)
			}
			if at >= 0 {
				plain = append(slices.Delete(plain, at, at+1), v)
			}
			continue
		}
		c.putVersion(v)
		if at >= 0 {
			plain = slices.Delete(plain, at, at+1)
		}
		plain = append(plain, v)
		held := int64(0)
		for _, p := range plain {
			held += size(p)
		}
		for held > 40 {
			held -= size(plain[0])
			plain = plain[1:]
		}
		if c.held != held {
			t.Fatalf("%d held, want %d", c.held, held)
		}
	}
	if c.evicted == 0 {
		t.Error("nothing was forgotten")
	}
}

func TestTogether(t *testing.T) {
	loads := []demand{{0, 10, 0, 1000}, {0, 10, 0, 1000}, {100, 10, 0, 1000}}
	c := together(loads, limits{bytes: 100})
	for i, want := range []float64{20, 20, 10} {
		if got := c.took[i]; got < want-0.01 || got > want+0.51 {
			t.Errorf("machine %d takes %v s, want %v", i, got, want)
		}
	}
	if c.bytes != 200 {
		t.Errorf("%v bytes a second", c.bytes)
	}
}

// TestReplayIsRepeatable expects that equal seeds give equal histories, that an empty machine looks
// up each asset once, and that all results of CI are found.
func TestReplayIsRepeatable(t *testing.T) {
	people := team{developers: 6, branches: 2, edits: 20, life: 3, switches: 0.3, fresh: 0.5}
	assets := tree{assets: 1000, bytes: 1e6, part: 0.5, skew: 1.1, spread: 1}
	m := machine{link: link{latency: time.Millisecond, rate: 1e8}, workers: 4, cook: time.Second}
	var sums []string
	for range 2 {
		h := newHistory(people, assets, 5)
		s := newSimulation(h, m, []int64{0, 500_000})
		if err := replay(h, 8, s); err != nil {
			t.Fatal(err)
		}
		mornings, own, empty := s.sums[morning], s.sums[edit], s.sums[fromNone]
		if mornings.runs != 48 || mornings.looked == 0 || mornings.hits != mornings.looked {
			t.Errorf("mornings: %+v", mornings)
		}
		if own.hits != 0 || own.looked == 0 || empty.runs != 4 || empty.looked != 4*500 || empty.hits != empty.looked {
			t.Errorf("own %+v, empty %+v", own, empty)
		}
		if s.caches[1].held > 500_000 || s.caches[1].evicted == 0 || s.found[1].shared >= s.found[0].shared {
			t.Errorf("the small cache: %+v, %d hits of %d", s.caches[1].held, s.found[1].shared, s.found[0].shared)
		}
		sums = append(sums, fmt.Sprint(*mornings, *own, *empty, s.given, s.found))
	}
	if sums[0] != sums[1] {
		t.Errorf("one seed, two histories:\n%s\n%s", sums[0], sums[1])
	}
}
