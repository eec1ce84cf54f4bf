package role

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn reports whether images of the role are drawn unscaled and without mipmaps.
func drawn(r Role) bool { return r == UI || r == Sprite || r == Font }

// TestGamePicturesGetTheRightRole checks the role that OfPath gives to each name in testdata. Roles
// with the right Meaning pass. If the list says that the game draws the image unscaled, the role must
// say so too. Names that end in "_n" must have no role, because their role depends on the pixels.
// Names that the list marks as unsure may have no role.
func TestGamePicturesGetTheRightRole(t *testing.T) {
	f, err := os.Open("testdata/names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	settled := settleListed(t, "testdata/names.tsv")
	var all, left, unsure, wrong, lies, flattened, textures int
	for s := bufio.NewScanner(f); s.Scan(); {
		path, label, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			continue
		}
		label, needsPixels := strings.CutSuffix(label, "?")
		if label == "flat" {
			label = "color"
		} else if label == "color" {
			textures++
		}
		truth := Parse(label)
		if truth == Unknown {
			t.Fatalf("%s: label %q", path, label)
		}
		all++
		named := settled[path]
		switch named {
		case PerhapsNormal:
			left++
			continue
		case PerhapsData:
			unsure++
			continue
		}
		switch got := named.Role(); {
		case Meaning(got) != Meaning(truth):
			t.Logf("%s is %v by its name, want %v (pixels needed: %v)", path, named, truth, needsPixels)
			wrong++
			if got != Unknown && got.Treatment().Colors {
				lies++
			}
		case drawn(truth) && !drawn(got):
			t.Logf("%s is %v by its name, want %v", path, named, truth)
			wrong++
		case truth == Color && drawn(got) && strings.HasSuffix(s.Text(), "\tcolor"):
			t.Logf("%s is %v by its name, but is a texture", path, named)
			flattened++
		}
	}
	t.Logf("%d names: %d wrong, %d left to pixels, %d unsure, %d data called colors, %d of %d textures without levels",
		all, wrong, left, unsure, lies, flattened, textures)
	if all < 1000 || 100*(wrong+flattened) > all || 100*unsure > 3*all || 100*left > 3*all || lies > 0 {
		t.Error("more than 1 % are wrong, more than 3 % unsure or left to pixels, or data is surely taken for colors")
	}
}

// TestNamesAgreeWithMaterialSlots checks that the role of a name agrees with the material slots
// that use the image, or is Unknown. The words of package role were collected from other files.
// bench/results/roles.md lists the words that were added for these files later.
func TestNamesAgreeWithMaterialSlots(t *testing.T) {
	file, err := os.ReadFile("testdata/slots.tsv")
	if err != nil {
		t.Fatal(err)
	}
	settled := settleListed(t, "testdata/slots.tsv")
	var all, unsure, wrong, lies int
	for line := range strings.Lines(string(file)) {
		path, label, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		want := Parse(label)
		if want == Unknown {
			t.Fatalf("%s: label %q", path, label)
		}
		all++
		named := settled[path]
		got := named.Role()
		switch {
		case named == PerhapsNormal || named == PerhapsData:
			unsure++
		case Meaning(got) != Meaning(want):
			t.Logf("%s is %s, its path says %v", path, label, named)
			wrong++
			if got != Unknown && Meaning(got) == "color" {
				lies++
			}
		}
	}
	t.Logf("%d names: %d wrong, %d of them data called colors, %d unsure", all, wrong, lies, unsure)
	// Two data images have names that mean colors. One belongs to a model in a directory of
	// environments. The other, "SheenChairOcclusion-SheenChairBaseColor", names both occlusion and
	// color.
	if all < 1000 || 100*wrong > all || 100*unsure > 3*all || lies > 2 {
		t.Error("more than 1 % are wrong, more than 3 % unsure, or data is called colors")
	}
}

