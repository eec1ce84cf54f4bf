package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/heap"
	"github.com/assetcook/assetcook/profile/memory"
)

// ask sends a GET request, and decodes the JSON answer unless into is nil.
func ask(t *testing.T, v *View, path string, into any) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/api/"+path, nil))
	if into == nil {
		return w
	}
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
	return w
}

// act sends a POST request with the token "secret".
func act(t *testing.T, v *View, path, body string, into any) int {
	t.Helper()
	w := httptest.NewRecorder()
	req := httptest.NewRequest("POST", "http://127.0.0.1/api/"+path, strings.NewReader(body))
	req.Header.Set(tokenHeader, "secret")
	v.ServeHTTP(w, req)
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatalf("%s: %v in %s", path, err, w.Body)
		}
	}
	return w.Code
}

type allocationsAnswer struct {
	Count int
	Bytes int64
	Rows  []allocationRow
}

func level(t *testing.T) (*memory.Tracker, *memory.Pool, *memory.Worker, *View) {
	tracker := memory.New(memory.Options{Sites: true})
	w := tracker.Worker("worker <1>").Push("wall.png;decode")
	pool := tracker.Group("images", memory.GroupOptions{Budget: 1000}).Pool("pixels", memory.PoolOptions{})
	pool.Bytes(w, 700)
	pool.Bytes(w, 300)
	tracker.Group("images", memory.GroupOptions{}).Grow(w, 50)
	tracker.Group("files", memory.GroupOptions{}).Pool("content", memory.PoolOptions{}).Bytes(nil, 4)
	v := New(Sources{Memory: tracker, Token: "secret"})
	t.Cleanup(func() { v.Close() })
	return tracker, pool, w, v
}

func TestMemoryTree(t *testing.T) {
	_, _, _, v := level(t)
	var tree memory.Node
	ask(t, v, "memory?snap=live&by=group,name,scope", &tree)
	if tree.Bytes != 1054 || len(tree.Children) != 2 || tree.Children[0].Name != "images" || tree.Children[0].Kind != "group" {
		t.Errorf("tree %+v", tree)
	}
	var part memory.Node
	ask(t, v, "memory?by=worker,name,scope&path="+url.QueryEscape("worker:worker <1>")+"&path=name:pixels", &part)
	if part.Name != "pixels" || part.Bytes != 1000 || part.Children[0].Name != "wall.png" {
		t.Errorf("part %+v", part)
	}
	var filtered memory.Node
	ask(t, v, "memory?by=worker&group=image&scope=wall&name=pix&worker=1", &filtered)
	if filtered.Bytes != 1000 {
		t.Errorf("filtered %+v", filtered)
	}
	for _, tc := range []struct {
		query string
		want  int
	}{
		{"by=worker,worker", 400}, {"by=%00", 400}, {"order=x", 400}, {"most=0", 400}, {"most=99999999999999999999", 400}, {"most=-1", 400},
		{"skip=-1", 400}, {"skip=1e3", 400}, {"path=worker", 400}, {"path=evil:x", 404}, {"snap=s7", 404}, {"snap=../../etc", 404}, {"base=s1", 404},
		{"path=worker:nobody", 404}, {"group=" + strings.Repeat("x", mostText+1), 400}, {strings.Repeat("path=scope:a&", mostSteps+1), 400},
		{"scope=%ff%fe", 200}, {"skip=1000000", 200}, {"group=" + strings.Repeat("x", mostText), 200},
	} {
		w := ask(t, v, "memory?"+tc.query, nil)
		var answer struct{ Error string }
		if w.Code != tc.want || json.Unmarshal(w.Body.Bytes(), &answer) != nil || (tc.want != 200) != (answer.Error != "") || len(answer.Error) > 300 {
			t.Errorf("%.60s: %d %.400s", tc.query, w.Code, w.Body)
		}
	}
}

