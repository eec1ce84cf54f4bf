package guid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The fields of short IDs are at the documented places, and come from the fields of an ID.
func TestShortFieldsAreAtDocumentedPlaces(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 4, 5, 6_789_000, time.UTC)
	g := at(&now)
	full := g.nextGUID()
	g.short96.next()
	id96 := assemble96(g.short96.next(), g.who)
	g.short64.next()
	id64 := assemble64(g.short64.next(), g.who)
	// SHA-256 of "host" begins with 4740ae, which is 11d02 in 18 bits.
	if got, want := id96.Describe(), "2026-01-02T15:04:05.006Z #1, machine 11d02, process 4711, random 7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if id96.Machine() != full.Machine()>>6 || id96.Process() != full.Process() || id96.Random() != full.Random()&15 {
		t.Errorf("%s of %s", id96.Describe(), full.Describe())
	}
	if got, want := id64.Describe(), fmt.Sprintf("2026-01-02T15:04:05.006Z #1, origin %03x", id64.Origin()); got != want || id64.Counter() != 1 {
		t.Errorf("got %s, want %s", got, want)
	}
	millis := uint64(now.UnixMilli())
	if got := uint64(id64) >> 22; got != millis {
		t.Errorf("the time of %x is %d, want %d", uint64(id64), got, millis)
	}
	last := ID96{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}
	if got := last.String(); got != "1vvvvvvvvvvvvvvvvvvv" || last.Time().Year() != 2109 {
		t.Errorf("the last ID96 is %s, %s", got, last.Describe())
	}
	if got := ID64(1<<64 - 1).String(); got != "fvvvvvvvvvvvv" {
		t.Errorf("the last ID64 is %s", got)
	}
}

// Text and bytes hold the same short ID, and sort the same way.
func TestShortTextSortsLikeBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (id ID96) {
			copy(id[:], rapid.SliceOfN(rapid.Byte(), 12, 12).Draw(t, name))
			return id
		}
		a, b := draw("a"), draw("b")
		for _, text := range []string{a.String(), strings.ToUpper(a.String())} {
			if got, err := Parse96(text); got != a || err != nil {
				t.Fatalf("%x is written %s, which parses as %x, %v", a[:], text, got[:], err)
			}
		}
		if bytes.Compare(a[:], b[:]) != strings.Compare(a.String(), b.String()) {
			t.Fatalf("%x and %x do not sort like %s and %s", a[:], b[:], a, b)
		}
		x, y := ID64(rapid.Uint64().Draw(t, "x")), ID64(rapid.Uint64().Draw(t, "y"))
		if got, err := Parse64(x.String()); got != x || err != nil {
			t.Fatalf("%x is written %s, which parses as %x, %v", uint64(x), x, uint64(got), err)
		}
		if (x < y) != (x.String() < y.String()) {
			t.Fatalf("%x and %x do not sort like %s and %s", uint64(x), uint64(y), x, y)
		}
	})
}

func TestShortParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "has 0 characters: an ID has 20",
		strings.Repeat("0", 13):       "has 13 characters: an ID has 20",
		New().String():                "has 26 characters: an ID has 20",
		"2" + strings.Repeat("0", 19): "at most 1",
		strings.Repeat("w", 20):       "not one of its characters",
	} {
		if id, err := Parse96(text); err == nil || !strings.Contains(err.Error(), want) || id != (ID96{}) {
			t.Errorf("%q: %v, %v", text, id, err)
		}
	}
	for text, want := range map[string]string{
		New96().String():              "has 20 characters: an ID has 13",
		"g" + strings.Repeat("0", 12): "at most f",
		"000000000000-":               "not one of its characters",
	} {
		if id, err := Parse64(text); err == nil || !strings.Contains(err.Error(), want) || id != 0 {
			t.Errorf("%q: %v, %v", text, id, err)
		}
	}
}

func TestShortJSON(t *testing.T) {
	type ids struct {
		A ID96
		B ID64
	}
	want := ids{New96(), New64()}
	text, err := json.Marshal(want)
	var back ids
	if err != nil || json.Unmarshal(text, &back) != nil || back != want || !strings.Contains(string(text), want.B.String()) {
		t.Errorf("%s, %v, %v", text, err, back)
	}
}

// Goroutines make more short IDs at once than fit in a millisecond, and no two are equal.
func TestConcurrentShortIDsAreUnique(t *testing.T) {
	const goroutines, each = 16, 20_000
	ids96, ids64 := make([]ID96, goroutines*each), make([]ID64, goroutines*each)
	var work sync.WaitGroup
	for i := range goroutines {
		work.Go(func() {
			for j := i * each; j < (i+1)*each; j++ {
				ids96[j], ids64[j] = New96(), New64()
			}
		})
	}
	work.Wait()
	slices.SortFunc(ids96, func(a, b ID96) int { return bytes.Compare(a[:], b[:]) })
	slices.Sort(ids64)
	if n96, n64 := len(slices.Compact(ids96)), len(slices.Compact(ids64)); n96 != goroutines*each || n64 != goroutines*each {
		t.Errorf("%d and %d distinct IDs of %d", n96, n64, goroutines*each)
	}
	if id := New96(); id.Process() != New().Process() || id.Machine() != New().Machine()>>6 {
		t.Errorf("%s of %s", id.Describe(), New().Describe())
	}
}

// Processes of one machine have distinct origins, as far as 12 bits allow.
func TestOriginsSpread(t *testing.T) {
	origins := map[int]bool{}
	for pid := range 1000 {
		origins[assemble64(0, identity([]byte("host"), 4000+pid, 0x2a0b7)).Origin()] = true
	}
	if len(origins) < 850 { // random origins leave 887 of 1000
		t.Errorf("1000 processes have %d origins", len(origins))
	}
}

func FuzzParseShort(f *testing.F) {
	f.Add(New96().String())
	f.Add(New64().String())
	f.Fuzz(func(t *testing.T, text string) {
		if id, err := Parse96(text); err == nil && id.String() != strings.ToLower(text) {
			t.Errorf("%q is %s", text, id)
		}
		if id, err := Parse64(text); err == nil && id.String() != strings.ToLower(text) {
			t.Errorf("%q is %s", text, id)
		}
	})
}

// The three forms of one moment in one process.
func ExampleID64() {
	for _, text := range []string{"34eq8572hkc005lovh014pt85n", "0pmvpsna7005lou029jn", "6dnuf5qho019f"} {
		if id, err := Parse(text); err == nil {
			fmt.Println(id, id.Describe())
		} else if id, err := Parse96(text); err == nil {
			fmt.Println(id, id.Describe())
		} else if id, err := Parse64(text); err == nil {
			fmt.Println(id, id.Describe(), uint64(id))
		}
	}
	// Output:
	// 34eq8572hkc005lovh014pt85n 2026-01-02T15:04:05.000006Z #0, machine 5ae3f1, process 4711, random 2a0b7
	// 0pmvpsna7005lou029jn 2026-01-02T15:04:05.006Z #0, machine 16b8f, process 4711, random 7
	// 6dnuf5qho019f 2026-01-02T15:04:05.006Z #0, origin 52f 7412871310893647151
}
