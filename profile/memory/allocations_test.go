package memory

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// lineAfter returns the line that is the given number of lines below the call, in the form of
// Owner.Site.
func lineAfter(lines int) string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprint("memory/allocations_test.go:", line+lines)
}

// A heldSlice is a list item with its owner.
type heldSlice struct {
	Address, ID     uint64
	Bytes, Capacity int64
	Owner           Owner
}

func (l *List) flat() []heldSlice {
	var list []heldSlice
	for _, i := range l.Items {
		list = append(list, heldSlice{i.Address, i.ID, i.Bytes, i.Capacity, l.Owners[i.Owner]})
	}
	return list
}

func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func TestAllocationsHaveAllFields(t *testing.T) {
	tracker := New(Options{Sites: true})
	images := tracker.Group("images", GroupOptions{})
	pixels := images.Pool("pixels", PoolOptions{Type: "RGBA", Lifetime: Temporary})
	if images.Pool("pixels", PoolOptions{Type: "other"}) != pixels {
		t.Error("other options made another pool of the same name")
	}
	w := tracker.Worker("w").Push("a.png").Push("decode")
	images.Grow(w, 5)
	b := pixels.Bytes(w, 100)
	first := lineAfter(-1)
	z := images.Pool("table", PoolOptions{Zeroed: true}).Bytes(nil, 300)
	second := lineAfter(-1)

	key := Key{"w", "images", "pixels", "a.png;decode"}
	want := map[uint64]heldSlice{}
	for _, a := range []heldSlice{
		{Address: addressOf(b), Bytes: 100, Capacity: int64(cap(b)), Owner: Owner{Key: key, Type: "RGBA", Lifetime: Temporary, Site: first}},
		{Address: addressOf(z), Bytes: 300, Capacity: int64(cap(z)), Owner: Owner{Key: Key{"", "images", "table", ""}, Site: second}},
	} {
		want[a.Address] = a
	}
	list := tracker.List().flat()
	for _, a := range list {
		id := a.ID
		a.ID = 0
		if a != want[a.Address] || id == 0 {
			t.Errorf("%+v with ID %d, want %+v", a, id, want[a.Address])
		}
	}
	if len(list) != 2 || list[0].Address >= list[1].Address {
		t.Errorf("the list has %d lines, or is not in order", len(list))
	}

	pixels.Free(nil, b)
	again := pixels.Bytes(w, 100)
	for _, now := range tracker.List().flat() {
		for _, before := range list {
			if now.ID == before.ID && now.Address != addressOf(z) {
				t.Errorf("%+v has the ID of an earlier one", now)
			}
		}
	}
	pixels.Free(nil, again)
	if n := len((*Tracker)(nil).List().Items); n != 0 {
		t.Errorf("a nil tracker has %d allocations", n)
	}
}

// Each line that allocates must be a separate site, even if the compiler inlines small functions.
func TestEachLineIsASite(t *testing.T) {
	tracker := New(Options{Sites: true})
	p := tracker.Group("g", GroupOptions{}).Pool("p", PoolOptions{})
	small := func() []byte { return p.Bytes(nil, 1) }
	want := map[string]int{}
	for range 3 {
		p.Bytes(nil, 1)
		want[lineAfter(-1)]++
		p.Bytes(nil, 1)
		want[lineAfter(-1)]++
		small()
		small()
		want[lineAfter(-9)] += 2
	}
	got := map[string]int{}
	for _, a := range tracker.List().flat() {
		got[a.Owner.Site]++
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sites %v, want %v", got, want)
	}
}

func TestAllocationsAsText(t *testing.T) {
	tracker := New(Options{Sites: true})
	all := tracker.Group("all", GroupOptions{Parent: tracker.Group("run", GroupOptions{})})
	p := tracker.Group("images", GroupOptions{Parent: all}).Pool("pixels, \"raw\"", PoolOptions{Type: "RGBA", Lifetime: Permanent})
	b := p.Bytes(tracker.Worker("w").Push("a.png"), 100)
	var out strings.Builder
	if err := tracker.List().WriteCSV(&out, nil); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("address,bytes,capacity,worker,group,name,scope,type,lifetime,parents,site\n"+
		"%p,100,%d,w,images,\"pixels, \"\"raw\"\"\",a.png,RGBA,permanent,all < run,memory/allocations_test.go:LINE\n", b, cap(b))
	if got := regexp.MustCompile(`go:\d+`).ReplaceAllString(out.String(), "go:LINE"); got != want {
		t.Errorf("CSV\n%s, want\n%s", got, want)
	}
}