func TestMemorySnapshots(t *testing.T) {
	tracker, pool, w, v := level(t)
	var first snapshotInfo
	if code := act(t, v, "memory/snapshot", `{"name":"before"}`, &first); code != 200 || first.Name != "before" || first.ID == "" {
		t.Fatalf("%d %+v", code, first)
	}
	leak := pool.Bytes(w, 5000)
	tracker.Group("cache", memory.GroupOptions{}).Pool("fonts", memory.PoolOptions{Lifetime: memory.Permanent}).Bytes(w, 9000)

	var tree memory.Node
	ask(t, v, "memory?by=name&order=growth&base="+first.ID, &tree)
	if tree.Was.Bytes != 1054 || tree.Bytes != 15054 || tree.Children[0].Name != "fonts" {
		t.Errorf("tree %+v", tree)
	}
	var diff map[string]changedPlaces
	ask(t, v, "memory/diff?b=live&a="+first.ID, &diff)
	if l := diff["leaks"]; l.Count != 1 || l.Bytes != 5000 || l.Places[0].Scope != "wall.png;decode" || !strings.HasPrefix(l.Places[0].Site, "view/memory_test.go:") {
		t.Errorf("leaks %+v", l)
	}
	if n := diff["new"]; n.Count != 2 || n.Bytes != 14000 {
		t.Errorf("new %+v", n)
	}
	var leaks allocationsAnswer
	ask(t, v, "memory/allocations?snap=live&change=leaks&base="+first.ID, &leaks)
	if leaks.Count != 1 || leaks.Rows[0].Bytes != 5000 {
		t.Errorf("leaks %+v", leaks)
	}
	pool.Free(nil, leak)
	ask(t, v, "memory/allocations?snap=live&change=leaks&fresh=1&base="+first.ID, &leaks)
	if leaks.Count != 0 {
		t.Errorf("freed, but leaks are %+v", leaks)
	}
	var sum summary
	ask(t, v, "memory/summary?base="+first.ID, &sum)
	if sum.Usage.Bytes != 10054 || sum.Was.Bytes != 1054 || sum.Groups[0].Was.Bytes != 0 || sum.Groups[2].Exceeded != 1 {
		t.Errorf("summary %+v", sum)
	}

	var answer struct {
		ID   string
		Gone []string
	}
	for i := range maxTaken {
		act(t, v, "memory/snapshot", `{}`, &answer)
		if gone := i == maxTaken-1; gone != (len(answer.Gone) == 1) || gone && answer.Gone[0] != "before" {
			t.Errorf("after %d more gone is %q", i+1, answer.Gone)
		}
	}
	if w := ask(t, v, "memory?snap="+first.ID, nil); w.Code != 404 {
		t.Errorf("what went: %d", w.Code)
	}
	var is info
	ask(t, v, "info", &is)
	if len(is.Snapshots) != maxTaken || !is.Memory {
		t.Errorf("info %+v", is)
	}
	v.memory.most = 10 // This is room for two snapshots of 4 allocations each.
	act(t, v, "memory/snapshot", `{}`, &answer)
	if len(answer.Gone) != maxTaken-1 || len(v.memory.taken) != 2 {
		t.Errorf("limit of %d allocations: %d snapshots dropped, %d kept", v.memory.most, len(answer.Gone), len(v.memory.taken))
	}
	v.memory.most = 1
	act(t, v, "memory/snapshot", `{}`, &answer)
	if len(v.memory.taken) != 1 {
		t.Errorf("%d snapshots, and not the latest alone", len(v.memory.taken))
	}
	for _, body := range []string{"", "[]", `{"name":1}`, `{"name":"` + strings.Repeat("x", 101) + `"}`, `{"other":1}`} {
		if code := act(t, v, "memory/snapshot", body, nil); code != 400 {
			t.Errorf("%.20q: %d", body, code)
		}
	}
	refused := httptest.NewRecorder()
	v.ServeHTTP(refused, httptest.NewRequest("POST", "http://127.0.0.1/api/memory/snapshot", strings.NewReader("{}")))
	if refused.Code != http.StatusForbidden {
		t.Errorf("without a token: %d", refused.Code)
	}
}

