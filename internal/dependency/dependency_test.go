package dependency

import (
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/pathname"
)

// TestTextsKeepTheirForm checks that encoded texts do not change, because existing indexes, stores
// and keys contain them.
func TestTextsKeepTheirForm(t *testing.T) {
	seen := map[Kind]bool{}
	for _, tc := range []struct {
		on          Dependency
		text, shown string
	}{
		{OfFile("a/b.png"), "a/b.png", "a/b.png"},
		{OfFile("@"), "@", "@"},
		{OfFile(""), "", ""},
		{Dependency{Kind: Presence, Path: "../a"}, "\x00../a", "../a"},
		{Dependency{Kind: Presence, Path: "->"}, "\x00->", "->"},
		{Dependency{Kind: Link, Path: "/abs/l"}, "/abs/l\x00->", "/abs/l (link)"},
		{Dependency{Kind: Link, Path: "@"}, "@\x00->", "@ (link)"},
		{Dependency{Kind: Link, Path: "a."}, "a.\x00->", "a. (link)"},
		{Dependency{Kind: Folder, Path: "/lib"}, "/lib/.\x00.", "/lib"},
		{Dependency{Kind: Folder, Path: "."}, ".\x00.", "."},
		{Dependency{Kind: Entries, Path: "a/b"}, "a/b/.\x00", "a/b/"},
		{Dependency{Kind: Entries, Path: "."}, ".\x00", "./"},
		{OfNames(".", "*.x", false), ".\x00*.x", "*.x"},
		{OfNames(".", "->", false), ".\x00->", "->"},
		{OfNames("/", "*.x", false), "/.\x00*.x", "/*.x"},
		{OfNames("../a", "*", false), "../a/.\x00*", "../a/*"},
		{OfNames("a", ".", false), "a/.\x00.", "a"},
		{OfNames("a/b", "*", true), "a/b/.\x00*\x00", "a/b/*/"},
		{Dependency{Kind: Extract, Path: "a/car.glb", Function: "materials.1"}, "a/car.glb\x00materials.1\x00", "a/car.glb (materials)"},
		{Dependency{Kind: Extract, Path: "a/car.glb", Function: "materials.1", Subject: "t/x.png"}, "a/car.glb\x00materials.1\x00t\x00x.png\x00", "a/car.glb (materials)"},
		{Dependency{Kind: Extract, Path: "car.", Function: "m.2", Subject: "x"}, "car.\x00m.2\x00x\x00", "car. (m)"},
		{Dependency{Kind: Extracts, Path: "a", Pattern: "*.glb", Function: "m.2"}, "a/.\x00*.glb\x00m.2\x00", "a/*.glb (m)"},
		{Dependency{Kind: Extracts, Path: "a", Pattern: "*.glb", Function: "m.2", Subject: "t/x.png"}, "a/.\x00*.glb\x00m.2\x00t\x00x.png\x00", "a/*.glb (m)"},
		{Dependency{Kind: Extracts, Path: ".", Pattern: "*", Function: "m.2", Subject: "x"}, ".\x00*\x00m.2\x00x\x00", "* (m)"},
		{Dependency{Kind: Extracts, Path: "/", Pattern: "*", Function: "m.2"}, "/.\x00*\x00m.2\x00", "/* (m)"},
		{OfArtifacts(Artifacts, "pc", []string{"a b", "!/c"}), "@\x00pc\x00a b\x00!/c", "artifacts a b !/c"},
		{OfArtifacts(Artifacts, "", []string{"**"}), "@\x00\x00**", "artifacts **"},
		{OfArtifacts(Artifacts, "pc", []string{""}), "@\x00pc\x00", "artifacts "},
		{Dependency{Kind: IDs, Path: "pc", Pattern: "**"}, "@\x00pc\x00**\x00", "IDs of **"},
		{OfName("pc", "t/a.png", "t/a.0123456789abcdef.ktx2"), "@@\x00pc\x00t/a.png\x00t/a.0123456789abcdef.ktx2\x00", "name of the cooked t/a.png"},
		{OfName("", "a", "b"), "@@\x00\x00a\x00b\x00", "name of the cooked a"},
	} {
		seen[tc.on.Kind] = true
		on, err := Decode(tc.text)
		if Encode(tc.on) != tc.text || err != nil || on != tc.on || tc.on.String() != tc.shown {
			t.Errorf("%+v: %q, %+v %v, shown as %s", tc.on, Encode(tc.on), on, err, tc.on)
		}
		if !tc.on.Kind.IsArtifacts() && tc.on.Kind != Presence && path.Dir(tc.text) != tc.on.InFolder() {
			t.Errorf("%q is in %s, want %s", tc.text, path.Dir(tc.text), tc.on.InFolder())
		}
	}
	if len(seen) != int(kinds) {
		t.Errorf("%d kinds have texts, want %d", len(seen), kinds)
	}
}

