package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/hashing"
)

// manyAssets are n sources of one target.
func manyAssets(n int) []Asset {
	assets := make([]Asset, n)
	for i := range assets {
		source := fmt.Sprintf("textures/level%03d/stone%06d.png", i/1000, i)
		assets[i] = Asset{Source: source, Target: "pc", Outputs: []Output{
			{Path: strings.TrimSuffix(source, "png") + "ktx2", Size: int64(i), BLAKE3: hashing.DigestOf([]byte(source))},
		}}
	}
	return assets
}

func TestForm(t *testing.T) {
	digest := strings.Repeat("00", 32)
	for _, test := range []struct {
		name   string
		assets []Asset
		want   string
	}{
		{"nothing", nil, "{\"assetcook\":2,\"assets\":[\n]}\n"},
		{"some", []Asset{
			{Source: "a <b>.png", Outputs: []Output{{Path: "a.ktx2", Size: 7}, {Path: "a.json"}}},
			{Source: "a\xff", Target: "pc"},
			{Source: "b", Uses: []string{"a <b>.png", "a\xff"}, Outputs: []Output{{Path: "b.json"}, {Path: "b.png", Inner: true, Role: "color"}}},
		}, `{"assetcook":2,"assets":[
{"source":"a <b>.png","outputs":[{"path":"a.ktx2","size":7,"blake3":"` + digest + `"},{"path":"a.json","size":0,"blake3":"` + digest + `"}]},
{"source":"a\ufffd","source_base64":"Yf8=","target":"pc","outputs":[]},
{"source":"b","uses":[{"asset":"a <b>.png"},{"asset":"a\ufffd","asset_base64":"Yf8="}],"outputs":[{"path":"b.json","size":0,"blake3":"` + digest + `"},{"path":"b.png","size":0,"blake3":"` + digest + `","inner":true,"role":"color"}]}
]}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := folder{}
			err := Build(Single, slices.Values(test.assets), func(file File) error { f[file.Name] = file.Data; return nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{Name: test.want}, map[string]string{Name: string(f[Name])}); diff != "" || len(f) != 1 {
				t.Errorf("%d files, %s", len(f), diff)
			}
		})
	}
}

// The hash and the mask that divide a manifest into parts belong to the format. If they changed,
// all existing manifests would count as damaged.
func TestPartsBeginWhereTheyAlwaysDid(t *testing.T) {
	assets := manyAssets(5000)
	f := mustBuild(t, standard(Parts), assets)
	var firsts []string
	r, err := standard(Parts).openRoot(f[Name])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.parts {
		firsts = append(firsts, fmt.Sprintf("%s %d", p.first.source[len("textures/level"):], p.assets))
	}
	want := []string{"000/stone000000.png 42", "000/stone000042.png 2155", "002/stone002197.png 2493", "004/stone004690.png 310"}
	if diff := cmp.Diff(want, firsts); diff != "" {
		t.Error(diff)
	}
	if diff := same(f, oracle(standard(Parts), assets)); diff != "" {
		t.Error(diff)
	}
}

func TestLayoutIsTheSameAtEverySize(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 4097, 20_000} {
		assets := manyAssets(n)
		single, parts := mustBuild(t, standard(Single), assets), mustBuild(t, standard(Parts), assets)
		if len(single) != 1 || !bytes.HasPrefix(single[Name], []byte(opening)) {
			t.Errorf("%d assets: a single manifest has %d files and begins with %.30q", n, len(single), single[Name])
		}
		if (n > 0) != (len(parts) > 1) || !bytes.HasPrefix(parts[Name], []byte(partsOpening)) {
			t.Errorf("%d assets: a manifest of parts has %d files and begins with %.30q", n, len(parts), parts[Name])
		}
	}
}

// An update reads and writes only the parts that contain changes.
func TestUpdateTouches(t *testing.T) {
	assets := manyAssets(20_000)
	files := oracle(standard(Parts), assets)
	r, err := standard(Parts).openRoot(files[Name])
	if err != nil {
		t.Fatal(err)
	}
	find := func(k key) Asset {
		return assets[slices.IndexFunc(assets, func(a Asset) bool { return a.assetKey() == k })]
	}
	border := find(r.parts[3].first)
	inner := assets[slices.IndexFunc(assets, func(a Asset) bool { return a.assetKey() == border.assetKey() })+1]
	edited := inner
	edited.Outputs = []Output{{Path: "other"}}
	second := Asset{Source: border.Source, Target: "mobile"} // sorts before "pc"
	for _, test := range []struct {
		name                string
		changes             []Change
		read, write, remove int
	}{
		{"nothing", nil, 0, 0, 0},
		{"what is so already", []Change{{Asset: inner}}, 1, 0, 0},
		{"what is not there goes", []Change{{Asset: Asset{Source: "a", Target: "b"}, Remove: true}}, 1, 0, 0},
		{"an asset changes", []Change{{Asset: edited}}, 1, 2, 1},
		{"an asset goes", []Change{{Asset: inner, Remove: true}}, 1, 2, 1},
		{"the first of a part goes", []Change{{Asset: border, Remove: true}}, 2, 2, 2},
		{"the first of a part gets a target before it", []Change{{Asset: second}}, 1, 2, 1},
		{"its targets change places", []Change{{Asset: second}, {Asset: border, Remove: true}}, 1, 2, 1},
		{"before the first of all", []Change{{Asset: Asset{Source: "a"}}}, 1, 2, 1},
		{"after the last", []Change{{Asset: Asset{Source: "z"}}}, 1, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := folder(maps.Clone(files))
			read := 0
			write, remove, err := Update(Parts, f[Name], func(name string) ([]byte, error) { read++; return f.load(name) }, test.changes)
			if err != nil {
				t.Fatal(err)
			}
			if read != test.read || len(write) != test.write || len(remove) != test.remove {
				t.Errorf("read %d, wrote %d, removed %d; want %d, %d, %d", read, len(write), len(remove), test.read, test.write, test.remove)
			}
			if err := f.update(t, standard(Parts), test.changes); err != nil {
				t.Fatal(err)
			}
			if diff := same(f, oracle(standard(Parts), changed(assets, test.changes))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("a part is split", func(t *testing.T) {
		f := mustBuild(t, standard(Parts), slices.DeleteFunc(slices.Clone(assets), func(a Asset) bool { return a.assetKey() == border.assetKey() }))
		write, remove, err := Update(Parts, f[Name], f.load, []Change{{Asset: border}})
		if err != nil || len(write) != 3 || len(remove) != 1 {
			t.Errorf("wrote %d, removed %d: %v; want 3, 1", len(write), len(remove), err)
		}
	})
}

// An edit of a single file decodes only the lines near the change. It preserves a damaged line
// far from the change.
func TestEditOfSingleFileDecodesFewLines(t *testing.T) {
	assets := manyAssets(20_000)
	f := mustBuild(t, standard(Single), assets)
	far := bytes.Index(f[Name], []byte(assets[19_000].Source)) - len(`{"source":"`)
	f[Name][far] = '['
	edited := assets[1000]
	edited.Outputs = []Output{{Path: "other"}}
	write, remove, err := Update(Single, f[Name], f.load, []Change{{Asset: edited}})
	if err != nil || len(write) != 1 || len(remove) != 0 {
		t.Fatalf("wrote %d, removed %d: %v; want 1, 0", len(write), len(remove), err)
	}
	assets[1000] = edited
	want := oracle(standard(Single), assets)[Name]
	want[bytes.Index(want, []byte(assets[19_000].Source))-len(`{"source":"`)] = '['
	if !bytes.Equal(write[0].Data, want) {
		t.Error("the edit changed other lines")
	}
	if _, _, err := Update(Single, f[Name], f.load, []Change{{Asset: assets[19_000]}}); err == nil {
		t.Error("a change of the damaged line was applied")
	}
}

func TestFormats(t *testing.T) {
	assets := []Asset{{Source: "a", Outputs: []Output{{Path: "b\xff"}}}, {Source: "a", Target: "pc"}, {Source: "c\xff"}}
	one := folder{Name: oracleAssets(1, assets)}
	got, err := one.read(standard(Parts))
	if diff := cmp.Diff(assets, got); err != nil || diff != "" {
		t.Errorf("format 1: %v %s", err, diff)
	}
	if _, _, err := Update(Parts, one[Name], one.load, nil); !errors.Is(err, ErrFormat) {
		t.Errorf("format 1 is updated: %v", err)
	}
	// Format 1 had no parts, whatever the number of assets.
	many := manyAssets(5000)
	one = folder{Name: oracleAssets(1, many)}
	if got, err := one.read(standard(Parts)); err != nil || len(got) != len(many) {
		t.Errorf("%d assets of format 1, %v", len(got), err)
	}

	three := folder{Name: []byte(`{"assetcook":3,"tree":{}}`)}
	_, readErr := three.read(standard(Parts))
	_, _, updateErr := Update(Parts, three[Name], three.load, nil)
	for _, err := range []error{readErr, updateErr} {
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "format 3") {
			t.Errorf("format 3: %v", err)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	output := func(o Output) []Asset { return []Asset{{Source: "a", Outputs: []Output{o}}} }
	for _, test := range []struct {
		assets []Asset
		want   string
	}{
		{[]Asset{{Source: "b"}, {Source: "a"}}, "sort"},
		{[]Asset{{Source: "a", Target: "b"}, {Source: "a", Target: "a"}}, "sort"},
		{[]Asset{{Source: "a"}, {Source: "a"}}, "sort"},
		{[]Asset{{Source: ""}}, "source"},
		{[]Asset{{Source: "."}}, "source"},
		{[]Asset{{Source: ".."}}, "source"},
		{[]Asset{{Source: "/a"}}, "source"},
		{[]Asset{{Source: "../a"}}, "source"},
		{[]Asset{{Source: "a//b"}}, "source"},
		{[]Asset{{Source: "a/"}}, "source"},
		{[]Asset{{Source: "a", Target: "\xff"}}, "UTF-8"},
		{[]Asset{{Source: "a", ID: "D0F64A06-1BD3-54FD-96EA-44D6FF1AB0E4"}}, "UUID"},
		{[]Asset{{Source: "a", ID: "d0f64a0611bd3-54fd-96ea-44d6ff1ab0e4"}}, "UUID"},
		{[]Asset{{Source: "a", ID: "x"}}, "UUID"},
		{output(Output{}), "output"},
		{output(Output{Path: "../a"}), "output"},
		{output(Output{Path: "/a"}), "output"},
		{output(Output{Path: "a/../b"}), "output"},
		{output(Output{Path: "a", Size: -1}), "size -1"},
	} {
		err := Build(Single, slices.Values(test.assets), func(File) error {
			t.Errorf("%+v: a file is written", test.assets)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error about %q", test.assets, err, test.want)
		}
		var changes []Change
		for _, a := range test.assets {
			changes = append(changes, Change{Asset: a})
		}
		f := folder{Name: oracleAssets(2, nil)}
		if err := f.update(t, standard(Parts), changes); err == nil {
			t.Errorf("%+v: taken as changes", test.assets)
		}
	}
}

func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	assets := fuzzAssets()
	for _, c := range []cutting{small, standard(Single)} {
		for n := range oracle(c, assets) {
			err := c.buildManifest(slices.Values(assets), func(file File) error {
				if file.Name == n {
					return full
				}
				return nil
			})
			if !errors.Is(err, full) {
				t.Errorf("%s: %v", n, err)
			}
		}
	}
}

func TestReadStops(t *testing.T) {
	f := mustBuild(t, small, fuzzAssets())
	for stop := 1; stop < len(fuzzAssets()); stop++ {
		n := 0
		for _, err := range small.readAssets(f[Name], f.load) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == stop {
				break
			}
		}
	}
}

func TestMissingPart(t *testing.T) {
	assets := manyAssets(5000)
	f := mustBuild(t, standard(Parts), assets)
	names, err := f.parts(standard(Parts))
	if err != nil || len(names) < 3 {
		t.Fatalf("%d parts, %v", len(names), err)
	}
	r, err := standard(Parts).openRoot(f[Name])
	if err != nil {
		t.Fatal(err)
	}
	delete(f, names[1])
	var readErr error
	for _, readErr = range Read(f[Name], f.load) {
	}
	if !errors.Is(readErr, fs.ErrNotExist) || !strings.Contains(readErr.Error(), names[1]) {
		t.Errorf("read: %v does not say that %s does not exist", readErr, names[1])
	}
	at := func(p part) Asset { return Asset{Source: p.first.source, Target: p.first.target} }
	all := []Change{}
	for _, a := range assets {
		if a.Source < r.parts[1].first.source || a.Source >= r.parts[2].first.source {
			all = append(all, Change{Asset: a, Remove: true})
		}
	}
	for _, test := range []struct {
		name    string
		changes []Change
		missed  bool
	}{
		{"a change before", []Change{{Asset: Asset{Source: "a"}}}, false},
		{"a change in it", []Change{{Asset: at(r.parts[1])}}, true},
		{"the next part joins it", []Change{{Asset: at(r.parts[2]), Remove: true}}, true},
		{"another asset comes in for the next part's first", []Change{{Asset: at(r.parts[2]), Remove: true}, {Asset: Asset{Source: r.parts[2].first.source + "x"}}}, true},
		{"it alone remains", all, false},
	} {
		if _, _, err := Update(Single, f[Name], f.load, test.changes); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a single file without the part: %v", test.name, err)
		}
		_, _, err := Update(Parts, f[Name], f.load, test.changes)
		if errors.Is(err, fs.ErrNotExist) != test.missed || (err == nil) == test.missed {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// The test tries each character that JSON can escape.
func TestTextIsThatOfEncodingJSON(t *testing.T) {
	check := func(s string) {
		got := string(appendText(nil, s))
		if want := jsonOf(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		c := cursor{rest: got}
		if back := c.readText(); utf8.ValidString(s) && (back != s || c.expectEnd() != nil) {
			t.Errorf("%s: read as %q, %v", got, back, c.err)
		}
	}
	for b := range 256 {
		check(string([]byte{'a', byte(b), 'z'}))
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r < 0x3000 || r >= 0xfff0 && r < 0x10010 || r >= unicode.MaxRune-1 {
			check(string(r))
		}
	}
	check("\xe2\x80")
}
