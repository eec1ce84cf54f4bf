package ids

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Any program can derive the IDs, such as Python with
// uuid.uuid5(uuid.UUID("2fed381f-a9ac-4e55-af8d-bf8a642249e4"), "ui/a.txt").
func TestKnownIDs(t *testing.T) {
	for path, want := range map[string]string{
		"ui/a.txt": "aad622d6-f16c-5667-81b9-178a0c85a196",
		"ui/b.txt": "0a59a3a8-95f0-55d8-900d-195615e8ce6c",
	} {
		if got := new(Set).ID(path).String(); got != want {
			t.Errorf("%s has %s, want %s", path, got, want)
		}
	}
}

// A where models a tree of assets: it maps each path to the number of its asset.
type where map[string]int

// Assets keep their IDs through renames, removals and new assets. No two assets have the same ID,
// and the file preserves that.
func TestIDsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, at, has, last := new(Set), where{}, map[int]ID{}, 0
		path := rapid.SampledFrom([]string{"a", "b", "A", "d/a", "d/b", "e/a", "odd \n\"", "\xff"})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			var moves []Move
			before := maps.Clone(at)
			for range rapid.IntRange(1, 4).Draw(t, "edits") {
				p, to := path.Draw(t, "path"), path.Draw(t, "to")
				_, there := at[p]
				_, taken := at[to]
				_, was := before[to]
				switch {
				case !there && before[p] == 0:
					last++
					at[p] = last
				case there && before[p] == at[p] && !taken && !was && rapid.Bool().Draw(t, "rename"):
					at[to] = at[p]
					delete(at, p)
					moves = append(moves, Move{p, to})
				case there && !slices.ContainsFunc(moves, func(m Move) bool { return m.To == p }):
					delete(at, p)
				}
			}
			set, _ = set.Move(moves, set.ID, maps.Keys(at))
			again, err := Parse("assets.ids", set.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if set.Bytes() == nil && len(set.owners) > 0 || string(again.Bytes()) != string(set.Bytes()) {
				t.Fatalf("read again:\n%s\nwant\n%s", again.Bytes(), set.Bytes())
			}
			set = again
			given := map[ID]string{}
			for p, asset := range at {
				id := set.ID(p)
				if other, twice := given[id]; twice {
					t.Fatalf("%s and %s have the same ID\n%s", p, other, set.Bytes())
				}
				given[id] = p
				if was, known := has[asset]; known && was != id {
					t.Fatalf("%s had %s, has %s\n%s", p, was, id, set.Bytes())
				}
				has[asset] = id
			}
		}
	})
}

// An asset at its first path has no line. An asset at the old path of another asset gets an ID of
// its own.
func TestLines(t *testing.T) {
	move := func(s *Set, from, to string, there ...string) *Set {
		s, _ = s.Move([]Move{{from, to}}, s.ID, slices.Values(there))
		return s
	}
	lines := func(s *Set) int { return len(s.owners) }
	empty := new(Set)
	a := empty.ID("a")
	s := move(empty, "a", "b")
	if s.ID("b") != a || s.ID("a") == a || lines(s) != 1 {
		t.Errorf("renamed:\n%s", s.Bytes())
	}
	if back := move(s, "b", "a"); back.ID("a") != a || back.Bytes() != nil {
		t.Errorf("renamed back:\n%s", back.Bytes())
	}
	// The asset b is removed, and the new asset a takes its place. No asset then has the ID that is
	// derived from the path a.
	second := s.ID("a")
	s = move(s, "a", "b")
	if s.ID("b") != second || s.ID("a") == a || s.ID("a") == second {
		t.Errorf("taken over:\n%s", s.Bytes())
	}
	if same := move(empty, "a", "b", "a", "b"); same != empty {
		t.Errorf("an ID that an asset has was given to another one:\n%s", same.Bytes())
	}
}