// A file must show and compare like its tracker. Lists of different runs must not be compared.
func TestFileComparesLikeItsTracker(t *testing.T) {
	tracker, pool, w, v := level(t)
	was := tracker.Capture(time.Unix(1, 0))
	pool.Bytes(w, 90)
	file := ask(t, v, "memory/file?snap=live", nil)
	if got := file.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; ") {
		t.Errorf("disposition %q", got)
	}
	now, err := memory.ReadCapture(bytes.NewReader(file.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	other := memory.New(memory.Options{})
	other.Group("images", memory.GroupOptions{}).Pool("pixels", memory.PoolOptions{}).Bytes(nil, 1)
	files := New(Sources{Snapshots: []*memory.Capture{was, now, other.Capture(time.Unix(2, 0))}})
	defer files.Close()
	var leaks allocationsAnswer
	ask(t, files, "memory/allocations?snap=f1&base=f0&change=leaks", &leaks)
	if leaks.Count != 1 || leaks.Rows[0].Bytes != 90 {
		t.Errorf("leaks %+v", leaks)
	}
	var tree memory.Node
	ask(t, files, "memory?snap=f2&base=f0&by=group", &tree)
	if tree.Bytes != 1 || tree.Was.Bytes != 1054 {
		t.Errorf("tree %+v", tree)
	}
	for path, want := range map[string]int{
		"memory/diff?a=f0&b=f2": 409, "memory?snap=live": 404, "memory/diff?a=f0&b=live": 404, "memory/allocations?snap=f1&base=f0&change=x": 400,
		"memory/allocations": 200, "memory/rows.csv?snap=f1": 200, "memory/groups": 200,
	} {
		if w := ask(t, files, path, nil); w.Code != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := ask(t, New(Sources{}), "memory", nil); w.Code != 404 {
		t.Errorf("without sources: %d", w.Code)
	}
}

func TestMemoryAllocations(t *testing.T) {
	_, _, _, v := level(t)
	for _, tc := range []struct {
		query string
		want  string
	}{
		{"", "700 300 4"}, {"sort=bytes&reverse=1", "4 300 700"}, {"q=WALL", "700 300"}, {"q=files", "4"}, {"q=memory_test.go", "700 300 4"},
		{"sort=group", "4 700 300"}, {"sort=group&reverse=1", "700 300 4"}, {"sort=capacity&limit=1&offset=1", "300"}, {"offset=99", ""},
		{"by=asset,name&path=asset:wall.png&path=name:pixels", "700 300"}, {"by=asset&path=asset:wall", ""}, {"scope=nowhere", ""}, {"sort=rounding&name=pix", "700 300"},
	} {
		var a allocationsAnswer
		ask(t, v, "memory/allocations?"+tc.query, &a)
		var got []string
		for _, r := range a.Rows {
			got = append(got, fmt.Sprint(r.Bytes))
		}
		if tc.query == "sort=group" || tc.query == "sort=group&reverse=1" { // Equal allocations are sorted by address.
			if a.Count != 3 || strings.HasPrefix(tc.want, "4") != (got[0] == "4") {
				t.Errorf("%s: %v, want %s", tc.query, got, tc.want)
			}
		} else if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v, want %s", tc.query, got, tc.want)
		}
	}
	var all, one allocationsAnswer
	ask(t, v, "memory/allocations", &all)
	ask(t, v, "memory/allocations?q="+all.Rows[0].Address[:len(all.Rows[0].Address)-1]+"7", &one) // The address is seven bytes into the allocation.
	if one.Count != 1 || one.Rows[0] != all.Rows[0] {
		t.Errorf("at an address: %+v", one)
	}
	csv := ask(t, v, "memory/allocations.csv?q=wall&sort=bytes&offset=1", nil)
	if lines := strings.Split(strings.TrimSpace(csv.Body.String()), "\n"); len(lines) != 3 || !strings.Contains(lines[1], ",700,") {
		t.Errorf("CSV %q", lines)
	}
	for _, query := range []string{"sort=x", "limit=0", "limit=1001", "offset=-1", "offset=9999999999999", "by=x", "q=" + strings.Repeat("x", mostText+1)} {
		if w := ask(t, v, "memory/allocations?"+query, nil); w.Code != 400 {
			t.Errorf("%.40s: %d", query, w.Code)
		}
	}
}

// The list of a running program must not change between pages, until it is refreshed.
func TestListStaysTheSameUntilRefreshed(t *testing.T) {
	_, pool, w, v := level(t)
	var a allocationsAnswer
	ask(t, v, "memory/allocations", &a)
	pool.Bytes(w, 1)
	ask(t, v, "memory/allocations?offset=2", &a)
	if a.Count != 3 {
		t.Errorf("the second page is of %d", a.Count)
	}
	ask(t, v, "memory/allocations?fresh=1", &a)
	if a.Count != 4 {
		t.Errorf("anew: %d", a.Count)
	}
	v.memory.drop()
	if v.memory.listing != nil || v.memory.queries != nil {
		t.Error("the listing was not dropped")
	}
}

func TestSortKeyed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 1000} {
		for _, most := range []uint64{1, 2, 5000, 1 << 30, math.MaxUint64} {
			for _, flip := range []uint64{0, math.MaxUint64} {
				list := make([]keyed, n)
				for i := range list {
					list[i] = keyed{r.Uint64N(most) ^ flip, uint32(i)}
				}
				want := slices.Clone(list)
				slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
				if got := sortKeyed(list); !slices.Equal(got, want) {
					t.Errorf("%d keys below %d", n, most)
				}
			}
		}
	}
}

