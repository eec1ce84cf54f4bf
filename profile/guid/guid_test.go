package guid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// at returns a generator whose clock is the variable now.
func at(now *time.Time) *generator {
	return newGenerator(func() time.Time { return *now }, identity([]byte("host"), 4711, 0x2a0b7))
}

func TestFieldsAreAtDocumentedPlaces(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 4, 5, 6789, time.UTC)
	g := at(&now)
	g.nextGUID()
	id := g.nextGUID()
	if !id.Fields().Time.Equal(now.Truncate(time.Microsecond)) || id.Fields().Counter != 1 || id.Fields().Process != 4711 || id.Fields().Random != 0x2a0b7 {
		t.Errorf("%s", id.Describe())
	}
	// SHA-256 of "host" begins with 4740ae.
	const want = "2026-01-02T15:04:05.000006Z #1, machine 4740ae, process 4711, random 2a0b7"
	if got := id.Describe(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	known := ID{0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2b}
	if got := known.String(); got != "4000000000000000000000001b" {
		t.Errorf("%x is %s", known[:], got)
	}
}

func TestTextSortsLikeBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() (id ID) {
			copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
			return id
		}
		a, b := draw(), draw()
		for _, text := range []string{a.String(), strings.ToUpper(a.String())} {
			if got, err := Parse(text); got != a || err != nil {
				t.Fatalf("%x is written %s, which parses as %x, %v", a[:], text, got[:], err)
			}
		}
		if bytes.Compare(a[:], b[:]) != strings.Compare(a.String(), b.String()) {
			t.Fatalf("%x and %x do not sort like %s and %s", a[:], b[:], a, b)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "has 0 characters",
		strings.Repeat("0", 25):      "has 25 characters",
		strings.Repeat("x", 1000):    "has 1000 characters",
		"80000000000000000000000000": "at most 7",
		"0000000000000000000000000w": "not one of its characters",
		"0000000000000000000000/000": "not one of its characters",
		"000000000000000000000000é":  "not one of its characters",
	} {
		if id, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 160 || !id.IsZero() {
			t.Errorf("%q: %v, %v", text, id, err)
		}
	}
}

func TestJSON(t *testing.T) {
	id := New()
	text, err := json.Marshal(map[string]ID{"run": id})
	var back map[string]ID
	if err != nil || json.Unmarshal(text, &back) != nil || back["run"] != id {
		t.Errorf("%s, %v, %v", text, err, back)
	}
	if err := json.Unmarshal([]byte(`{"run":"no"}`), &back); err == nil {
		t.Error("an invalid ID was accepted")
	}
}

// IDs must increase even when the clock stands still or is set back. When the clock has caught up,
// IDs must have its time again.
func TestIDsGrowWhenTheClockIsSetBack(t *testing.T) {
	now := time.UnixMicro(1_000_000)
	g := at(&now)
	var last ID
	next := func() ID {
		t.Helper()
		id := g.nextGUID()
		if bytes.Compare(last[:], id[:]) >= 0 {
			t.Fatalf("%s comes after %s", id.Describe(), last.Describe())
		}
		last = id
		return id
	}
	for range 1<<counterBits + 1 { // This is one ID more than fits in a microsecond.
		next()
	}
	if got := last.Fields().Time.UnixMicro(); got != 1_000_001 || last.Fields().Counter != 0 {
		t.Errorf("after more than fit in a microsecond: %s", last.Describe())
	}
	now = time.UnixMicro(500)
	if id := next(); id.Fields().Time.UnixMicro() != 1_000_001 || id.Fields().Counter != 1 {
		t.Errorf("after a step back: %s", id.Describe())
	}
	now = time.UnixMicro(-1)
	next()
	now = time.UnixMicro(2_000_000)
	if id := next(); id.Fields().Time.UnixMicro() != 2_000_000 || id.Fields().Counter != 0 {
		t.Errorf("after it has caught up: %s", id.Describe())
	}
}

// Here 64 goroutines make IDs concurrently while the clock jumps.
func TestConcurrentIDsAreUnique(t *testing.T) {
	const goroutines, each = 64, 20_000
	var reads int64
	var mu sync.Mutex
	jumping := newGenerator(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		reads++
		return time.UnixMicro(1_000_000 + reads%1000 - reads%7*100)
	}, 1)
	for name, next := range map[string]func() ID{"the system's clock": New, "a clock that jumps": jumping.nextGUID} {
		ids := make([]ID, goroutines*each)
		var work sync.WaitGroup
		for i := range goroutines {
			work.Go(func() {
				own := ids[i*each : (i+1)*each]
				for j := range own {
					own[j] = next()
				}
			})
		}
		work.Wait()
		slices.SortFunc(ids, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
		if distinct := len(slices.Compact(ids)); distinct != goroutines*each {
			t.Errorf("%s: %d distinct IDs of %d", name, distinct, goroutines*each)
		}
	}
}

func TestNewSaysWhereItIsFrom(t *testing.T) {
	before := time.Now().Add(-time.Microsecond)
	id, other := New(), New()
	if id.Fields().Process != os.Getpid()&(1<<processBits-1) || id.origin() != other.origin() || id.IsZero() {
		t.Errorf("%s, then %s", id.Describe(), other.Describe())
	}
	if got := id.Fields().Time; got.Before(before) && got.Year() < 2112 {
		t.Errorf("made at %v, the ID says %v", before, got)
	}
}

func TestNewAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(1000, func() { New() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(New().String())
	f.Add("80000000000000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := Parse(text)
		if err == nil && id.String() != strings.ToLower(text) {
			t.Errorf("%q is %s", text, id)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New()
	}
}

func BenchmarkNewParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			New()
		}
	})
}

func Example() {
	id, err := Parse("34eq8572hkc005lovh014pt85n")
	fmt.Println(id, err)
	fmt.Println(id.Describe())
	// Output:
	// 34eq8572hkc005lovh014pt85n <nil>
	// 2026-01-02T15:04:05.000006Z #0, machine 5ae3f1, process 4711, random 2a0b7
}