func TestParseErrors(t *testing.T) {
	id, other := derived("x", 0).String(), derived("y", 0).String()
	for text, want := range map[string]string{
		id + " a\n" + id + " b\n":               "assets.ids:2: b has the same ID as a (line 1)",
		id + "\n" + id + " b\n":                 "assets.ids:2: b has the same ID as no asset (line 1)",
		id + " a\n" + other + " a\n":            "assets.ids:2: a has a different ID in line 1",
		"<<<<<<< HEAD\n" + id + " a\n=======\n": "assets.ids:1: this is a merge conflict",
		id + " a\n=======\n":                    "assets.ids:2: this is a merge conflict",
		"# x\n" + id[:35] + " a":                "assets.ids:2: want an ID such as",
		strings.ToUpper(id) + " a":              "assets.ids:1: want an ID such as",
		id + " ../a":                            "assets.ids:1: ../a is not the path",
		id + " /a":                              "not the path",
		id + " a//b":                            "not the path",
		id + " .":                               "not the path",
		id + "  ":                               "assets.ids:1: want one space",
		id + ` ""`:                              "not the path",
		id + ` "a`:                              "in double quotes",
		id + ` "a\x00"`:                         "not the path",
		id + " " + strings.Repeat("a", maxPath+1): "not the path",
		"\x00\x01\x02":                               `assets.ids:1: want an ID such as`,
		strings.Repeat("\xff", 1<<20):                "assets.ids:1: want an ID such as",
		id + " a\r\n" + other + " b\r\n" + id + " c": "assets.ids:3: c has the same ID as a (line 1)",
	} {
		_, err := Parse("assets.ids", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000 {
			t.Errorf("%.100q: error %v, want %q", text, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	id, other := derived("x", 0), derived("y", 0)
	text := fmt.Sprintf("\ufeff# ours\r\n\r\n%s z with space\r\n%s \"q\\n\"\n%[2]s \"q\\n\"\n", other, id)
	s, err := Parse("assets.ids", []byte(text))
	if err != nil || s.ID("z with space") != other || s.ID("q\n") != id {
		t.Fatal(err, s)
	}
	lines := []string{id.String() + ` "q\n"`, other.String() + " z with space"}
	slices.Sort(lines)
	if got, want := string(s.Bytes()), head+"\n# ours\n"+strings.Join(lines, "\n")+"\n"; got != want {
		t.Errorf("written as\n%swant\n%s", got, want)
	}
	if s.ID("x") == id || s.ID("y") == other {
		t.Error("an ID that a line gives away was given again")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(derived("x", 0).String() + " a\n# b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("error %q", err)
			}
			return
		}
		again, err := Parse("f", s.Bytes())
		if err != nil || string(again.Bytes()) != string(s.Bytes()) || !maps.Equal(again.owners, s.owners) {
			t.Errorf("%v: read again\n%q\nwant\n%q", err, again.Bytes(), s.Bytes())
		}
	})
}

func TestPair(t *testing.T) {
	blob := func(b byte, empty bool, paths ...string) (list []Source) {
		for _, p := range paths {
			list = append(list, Source{Path: p, Blob: [32]byte{b}, Empty: empty})
		}
		return list
	}
	for name, c := range map[string]struct {
		gone, found []Source
		want        []Move
	}{
		"one":           {blob(1, false, "a"), blob(1, false, "x/b.c"), []Move{{"a", "x/b.c"}}},
		"another":       {blob(1, false, "a"), blob(2, false, "b"), nil},
		"case":          {blob(1, false, "A.png"), blob(1, false, "a.png"), []Move{{"A.png", "a.png"}}},
		"equal files":   {blob(1, false, "old/a", "old/b", "old/s/a"), blob(1, false, "new/a", "new/b", "new/s/a"), []Move{{"old/a", "new/a"}, {"old/b", "new/b"}, {"old/s/a", "new/s/a"}}},
		"copy and move": {blob(1, false, "d/a"), blob(1, false, "b", "e/a"), []Move{{"d/a", "e/a"}}},
		"more gone":     {blob(1, false, "a", "d/b"), blob(1, false, "b"), []Move{{"d/b", "b"}}},
		"no name left":  {blob(1, false, "a", "b"), blob(1, false, "c", "d"), []Move{{"a", "c"}, {"b", "d"}}},
		"empty":         {blob(1, true, "d/a", "d/b"), blob(1, true, "c", "e/b"), []Move{{"d/b", "e/b"}}},
	} {
		if got := Pair(c.gone, c.found); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if from, to, ok := Folders([]Move{{"old/a", "new/a"}, {"old/s/a", "new/s/a"}}); !ok || from != "old" || to != "new" {
		t.Error(from, to, ok)
	}
	if _, _, ok := Folders([]Move{{"old/a", "new/a"}, {"a", "b"}}); ok {
		t.Error("unlike moves are of one directory")
	}
}
