package heap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func init() { runtime.MemProfileRate = 1 } // The figures are exact.

// These functions allocate in the tests. Each size is a size class of the allocator.
//
//go:noinline
func appendRows(n int) []byte { return make([]byte, n) }

//go:noinline
func fillCache(n int) []byte { return make([]byte, n) }

//go:noinline
func loadLevel(n int) []byte { return fillCache(n) }

//go:noinline
func saveLevel(n int) []byte { return fillCache(n) }

var allocators = map[string]func(int) []byte{"appendRows": appendRows, "fillCache<loadLevel": loadLevel, "fillCache<saveLevel": saveLevel}

// figures are the numbers of a stack without its calls.
type figures struct{ inUse, inUseObjects, allocated, allocatedObjects int64 }

// byAllocator sums a profile by the functions in allocators.
func byAllocator(t *testing.T, p *Profile) map[string]figures {
	sums := map[string]figures{}
	for _, s := range p.Stacks {
		var names []string
		for _, c := range s.Calls {
			f := p.Frames[c]
			name := f.Function[strings.LastIndex(f.Function, ".")+1:]
			if name == "fillCache" || allocators[name] != nil || allocators["fillCache<"+name] != nil {
				if !strings.HasSuffix(f.File, "heap/profile_test.go") || f.Line < 20 || f.Line > 40 {
					t.Fatalf("%s is at %s:%d", f.Function, f.File, f.Line)
				}
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			sum := sums[strings.Join(names, "<")]
			sum.inUse += s.InUseBytes
			sum.inUseObjects += s.InUseObjects
			sum.allocated += s.AllocatedBytes
			sum.allocatedObjects += s.AllocatedObjects
			sums[strings.Join(names, "<")] = sum
		}
	}
	return sums
}

// A model sums the allocations of the functions in allocators.
type model struct {
	sums map[string]figures
	held []heldBuffer
}

type heldBuffer struct {
	by    string
	bytes []byte
}

func (m *model) hold(by string, size int) {
	m.held = append(m.held, heldBuffer{by, allocators[by](size)})
	f := m.sums[by]
	m.sums[by] = figures{f.inUse + int64(size), f.inUseObjects + 1, f.allocated + int64(size), f.allocatedObjects + 1}
}

func (m *model) release(i int) {
	h := &m.held[i]
	f := m.sums[h.by]
	m.sums[h.by] = figures{f.inUse - int64(len(h.bytes)), f.inUseObjects - 1, f.allocated, f.allocatedObjects}
	last := len(m.held) - 1
	m.held[i], m.held[last] = m.held[last], heldBuffer{}
	m.held = m.held[:last]
}

// differences returns the changes of sums, without functions that have none.
func differences(now, was map[string]figures) map[string]figures {
	d := map[string]figures{}
	for name, n := range now {
		w := was[name]
		if f := (figures{n.inUse - w.inUse, n.inUseObjects - w.inUseObjects, n.allocated - w.allocated, n.allocatedObjects - w.allocatedObjects}); f != (figures{}) {
			d[name] = f
		}
	}
	return d
}

var world = model{sums: map[string]figures{}}

// The profile has exactly the bytes and objects that each function holds and has allocated, and the
// difference of any two profiles is the difference of the model at both times.
func TestProfileEqualsModel(t *testing.T) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // An allocation that assists a collection may itself allocate.
	type moment struct {
		profile *Profile
		sums    map[string]figures
	}
	var moments []moment
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(allocators))
	sizes := []int{16, 64, 1024, 8192, 1 << 16}
	for range 30 {
		for range r.IntN(40) {
			world.hold(names[r.IntN(len(names))], sizes[r.IntN(len(sizes))])
		}
		for range min(r.IntN(40), len(world.held)) {
			world.release(r.IntN(len(world.held)))
		}
		runtime.GC()
		now := moment{Read(), maps.Clone(world.sums)}
		if got := byAllocator(t, now.profile); !maps.Equal(got, now.sums) {
			t.Fatalf("the profile has %+v, want %+v", got, now.sums)
		}
		moments = append(moments, now)
		was := moments[r.IntN(len(moments))]
		if got, want := byAllocator(t, now.profile.Sub(was.profile)), differences(now.sums, was.sums); !maps.Equal(got, want) {
			t.Fatalf("since an earlier moment: %+v, want %+v", got, want)
		}
	}
}

