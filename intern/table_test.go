package intern

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEmptyName(t *testing.T) {
	table := tableOf(t, []string{"a"}, Seeded)
	empty, err := New(Config{Entries: 1, Bytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if empty.Len() != 1 || table.Len() != 2 {
		t.Errorf("Len = %d and %d, want 1 and 2", empty.Len(), table.Len())
	}
	if sym, err := empty.Intern(""); sym != 0 || err != nil {
		t.Errorf(`Intern("") = %d, %v`, sym, err)
	}
	if sym, ok := empty.LookupBytes(nil); sym != 0 || !ok {
		t.Errorf("LookupBytes(nil) = %d, %v", sym, ok)
	}
	if got := empty.String(0); got != "" {
		t.Errorf("String(0) = %q", got)
	}
	for _, sym := range []Symbol{2, 3, None} {
		if got := table.String(sym); got != "" {
			t.Errorf("String(%d) = %q, want none", sym, got)
		}
		if got := freeze(t, table).String(sym); got != "" {
			t.Errorf("frozen: String(%d) = %q, want none", sym, got)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "0 entries: want 1 to 67108864"},
		{Config{Entries: -1, Bytes: 1}, "-1 entries"},
		{Config{Entries: maxEntries + 1, Bytes: 1}, "67108865 entries"},
		{Config{Entries: 1}, "0 bytes for 1 names: want 1 to"},
		{Config{Entries: 1, Bytes: -1}, "-1 bytes"},
		{Config{Entries: 1, Bytes: math.MaxInt}, "bytes for 1 names: want 1 to"},
		{Config{Entries: 1, Bytes: min(math.MaxUint32, math.MaxInt) - 15}, "bytes for 1 names: want 1 to"},
		{Config{Entries: 1, Bytes: 1, Hash: hashes}, "Hash(4) is not a hash"},
	} {
		_, err := New(c.config)
		if err == nil || !strings.HasPrefix(err.Error(), "intern: new: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v): %v, want %q", c.config, err, c.want)
		}
	}
}

func TestFullTableRefusesNames(t *testing.T) {
	table, err := New(Config{Entries: 3, Bytes: 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		want error
	}{
		{"abcd", nil},
		{"xyz", errBytesFull},
		{"x", nil},
		{"abcd", nil},
		{"y", nil}, // Now the table holds six bytes in three names.
		{"", nil},
		{"y", nil},
		{"z", errEntriesFull},
	} {
		_, err := table.Intern(step.name)
		if !errors.Is(err, step.want) || step.want != nil && !errors.Is(err, ErrFull) {
			t.Errorf("Intern(%q): %v, want %v", step.name, err, step.want)
		}
	}
	if table.Len() != 4 {
		t.Errorf("Len = %d, want 4", table.Len())
	}
	out := make([]Symbol, 4)
	if n, err := table.InternAll([]string{"y", "", "new", "x"}, out); n != 2 || !errors.Is(err, errEntriesFull) {
		t.Errorf("InternAll = %d, %v, want 2 and errEntriesFull", n, err)
	}
}

func TestFrozenTableRefusesNames(t *testing.T) {
	table := tableOf(t, []string{"a", "bb"}, Seeded)
	f := freeze(t, table)
	if again := freeze(t, f); again != f {
		t.Error("a frozen table was frozen once more")
	}
	if sym, err := f.Intern("bb"); sym != 2 || err != nil {
		t.Errorf("Intern of an existing name = %d, %v", sym, err)
	}
	if _, err := f.Intern("c"); !errors.Is(err, errFrozen) || !errors.Is(err, ErrFull) {
		t.Errorf("Intern of a new name: %v, want errFrozen", err)
	}
	out := make([]Symbol, 3)
	if n, err := f.InternAll([]string{"a", "c", "bb"}, out); n != 1 || err != errFrozen || out[1] != None {
		t.Errorf("InternAll = %d, %v, %v", n, err, out)
	}
}

func TestTableAgreesWithMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := Config{
			Entries: rapid.IntRange(1, 40).Draw(t, "entries"),
			Bytes:   rapid.IntRange(1, 150).Draw(t, "bytes"),
			Hash:    Hash(rapid.IntRange(0, int(hashes)-1).Draw(t, "hash")),
		}
		table, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		symbols, names, held := map[string]Symbol{"": 0}, []string{""}, 0
		// Few letters and short names make duplicates likely.
		name := rapid.OneOf(rapid.StringMatching(`[ab]{0,6}`),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 30), func(b []byte) string { return string(b) }))
		intern := func(name string) (Symbol, error) {
			sym, ok := symbols[name]
			switch {
			case ok:
				return sym, nil
			case len(names) > config.Entries:
				return 0, errEntriesFull
			case held+len(name) > config.Bytes:
				return 0, errBytesFull
			}
			sym = Symbol(len(names))
			symbols[name], names, held = sym, append(names, name), held+len(name)
			return sym, nil
		}
		check := func(t *rapid.T, got Symbol, err error, want Symbol, wantErr error) {
			if got != want || err != wantErr {
				t.Fatalf("got %d, %v, want %d, %v", got, err, want, wantErr)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"intern": func(t *rapid.T) {
				s := name.Draw(t, "name")
				want, wantErr := intern(s)
				got, err := table.Intern(s)
				check(t, got, err, want, wantErr)
			},
			"internBytes": func(t *rapid.T) {
				b := []byte(name.Draw(t, "name"))
				want, wantErr := intern(string(b))
				got, err := table.InternBytes(b)
				check(t, got, err, want, wantErr)
				for i := range b {
					b[i]++ // Change the buffer, which the table must not have retained.
				}
			},
			"internAll": func(t *rapid.T) {
				list := rapid.SliceOfN(name, 0, 80).Draw(t, "names")
				out := make([]Symbol, len(list))
				n, err := table.InternAll(list, out)
				for i, s := range list {
					want, wantErr := intern(s)
					if wantErr != nil {
						if i != n || err != wantErr {
							t.Fatalf("InternAll = %d, %v, want %d, %v", n, err, i, wantErr)
						}
						return
					}
					if i >= n || out[i] != want {
						t.Fatalf("InternAll = %d, %v: out[%d] = %d, want %d", n, err, i, out[i], want)
					}
				}
				if n != len(list) || err != nil {
					t.Fatalf("InternAll = %d, %v, want %d", n, err, len(list))
				}
			},
			"lookupAll": func(t *rapid.T) {
				list := rapid.SliceOfN(name, 0, 80).Draw(t, "names")
				checkLookups(t, table, symbols, list)
			},
			"": func(t *rapid.T) { checkNames(t, table, symbols, names) },
		})
		frozen, err := table.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, frozen, symbols, names)
		checkLookups(t, frozen, symbols, rapid.SliceOfN(name, 0, 80).Draw(t, "names"))
	})
}

