package role

import (
	"bytes"
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
		{"x", "none"},
		{"x y", "none none"},
		{"c f h m r t", "letter letter letter letter letter letter"},
		{"d n r", "color perhaps-normal perhaps-data"},
		{"n diffuse", "perhaps-normal color"},
		{"a b c d e n o", "none none none none none none none"},
		{"m n o", "perhaps-data perhaps-normal perhaps-data"},
		{"0 1 2 m n", "none none none none none"},
		{"m r p1 p2 p3 p4 p5 p6 p7 p8 p9", "none none numbered numbered numbered numbered numbered numbered numbered numbered numbered"},
		{"key_a key_b key_c key_d key_m", "none none none none none"},
		{"earthbump earth", "height none"},
		{"earthbump02 earth", "height none"},
		{"wallspec wall_diffuse", "perhaps-data color"},
		{"rocknormal rock", "perhaps-normal none"},
		{"earthbump moon", "none none"},
		{"sunglow sun gasmask gas", "none none none none"},
		{"normal small large", "perhaps-normal none none"},
		{"road_normal road_busy", "perhaps-normal none"},
		{"road_normal road_busy road_albedo", "normal none color"},
		{"wall_normal", "normal"},
		{"AUS FRA NOR", "none none perhaps-normal"},
		{"us_ak us_al us_ar us_az us_ca us_co us_ct us_de us_nm us_bc", "none none none none none none none none none none"},
		{"f_aut f_bel f_bul f_can f_den f_esp f_fin f_rom f_nor f_usa", "none none none none none none none none none none"},
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

// TestLettersOfAnAlphabetAreNotMaps checks that no letter of an alphabet means a map, whatever
// surrounds the letter in the name.
func TestLettersOfAnAlphabetAreNotMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stem := rapid.SampledFrom([]string{"", "key_", "key-", "Rune ", "rune_big_", "set1_"}).Draw(t, "stem")
		tail := rapid.SampledFrom([]string{"", "", "_01", "_2k", "_512", "_tex"}).Draw(t, "tail")
		first := rapid.IntRange(0, 23).Draw(t, "first")
		last := rapid.IntRange(first+3, 26).Draw(t, "last")
		letters := []byte("abcdefghijklmnopqrstuvwxyz"[first:last])
		if s := string(letters); s == "mno" {
			return // metal, normal and occlusion
		}
		for _, c := range rapid.SliceOf(rapid.SampledFrom([]byte("abcdefghijklmnopqrstuvwxyz0123456789"))).Draw(t, "more") {
			if !slices.Contains(letters, c) {
				letters = append(letters, c)
			}
		}
		if rapid.Bool().Draw(t, "upper") {
			letters = bytes.ToUpper(letters)
		}
		others := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"wall.png", "wall_n.png", "icon.png", "clouds.jpg", "normal.png"}), rapid.ID[string]).Draw(t, "others")
		for _, c := range letters {
			others = append(others, stem+string(rune(c))+tail+".png")
		}
		settled := settle(others)
		for _, c := range letters {
			name := stem + string(rune(c)) + tail + ".png"
			if n := settled[name]; n != Nameless && n != Numbered {
				t.Fatalf("%s among %v is %v", name, others, n)
			}
		}
	})
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

// TestNeighborsDoNotOverrideOtherNames checks that neighbors change only the meaning that the file
// name has, and not the meaning of a directory or of a rule.
func TestNeighborsDoNotOverrideOtherNames(t *testing.T) {
	said := OfNeighbors([]string{"a.png", "b.png", "c.png", "n.png"})
	for _, tc := range []struct {
		n    Name
		file string
		want Name
	}{
		{Letter, "a.png", Nameless}, {Normals, "a.png", Normals}, {Heights, "a.png", Heights},
		{PerhapsNormal, "n.png", Nameless}, {Normals, "n.png", Normals},
	} {
		if got := tc.n.Settle(said[tc.file]); got != tc.want {
			t.Errorf("%v of %s is settled as %v, want %v", tc.n, tc.file, got, tc.want)
		}
	}
}

// TestNeighborsHaveNoOrder checks that meanings depend only on the names in the same directory, and
// not on their order.
func TestNeighborsHaveNoOrder(t *testing.T) {
	word := rapid.SampledFrom([]string{"wall", "door", "a", "b", "c", "r", "l", "n", "AO", "normal", "nor", "metal", "fly", "1", "128", "1001", "elev", "icon", "2k", "é"})
	name := rapid.Map(rapid.SliceOfN(word, 1, 3), func(w []string) string { return strings.Join(w, "_") + ".png" })
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 1, 12, rapid.ID[string]).Draw(t, "names")
		said := OfNeighbors(names)
		if again := OfNeighbors(rapid.Permutation(names).Draw(t, "order")); !maps.Equal(said, again) {
			t.Fatalf("%v, in another order %v", said, again)
		}
		for n, what := range said {
			if OfPath(n).Settle(what) == OfPath(n).Settle(Change{}) {
				t.Fatalf("%s is said to be %v, which it is anyway", n, what)
			}
		}
	})
}

func FuzzOfNeighbors(f *testing.F) {
	f.Add("a_r.png\na_l.png\nb_128.png\nb_127.PNG")
	f.Add("é_1001.tga\n\xff1.png\n.png\n1.png\n\x00")
	f.Fuzz(func(t *testing.T, lines string) {
		for name, c := range OfNeighbors(strings.Split(lines, "\n")) {
			if c.From != OfPath(name) || c.To > lastName {
				t.Error(c)
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