// A profile has the figures of package runtime/pprof, at every sampling rate.
func TestProfileEqualsPprof(t *testing.T) {
	for by := range allocators {
		world.hold(by, 1024)
		world.hold(by, 1<<16)
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // The profile changes only when a collection ends.
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	for _, rate := range []int{1, 4096, 512 << 10} {
		runtime.MemProfileRate = rate
		p := Read()
		if p.Rate != rate {
			t.Errorf("rate %d, want %d", p.Rate, rate)
		}
		var file bytes.Buffer
		if err := pprof.Lookup("heap").WriteTo(&file, 0); err != nil {
			t.Fatal(err)
		}
		parsed, err := profile.Parse(&file)
		if err != nil {
			t.Fatal(err)
		}
		want, got := totalsOf(ofPprof(parsed)), totalsOf(p)
		if want != got {
			t.Errorf("rate %d: %+v in total, pprof has %+v", rate, got, want)
		}
		if want, got := byAllocator(t, ofPprof(parsed)), byAllocator(t, p); !maps.Equal(want, got) || len(want) < len(allocators) {
			t.Errorf("rate %d: %+v, pprof has %+v", rate, got, want)
		}
	}
}

// ofPprof returns a profile that was read by package pprof.
func ofPprof(p *profile.Profile) *Profile {
	b := newStackTable(int(p.Period))
	for _, s := range p.Sample {
		b.calls = b.calls[:0]
		for _, l := range s.Location {
			for _, line := range l.Line {
				b.calls = append(b.calls, b.frameNumber(Frame{line.Function.Name, line.Function.Filename, int(line.Line)}))
			}
		}
		sum := b.stackOf()
		sum.AllocatedObjects += s.Value[0]
		sum.AllocatedBytes += s.Value[1]
		sum.InUseObjects += s.Value[2]
		sum.InUseBytes += s.Value[3]
	}
	return b.finish()
}

func totalsOf(p *Profile) (sum figures) {
	for _, s := range p.Stacks {
		sum = figures{sum.inUse + s.InUseBytes, sum.inUseObjects + s.InUseObjects, sum.allocated + s.AllocatedBytes, sum.allocatedObjects + s.AllocatedObjects}
	}
	return sum
}

// The stack that grew most is first, and stacks that did not change are left out, also after a
// profile was written as JSON.
func TestSubSortsByGrowth(t *testing.T) {
	stack := func(calls []uint32, n ...int64) Stack { return Stack{calls, n[0], n[1], n[2], n[3]} }
	frames := []Frame{{"a", "a.go", 1}, {"b", "b.go", 2}, {"c", "c.go", 3}}
	was := &Profile{1, frames, []Stack{stack([]uint32{0, 2}, 900, 9, 900, 9), stack([]uint32{1, 2}, 50, 1, 50, 1), stack([]uint32{2}, 7, 1, 7, 1)}}
	reordered := []Frame{frames[2], frames[1], frames[0]}
	now := &Profile{1, reordered, []Stack{stack([]uint32{2, 0}, 800, 8, 1900, 19), stack([]uint32{1, 0}, 250, 5, 250, 5), stack([]uint32{0}, 7, 1, 7, 1)}}
	text, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	was = &Profile{}
	if err := json.Unmarshal(text, was); err != nil {
		t.Fatal(err)
	}
	d := now.Sub(was)
	var got []string
	for _, s := range d.Stacks {
		got = append(got, fmt.Sprintf("%s<%s %v", d.Frames[s.Calls[0]].Function, d.Frames[s.Calls[1]].Function, []int64{s.InUseBytes, s.InUseObjects, s.AllocatedBytes, s.AllocatedObjects}))
	}
	if want := []string{"b<c [200 4 200 4]", "a<c [-100 -1 1000 10]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if d := now.Sub(now); len(d.Stacks) != 0 {
		t.Errorf("the difference to itself is %+v", d.Stacks)
	}
}