// million returns a capture with a million allocations of 5000 owners.
func million() *memory.Capture {
	list := &memory.List{Items: make([]memory.Item, 1e6)}
	s := &memory.Snapshot{}
	const owners = 5000
	for i := range owners {
		key := memory.Key{Worker: fmt.Sprint("worker ", i%8), Group: fmt.Sprint("group ", i%40), Name: "buffers", Scope: fmt.Sprintf("asset %05d.png;decode", i)}
		list.Owners = append(list.Owners, memory.Owner{Key: key, Site: "decode.go:1"})
		s.Rows = append(s.Rows, memory.Row{Key: key})
	}
	for i := range list.Items {
		n := int64(i * 7919 % 65536)
		list.Items[i] = memory.Item{Address: uint64(i) << 16, ID: uint64(i), Bytes: n, Capacity: n + 64, Owner: uint32(i % owners)}
		s.Rows[i%owners].Bytes += n
		s.Rows[i%owners].Count++
	}
	return &memory.Capture{Snapshot: s, Usage: &memory.Usage{}, List: list}
}

func TestMemoryMillion(t *testing.T) {
	v := New(Sources{Snapshots: []*memory.Capture{million()}})
	defer v.Close()
	var tree memory.Node
	w := ask(t, v, "memory?by=worker,group,scope&most=500", &tree)
	if tree.Count != 1e6 || w.Body.Len() > 100_000 {
		t.Errorf("tree of %d in %d bytes", tree.Count, w.Body.Len())
	}
	var page allocationsAnswer
	w = ask(t, v, "memory/allocations?sort=bytes&offset=999900", &page)
	if page.Count != 1e6 || len(page.Rows) != 100 || page.Rows[99].Bytes != 0 || page.Bytes != tree.Bytes || w.Body.Len() > 40_000 {
		t.Errorf("page of %d rows of %d in %d bytes", len(page.Rows), page.Count, w.Body.Len())
	}
	if w := ask(t, v, "memory/allocations.csv?scope=asset+00007", nil); bytes.Count(w.Body.Bytes(), []byte("\n")) != 201 {
		t.Errorf("CSV of %d bytes", w.Body.Len())
	}
}