func TestOtherTextsAreRefused(t *testing.T) {
	for _, text := range []string{
		"\x00a\x00b\x00", "\x00a\x00", "a\x00", "a\x00b", "a\x00b/c\x00", "a\x00b\x00\x00", "x\x00y/.\x00", ".\x00a/b", ".\x00a\x00b",
		".\x00a/b\x00m\x00", "@\x00", "@\x00pc", "a\x00->\x00\x00", "./.\x00", "//.\x00", "\x00->\x00", "@@\x00", "@@\x00pc\x00a\x00b", "@@\x00pc\x00a/b\x00\x00b\x00",
	} {
		if on, err := Decode(text); err == nil {
			t.Errorf("%q: %+v", text, on)
		}
	}
}

func drawDependency(t *rapid.T) Dependency {
	name := rapid.SampledFrom([]string{"a", "b.c", "..", "->", "a.", "*", "\xff"})
	names := func() string { return strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "names"), "/") }
	folder := func() string { return rapid.SampledFrom([]string{".", "/", "/" + names(), names()}).Draw(t, "folder") }
	d := Dependency{Kind: Kind(rapid.IntRange(0, int(kinds)-1).Draw(t, "kind"))}
	switch d.Kind {
	case File, Presence, Link:
		d.Path = names()
	case Folder, Entries:
		d.Path = folder()
	case Files, Folders:
		d.Path, d.Pattern = folder(), name.Draw(t, "pattern")
	case Extract:
		d.Path, d.Function = names(), "f.1"
	case Extracts:
		d.Path, d.Pattern, d.Function = folder(), name.Draw(t, "pattern"), "f.1"
	case Artifacts, IDs:
		d = OfArtifacts(d.Kind, rapid.SampledFrom([]string{"", "pc"}).Draw(t, "target"), rapid.SliceOfN(name, 1, 3).Draw(t, "patterns"))
	case Name:
		d = OfName(rapid.SampledFrom([]string{"", "pc"}).Draw(t, "target"), names(), names())
	}
	if d.Kind.IsExtract() && rapid.Bool().Draw(t, "about") {
		d.Subject = names()
	}
	return d
}

func TestDecodeReturnsWhatWasEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDependency(t)
		if back, err := Decode(Encode(d)); back != d || err != nil {
			t.Fatalf("%+v is encoded as %q, which is %+v, %v", d, Encode(d), back, err)
		}
	})
}

func TestDependenciesAreInTheOrderOfTheirTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDependency(t), drawDependency(t)
		if got, want := Compare(a, b), strings.Compare(Encode(a), Encode(b)); got != want || (got == 0) != (a == b) {
			t.Fatalf("%+v and %+v: %d, want %d", a, b, got, want)
		}
	})
}

// TestPlainDependenciesHaveTexts draws every field from texts that have a meaning in an encoded
// dependency.
func TestPlainDependenciesHaveTexts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "/", ".", "..", "@", "->", "\x00", "*"}), 0, 4).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		d := Dependency{Kind: Kind(rapid.IntRange(0, int(kinds)-1).Draw(t, "kind")), Path: text.Draw(t, "path"), Pattern: text.Draw(t, "pattern"),
			Function: text.Draw(t, "function"), Subject: text.Draw(t, "subject")}
		if rapid.Bool().Draw(t, "only used fields") {
			switch d.Kind {
			case Extract:
				d.Pattern = ""
			case Files:
				d.Function, d.Subject = "", ""
			}
		}
		if !d.surelyHasText() {
			return
		}
		if back, err := Decode(Encode(d)); back != d || err != nil {
			t.Fatalf("%+v is encoded as %q, which is %+v, %v", d, Encode(d), back, err)
		}
	})
	for _, d := range []Dependency{
		{Kind: Extract, Path: "a/b.glb", Function: "materials.1", Subject: "t/x.png"},
		{Kind: Extracts, Path: ".", Pattern: "*.glb", Function: "materials.1", Subject: "x.png"},
		{Kind: Files, Path: "/", Pattern: "*"},
	} {
		if !d.surelyHasText() {
			t.Errorf("%+v is not plain", d)
		}
	}
}

func TestUnclearNamesAreRefused(t *testing.T) {
	for _, d := range []Dependency{
		{Kind: Extract, Path: "@", Function: "f"}, {Kind: Extract, Path: "a/.", Function: "f"}, {Kind: Link, Path: "a/."}, {Kind: Files, Path: "a"}, {Kind: Entries, Path: "a/"},
		{Kind: Files, Path: "a", Pattern: "b/c"}, {Kind: Presence, Path: "a\x00"}, {Path: "a\x00b"}, {},
		{Kind: Link, Path: "."}, {Path: ".."}, {Path: "../../a"}, {Path: "/../a"}, {Kind: Entries, Path: "../.."}, {Path: strings.Repeat("a", maxName+1)},
	} {
		if at, err := d.Resolve("b/c"); err == nil {
			t.Errorf("%+v: %+v", d, at)
		}
	}
}