func checkLookups(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *Table, symbols map[string]Symbol, list []string) {
	t.Helper()
	out := make([]Symbol, len(list)+1)
	found := r.LookupAll(list, out)
	for i, s := range list {
		want, ok := symbols[s]
		if got, gotOK := r.Lookup(s); got != want || gotOK != ok {
			t.Fatalf("Lookup(%q) = %d, %v, want %d, %v", s, got, gotOK, want, ok)
		}
		if got, gotOK := r.LookupBytes([]byte(s)); got != want || gotOK != ok {
			t.Fatalf("LookupBytes(%q) = %d, %v, want %d, %v", s, got, gotOK, want, ok)
		}
		if !ok {
			want = None
		} else {
			found--
		}
		if out[i] != want {
			t.Fatalf("LookupAll: %q is %d, want %d", s, out[i], want)
		}
	}
	if found != 0 {
		t.Fatalf("LookupAll counts %d too many", found)
	}
}

func checkNames(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *Table, symbols map[string]Symbol, want []string) {
	t.Helper()
	if r.Len() != len(want) {
		t.Fatalf("Len = %d, want %d", r.Len(), len(want))
	}
	var got []string
	for sym, s := range r.All() {
		if symbols[s] != sym || r.String(sym) != s {
			t.Fatalf("%d is %q, String says %q", sym, s, r.String(sym))
		}
		got = append(got, s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("All (-want +got):\n%s", diff)
	}
}

func TestIterationStops(t *testing.T) {
	table := tableOf(t, []string{"b", "a", "c"}, Seeded)
	var got []string
	for _, s := range table.All() {
		if got = append(got, s); s == "b" {
			break
		}
	}
	if diff := cmp.Diff([]string{"", "b"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestConcurrentInternsAgree lets writers add the same names while readers look them up. Every
// goroutine must get the same symbol for a name, and every visible symbol must have a name.
func TestConcurrentInternsAgree(t *testing.T) {
	list, _ := corpus(t, 3000)
	table, err := New(Config{Entries: len(list), Bytes: totalBytes(list)})
	if err != nil {
		t.Fatal(err)
	}
	const writers, readers = 3, 3
	var seen [writers][]Symbol
	var wg sync.WaitGroup
	for w := range writers {
		seen[w] = make([]Symbol, len(list))
		wg.Go(func() {
			if w == 0 {
				if n, err := table.InternAll(list, seen[w]); n != len(list) || err != nil {
					t.Errorf("InternAll = %d, %v", n, err)
				}
				return
			}
			for i := range list {
				i = (i + w*len(list)/writers) % len(list)
				sym, err := table.InternBytes([]byte(list[i]))
				if err != nil || table.String(sym) != list[i] {
					t.Errorf("Intern(%q) = %d, %v, but the symbol's name is %q", list[i], sym, err, table.String(sym))
				}
				seen[w][i] = sym
			}
		})
	}
	for range readers {
		wg.Go(func() {
			out := make([]Symbol, len(list))
			for table.Len() <= len(list) {
				table.LookupAll(list, out)
				for i, sym := range out {
					if sym != None && table.String(sym) != list[i] {
						t.Errorf("%q has the symbol %d of %q", list[i], sym, table.String(sym))
					}
				}
				for sym, s := range table.All() {
					if got, ok := table.Lookup(s); ok && got != sym {
						t.Errorf("%q is %d and %d", s, sym, got)
					}
				}
				if f, err := table.Freeze(); err != nil || f.String(Symbol(f.Len()-1)) != table.String(Symbol(f.Len()-1)) {
					t.Errorf("the frozen table differs in its last name: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if table.Len() != len(list)+1 {
		t.Fatalf("Len = %d, want %d", table.Len(), len(list)+1)
	}
	for w := range writers {
		for i, sym := range seen[w] {
			if got, ok := table.Lookup(list[i]); !ok || got != sym || table.String(sym) != list[i] {
				t.Fatalf("writer %d saw %q as %d, now it is %d, %v", w, list[i], sym, got, ok)
			}
		}
	}
}

func TestFootprint(t *testing.T) {
	for _, n := range []int{100, 1000, 1024, 1025, 10_000, 200_000} {
		list := made(n)
		table, text := tableOf(t, list, Seeded), totalBytes(list)
		frozen := freeze(t, table)
		perEntry := float64(table.Footprint()-text) / float64(n)
		t.Logf("%d names: %.1f bytes over the name's own", n, perEntry)
		if perEntry > 24 {
			t.Errorf("%d names: %.1f bytes for each over its own, want at most 24", n, perEntry)
		}
		if frozen.Footprint() != table.Footprint() {
			t.Errorf("%d names: frozen %d bytes, want the %d of a full table", n, frozen.Footprint(), table.Footprint())
		}
		if table.Footprint() != int(unsafe.Sizeof(group{}))*cap(table.groups)+cap(table.arena)+4*cap(table.places) {
			t.Error("Footprint differs from the allocated memory")
		}
	}
}

func TestNoAllocation(t *testing.T) {
	list := made(1000)
	table := tableOf(t, list, Seeded)
	frozen, raw, out := freeze(t, table), []byte(list[7]), make([]Symbol, len(list))
	absent := "absent"
	for hash := range hashes {
		roomy, err := New(Config{Entries: 10_000, Bytes: 100_000, Hash: hash})
		if err != nil {
			t.Fatal(err)
		}
		fresh := made(3000)
		i := 0
		if n := testing.AllocsPerRun(1000, func() { roomy.Intern(fresh[i]); i++ }); n != 0 {
			t.Errorf("%v: Intern of a new name: %v allocations", hash, n)
		}
	}
	for name, f := range map[string]func(){
		"Intern":             func() { table.Intern(list[5]) },
		"Intern when full":   func() { table.Intern(absent) },
		"InternBytes":        func() { table.InternBytes(raw) },
		"InternAll":          func() { table.InternAll(list, out) },
		"Lookup":             func() { table.Lookup(list[6]) },
		"LookupBytes":        func() { table.LookupBytes(raw) },
		"LookupAll":          func() { table.LookupAll(list, out) },
		"String":             func() { _ = table.String(9) },
		"frozen Lookup":      func() { frozen.Lookup(list[6]) },
		"frozen LookupBytes": func() { frozen.LookupBytes(raw) },
		"frozen LookupAll":   func() { frozen.LookupAll(list, out) },
		"frozen String":      func() { _ = frozen.String(9) },
		"frozen Intern":      func() { frozen.Intern(absent) },
		"absent":             func() { table.Lookup(absent); frozen.Lookup(absent) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func ExampleTable() {
	names, err := New(Config{Entries: 1000, Bytes: 32 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	draw, _ := names.Intern("frame/draw")
	wait, _ := names.Intern("frame/wait")
	again, _ := names.InternBytes([]byte("frame/draw"))
	fmt.Println(draw, wait, again, names.String(draw))
	// Output: 1 2 1 frame/draw
}

// The output for names that do not fit must be None, not the symbol of the empty name.
func TestInternAllStopsWhenFull(t *testing.T) {
	table, err := New(Config{Entries: 3, Bytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "a", "c", "d", "a"}
	for range 10 {
		names = append(names, names...)
	}
	out := make([]Symbol, len(names))
	done, err := table.InternAll(names, out)
	if done != 4 || !errors.Is(err, ErrFull) {
		t.Fatalf("%d done, %v", done, err)
	}
	for i, sym := range out {
		want := None
		if i < done {
			want = []Symbol{1, 2, 1, 3}[i]
		}
		if sym != want {
			t.Fatalf("symbol %d is %d, want %d", i, sym, want)
		}
	}
}

// This example saves names with their numbers. Another process can then look up names by number.
func ExampleOpen() {
	names, _ := New(Config{Entries: 1000, Bytes: 32 << 10})
	draw, _ := names.Intern("frame/draw")
	names.Intern("frame/wait")
	calls := make([]int, 1000+1) // number of calls by symbol; symbol 0 is the empty name
	calls[draw]++
	block, _ := names.MarshalBinary()

	saved, err := Open(block) // Another process would do this.
	if err != nil {
		fmt.Println(err)
		return
	}
	for sym, name := range saved.All() {
		if calls[sym] > 0 {
			fmt.Println(name, calls[sym])
		}
	}

	// To add more names, intern the saved names in order into a larger table. They keep their
	// numbers.
	larger, _ := New(Config{Entries: 2000, Bytes: 64 << 10})
	for _, name := range saved.All() {
		larger.Intern(name)
	}
	again, _ := larger.Lookup("frame/draw")
	fmt.Println(again == draw)
	// Output:
	// frame/draw 1
	// true
}