func TestOfPath(t *testing.T) {
	for path, want := range map[string]Name{
		"wall_n.png": PerhapsNormal, "wall-n.png": Nameless, "_n.png": PerhapsNormal, "n.png": PerhapsNormal, "maps/h.png": PerhapsMap, "rock/height.png": Heights, "RockHeight.png": Heights, "rock/specular.png": PerhapsData, "RockSpec.png": PerhapsData, "rock/metal.png": Nameless, "depth.png": Nameless, "maps/f.png": Letter, "ui/f.png": UIs, "fx.png": Nameless, "é.png": Nameless, "page-10_tcmask.png": Masked, "wall_n2.png": Numbered, "wall_n_2.png": PerhapsNormal,
		"T_Wall_N.png": Normals, "T_Wall_M.png": PerhapsMap, "T_Wall_D.png": Colors, "T.png": Letter,
		"wall_nor_gl_2k.jpg": OpenGL, "wall_nor_dx_2k.jpg": DirectX, "Wall_4K-JPG_NormalDX.jpg": DirectX, "wall_Normal_OpenGL.png": OpenGL,
		"wall_rough.png": PerhapsMap, "wall_rough_2k.png": Packed, "rough_wall.png": Nameless, "darkMetal.png": Nameless, "metal.png": Nameless,
		"windmill_arm.jpg": PerhapsMap, "wall_arm_1k.jpg": Packed, "wall_ARM.jpg": Packed,
		"wall_ao.png": PerhapsMap, "wall_ao_2k.png": Occlusion, "AO.png": PerhapsMap, "MR_T.png": Nameless, "WallAmbientOcclusion.png": Occlusion, "ambient occlusion.png": Occlusion, "chaos.png": Nameless,
		"ui/wall_ao.png": UIs, "gui-qt/a/combo-normal.png": UIs, "icons32/a.png": UIs, "ui/normal.png": UIs, "button_normal.png": UIs, "wall_normal.png": Normals, "icons/bow_n.png": UIs,
		"walk_01.png": Animations, "walk.png": Nameless, "sprites/hero_normal.png": Sprites, "a/SPRITES/tree.png": Sprites,
		"boom_07.png": Numbered, "boom_1024.png": PerhapsNumbered, "walk_128.png": PerhapsNumbered, "wall_normal_1024.png": Normals, "icon_256.png": UIs, "boom_64x64.png": Nameless, "wall.1001.exr": PerhapsNumbered, "wall_1200.png": Numbered, "House_Normal.1001.png": Normals, "007.png": Nameless,
		"wall_albedo_lod0.png": Colors, "wall_basecolor_u1_v1.tga": Colors, "wall_BaseColor_sRGB.png": Colors,
		"normalmap_earth_N1.png": Normals, "BumpMap.png": Normals, "wall_bump.png": Heights, "MaskMap.png": Packed, "wall_mask.png": Masked,
		"sky.hdr": Environments, "sky_4k.HDR": Environments, "a/b.hdr": Environments, "hdr": Nameless, "skybox/left.png": Environments,
		"lut/warm.png": LUTs, "LUT_warm_16.png": LUTs, "flute.png": Nameless, "brdf_lut.png": LUTs, "fonts/a.png": Fonts, "lightmaps/a.png": Lightmaps,
		"wall_hm.png": Heights, "el_light_blend.tga": Colors, "ohm.png": Nameless, "hm.png": Nameless, "ao/wall.png": Occlusion, "Normal_Plane.png": PerhapsNormal, "normal_button.png": UIs,
		"Occlusion_lid_2.jpg": PerhapsData, "roughness.1.png": Packed, "depth_charge.png": Nameless, "hdri/room_Normal.png": Normals, "hdri/room_2.png": Environments,
		"": Nameless, "/": Nameless, ".png": Nameless, "a/.": Nameless, "___.png": Nameless, "ui/": UIs, "2k.png": Nameless, "k.png": Letter,
		"ui/" + strings.Repeat("a", 300) + ".png": Nameless, strings.Repeat("a_", 120) + "normal.png": Nameless, strings.Repeat("a", 40) + "_normal.png": Normals,
	} {
		if got := OfPath(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
		if n := testing.AllocsPerRun(5, func() { OfPath(path) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", path, n)
		}
	}
}

// TestWordsAreUnique checks that each word is in one group, and that no word is longer than
// maxWord.
func TestWordsAreUnique(t *testing.T) {
	all := sortedWords()
	for i, w := range all {
		if i > 0 && all[i-1].text >= w.text || len(w.text) > maxWord || w.text != strings.ToLower(w.text) {
			t.Errorf("%q is in two groups or not a word", w.text)
		}
		if (w.name == Nameless) == (w.tag == noTag) || (w.name == Nameless) != (w.flags == 0) {
			t.Errorf("%q means %v at %b, tag %d", w.text, w.name, w.flags, w.tag)
		}
	}
}

func TestWords(t *testing.T) {
	for _, n := range Names() {
		if ParseName(n.String()) != n {
			t.Errorf("%v is parsed as %v", n, ParseName(n.String()))
		}
	}
	for r := Color; r <= Font; r++ {
		if Parse(r.String()) != r {
			t.Errorf("%v is parsed as %v", r, Parse(r.String()))
		}
	}
	if ParseName("none") != Nameless || ParseName("x") != Nameless || Parse("") != Unknown || Parse("auto") != Unknown {
		t.Error("words that say nothing are parsed")
	}
}

func FuzzOfPath(f *testing.F) {
	for _, s := range []string{"a/T_Wall_N_2k.png", "ORMMap", "a1b2_", "é_normal", "4k4k", "u1_v1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if n := OfPath(path); n > lastName {
			t.Errorf("%q: %d", path, n)
		}
	})
}

func BenchmarkOfPath(b *testing.B) {
	for b.Loop() {
		OfPath("textures/castle/brick_wall_NormalGL_2k.png")
		OfPath("images/units/elves/shyde-healing6.png")
	}
}

// TestJoiningSlotsIgnoresOrder joins slots in any order. A slot that reads only alpha must never
// change the role of red, green and blue.
func TestJoiningSlotsIgnoresOrder(t *testing.T) {
	words := []string{
		"baseColorTexture", "emissiveTexture", "specularGlossinessTexture", "specularTexture", "sheenRoughnessTexture",
		"normalTexture", "occlusionTexture", "normalRoughnessMetallicTexture", "MOZ_lightmap", "map_Kd", "bump", "map_Ns",
	}
	rapid.Check(t, func(t *rapid.T) {
		slot := rapid.Map(rapid.SampledFrom(words), OfSlot)
		a, b := slot.Draw(t, "a"), slot.Draw(t, "b")
		one, suits := a.Join(b)
		other, also := b.Join(a)
		if one != other || suits != also {
			t.Fatalf("joined, %v and %v give %v (%v) or, in the other order, %v (%v)", a, b, one, suits, other, also)
		}
		if again, _ := one.Join(b); again != one && suits {
			t.Fatalf("%v and %v give %v, but %v after joining the second again", a, b, one, again)
		}
		if a.Alpha == Alone && (one.Role != b.Role || !suits) || suits && (one.Alpha == Opacity) != (a.Alpha == Opacity || b.Alpha == Opacity) {
			t.Fatalf("joined, %v and %v give %v (%v)", a, b, one, suits)
		}
	})
}