func BenchmarkMemoryMillion(b *testing.B) {
	v := New(Sources{Snapshots: []*memory.Capture{million()}})
	defer v.Close()
	for _, path := range []string{
		"memory?by=worker,group,name,scope", "memory/allocations?sort=bytes&n=%d", "memory/allocations?sort=scope&n=%d", "memory/allocations?q=00007&n=%d", "memory/allocations?offset=500000",
	} {
		b.Run(path, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				url := "http://127.0.0.1/api/" + strings.Replace(path, "%d", fmt.Sprint(i), 1)
				v.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", url, nil))
			}
		})
	}
}

// The page reads the Go heap only when it asks for the heap or takes a snapshot. Snapshots keep it,
// also as files, and a comparison has the changes.
func TestGoHeapIsReadOnDemand(t *testing.T) {
	reads := int64(0)
	read := func() *heap.Profile {
		reads++
		return &heap.Profile{Rate: 1, Frames: []heap.Frame{{Function: "game.load", File: "game/load.go", Line: 7}},
			Stacks: []heap.Stack{{Calls: []uint32{0}, InUseBytes: 100 * reads, InUseObjects: reads, AllocatedBytes: 1000 * reads, AllocatedObjects: 10 * reads}}}
	}
	v := New(Sources{Heap: read, Token: "secret"})
	defer v.Close()
	var is info
	ask(t, v, "info", &is)
	ask(t, v, "memory", &memory.Node{})
	ask(t, v, "memory/groups", &struct{}{})
	ask(t, v, "memory/summary", &summary{})
	ask(t, v, "memory/allocations?fresh=1", &allocationsAnswer{})
	if reads != 0 || !is.Heap || !is.Memory {
		t.Errorf("%d reads before the page asked; info %+v", reads, is)
	}
	var snapshot snapshotInfo
	if act(t, v, "memory/snapshot", `{}`, &snapshot); reads != 1 || !snapshot.Heap {
		t.Errorf("%d reads for %+v", reads, snapshot)
	}
	var p heap.Profile
	ask(t, v, "memory/heap", &p)
	if p.Stacks[0].InUseBytes != 200 || p.Frames[0].Line != 7 {
		t.Errorf("live %+v", p)
	}
	file := ask(t, v, "memory/file?snap=live", nil)
	now, err := memory.ReadCapture(bytes.NewReader(file.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	was, err := memory.ReadCapture(bytes.NewReader(ask(t, v, "memory/file?snap="+snapshot.ID, nil).Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	files := New(Sources{Snapshots: []*memory.Capture{was, now, million()}})
	defer files.Close()
	p = heap.Profile{}
	ask(t, files, "memory/heap?snap=f1&base=f0", &p)
	if want := (heap.Stack{Calls: []uint32{0}, InUseBytes: 200, InUseObjects: 2, AllocatedBytes: 2000, AllocatedObjects: 20}); !reflect.DeepEqual(p.Stacks, []heap.Stack{want}) {
		t.Errorf("difference %+v, want %+v", p.Stacks, want)
	}
	for path, want := range map[string]int{"memory/heap?snap=f2": 409, "memory/heap?snap=f0&base=f2": 409, "memory/heap?snap=x": 404, "memory/heap?snap=live": 404} {
		if w := ask(t, files, path, nil); w.Code != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if code := act(t, v, "memory/collect", `{}`, nil); code != 200 {
		t.Errorf("collect: %d", code)
	}
	refused := httptest.NewRecorder()
	v.ServeHTTP(refused, httptest.NewRequest("POST", "http://127.0.0.1/api/memory/collect", strings.NewReader("{}")))
	if refused.Code != http.StatusForbidden {
		t.Errorf("collect without a token: %d", refused.Code)
	}
}
