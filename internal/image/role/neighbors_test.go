package role

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// settle returns the meanings of all images in the directories of the given paths.
func settle(paths []string) map[string]Name {
	folders := map[string][]string{}
	for _, p := range paths {
		folders[path.Dir(p)] = append(folders[path.Dir(p)], path.Base(p))
	}
	all := map[string]Name{}
	for folder, names := range folders {
		said := OfNeighbors(names)
		for _, name := range names {
			p := path.Join(folder, name)
			all[p] = OfPath(p).Settle(said[name])
		}
	}
	return all
}

// settleListed is like settle, for the paths listed in a file.
func settleListed(t *testing.T, file string) map[string]Name {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for line := range strings.Lines(string(text)) {
		if p, _, ok := strings.Cut(line, "\t"); ok {
			paths = append(paths, p)
		}
	}
	return settle(paths)
}

// TestNeighborsSettleNames checks names whose meaning depends on the other images in the directory.
func TestNeighborsSettleNames(t *testing.T) {
	for _, tc := range []struct{ names, want string }{
		{"boom_127 boom_128 boom_129", "numbered numbered numbered"},
		{"boom_120 boom_128 boom_136", "numbered numbered numbered"},
		{"boom2047 boom2048", "numbered numbered"},
		{"boom_1000 boom_1001", "numbered numbered"},
		{"walk_128 walk_127", "animation animation"},
		{"wall_256 wall_512 wall_1024", "none none none"},
		{"icon16 icon_48 icon_256", "ui ui ui"},
		{"box_16 box_96 box_256", "numbered numbered none"},
		{"wall_256", "none"},
		{"wall.1001 wall.1002 wall.1199", "none none none"},
		{"wall_256 boom_255", "none numbered"},
		{"wall_r wall_n", "perhaps-data perhaps-normal"},
		{"wall_r wall", "perhaps-data none"},
		{"wall_r wall_albedo", "perhaps-data color"},
		{"wall_r floor_n", "none perhaps-normal"},
		{"wall_r", "none"},
		{"m_l m_r", "none none"},
		{"m_r m_n", "perhaps-data perhaps-normal"},
		{"door_l door_r door_n door", "none none perhaps-normal none"},
		{"shirt_s shirt_m shirt_l", "none none none"},
		{"coin_s coin_m", "none none"},
		{"AO MR AD FR", "none none none none"},
		{"ao normal basecolor", "occlusion normal color"},
		{"wall_ao wall_mr wall_bc wall_nm", "occlusion data color normal"},
		{"T_Wall_M", "data"},
		{"T_Door_R T_Door_L", "none none"},
		{"st_metal st_wood fl_metal", "none none none"},
		{"st_metal st_normal", "perhaps-data normal"},
		{"r n d", "perhaps-data perhaps-normal color"},
		{"r x", "letter letter"},
		{"fly1 fly2 move1 move2 static", "animation animation sprite sprite sprite"},
		{"explosion1 sun b1 sea", "numbered none numbered none"},
		{"fly1 fly2 move1 body_normal", "animation animation numbered normal"},
		{"checkbox_on checkbox_off button radio_on", "ui ui ui ui"},
		{"icon rock stone tree", "ui none none none"},
		{"elev terrain trees preview wall_2", "height codes codes none numbered"},
		{"wall_height terrain", "height none"},
	} {
		names := strings.Fields(tc.names)
		var got []string
		for i, n := range names {
			names[i] = "a/" + n + ".png"
		}
		settled := settle(names)
		for _, n := range names {
			got = append(got, settled[n].String())
		}
		if got := strings.Join(got, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.names, got, tc.want)
		}
	}
}

func TestFramesOfAnAnimationHaveOneName(t *testing.T) {
	for _, stem := range []string{"boom_", "walk", "hero-run.", "fx/spark_"} {
		var names []string
		for i := range 1300 {
			names = append(names, fmt.Sprintf("%s%d.png", stem, i))
		}
		all := settle(names)
		if kinds := slices.Compact(slices.Sorted(maps.Values(all))); len(kinds) != 1 {
			t.Errorf("%s: %v", stem, kinds)
		}
	}
}

// TestNeighborsHaveNoOrder checks that meanings depend only on the names in the same directory, and
// not on their order.
func TestNeighborsHaveNoOrder(t *testing.T) {
	word := rapid.SampledFrom([]string{"wall", "door", "r", "l", "n", "AO", "metal", "fly", "1", "128", "1001", "elev", "icon", "2k", "é"})
	name := rapid.Map(rapid.SliceOfN(word, 1, 3), func(w []string) string { return strings.Join(w, "_") + ".png" })
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 1, 12, rapid.ID[string]).Draw(t, "names")
		said := OfNeighbors(names)
		if again := OfNeighbors(rapid.Permutation(names).Draw(t, "order")); !maps.Equal(said, again) {
			t.Fatalf("%v, in another order %v", said, again)
		}
		for n, what := range said {
			if OfPath(n).Settle(what) == OfPath(n).Settle(Nameless) {
				t.Fatalf("%s is said to be %v, which it is anyway", n, what)
			}
		}
	})
}

func FuzzOfNeighbors(f *testing.F) {
	f.Add("a_r.png\na_l.png\nb_128.png\nb_127.PNG")
	f.Add("é_1001.tga\n\xff1.png\n.png\n1.png\n\x00")
	f.Fuzz(func(t *testing.T, lines string) {
		for _, n := range OfNeighbors(strings.Split(lines, "\n")) {
			if n > lastName {
				t.Error(n)
			}
		}
	})
}

func BenchmarkOfNeighbors(b *testing.B) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("creature_%d_walk_%02d.png", i/10, i%10))
	}
	for b.Loop() {
		OfNeighbors(names)
	}
}