func TestNamesResolveInTheTree(t *testing.T) {
	for _, tc := range []struct{ source, name, want string }{
		{"models/kart.gltf", "kart.bin", "models/kart.bin"},
		{"models/kart.gltf", "../textures/a.png", "textures/a.png"},
		{"models/kart.gltf", "./x/../kart.bin", "models/kart.bin"},
		{"kart.gltf", "kart.bin", "kart.bin"},
		{"models/kart.gltf", "/shared/a.glsl", "shared/a.glsl"},
		{"models/kart.gltf", "/../a", ""},
		{"models/kart.gltf", "../../a", ""},
		{"kart.gltf", "../a", ""},
		{"kart.gltf", "", ""},
		{"kart.gltf", "a\x00b", ""},
		{"models/kart.gltf", "..", ""},
	} {
		got, err := OfFile(tc.name).Resolve(tc.source)
		if got.Path != tc.want || (err == nil) == (tc.want == "") {
			t.Errorf("%q of %q: %q, %v; want %q", tc.name, tc.source, got.Path, err, tc.want)
		}
	}
}

// TestResolveListing resolves relative directories whose names are listed.
func TestResolveListing(t *testing.T) {
	for folder, want := range map[string]string{".": "d", "/": ".", "..": ".", "../..": "", "../../": "", "x": "d/x"} {
		if got, err := OfNames(folder, "*", true).Resolve("d/a"); got.Path != want || (err == nil) != (want != "") {
			t.Errorf("%q: %+v, %v; want %q", folder, got, err, want)
		}
	}
}

// TestNamesSurviveMovingTheirDirectory checks that declared names stay the same if a directory is
// renamed with its content, and that they resolve to the new path.
func TestNamesSurviveMovingTheirDirectory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDependency(t)
		d.Subject = ""
		at, err := d.Resolve("x/y/z/source")
		if err != nil {
			t.Skip(err)
		}
		if at.Named(d.Path) != d {
			t.Fatalf("%+v resolves to %+v", d, at)
		}
		if !d.hasText() || !at.hasText() {
			t.Fatalf("%+v at %+v: encoded as %q and %q", d, at, Encode(d), Encode(at))
		}
		if about := path.Join(at.InFolder(), at.Subject); d.Kind.IsExtract() && about != "x/y/z/source" {
			t.Fatalf("%+v is about %s", at, about)
		}
		if want := path.Join("x/y/z", d.Path); !d.Kind.IsArtifacts() && at.Path != want && at.Path != path.Join(".", d.Path[1:]) {
			t.Fatalf("%+v is at %s, want %s", d, at.Path, want)
		}
	})
}

func TestStampedFindsTheStampedEntry(t *testing.T) {
	for text, want := range map[string]struct {
		as   Kind
		name string
	}{
		"a\x00": {File, "a\x00"}, "@\x00": {File, "@\x00"}, "\x00": {File, "\x00"},
		Encode(Dependency{Kind: Link, Path: "a"}) + "\x00":                                  {Link, "a\x00"},
		Encode(Dependency{Kind: Entries, Path: "."}) + "\x00":                               {Folder, ""},
		Encode(Dependency{Kind: Folder, Path: "."}) + "\x00":                                {Folder, ""},
		Encode(OfNames(".", "->", false)) + "\x00":                                          {Folder, ""},
		Encode(OfNames(".", "*", true)) + "\x00":                                            {Folder, ""},
		Encode(Dependency{Kind: Extract, Path: "a", Function: "f.1"}) + "\x00":              {Extract, "a\x00"},
		Encode(Dependency{Kind: Extracts, Path: ".", Pattern: "*", Function: "f"}) + "\x00": {Folder, ""},
	} {
		if as, name := Stamped([]byte(text)); as != want.as || string(name) != want.name {
			t.Errorf("%q: kind %d of %q", text, as, name)
		}
	}
}

// FuzzDecode checks that a decoded dependency encodes to the same bytes, and that String and
// Resolve do not panic.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "a", "\x00a", "a\x00->", "a/.\x00*\x00", "a\x00f\x00s\x00t\x00", ".\x00*\x00f\x00s\x00", "@\x00pc\x00*\x00", "//.\x00", "./.\x00", "@\x00f\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Decode(text)
		if err != nil {
			if d != (Dependency{}) || !strings.Contains(text, "\x00") {
				t.Fatalf("%q: %+v, %v", text, d, err)
			}
			return
		}
		if Encode(d) != text || d.Kind >= kinds {
			t.Fatalf("%q: %+v, encoded as %q", text, d, Encode(d))
		}
		_ = pathname.Show(d.String())
		if at, err := d.Resolve("a/b"); err == nil && (strings.HasPrefix(at.Path, "../") || slices.Contains([]string{"", ".."}, at.Path)) && !at.Kind.IsArtifacts() {
			t.Fatalf("%+v resolves to %+v", d, at)
		}
	})
}
