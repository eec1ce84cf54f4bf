package manifest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/blake3"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/hashing"
)

// The oracle is a simple implementation of the format in the package comment. It uses encoding/json
// and always writes the whole list.
type (
	jsonAsset struct {
		Source       string       `json:"source"`
		SourceBase64 string       `json:"source_base64,omitempty"`
		Target       string       `json:"target,omitempty"`
		ID           string       `json:"id,omitempty"`
		Uses         []jsonUse    `json:"uses,omitempty"`
		Outputs      []jsonOutput `json:"outputs"`
	}
	jsonOutput struct {
		Path       string `json:"path"`
		PathBase64 string `json:"path_base64,omitempty"`
		Size       int64  `json:"size"`
		BLAKE3     string `json:"blake3"`
		Inner      bool   `json:"inner,omitempty"`
		Role       string `json:"role,omitempty"`
	}
	jsonUse struct {
		Asset       string `json:"asset"`
		AssetBase64 string `json:"asset_base64,omitempty"`
	}
	jsonPart struct {
		First       string `json:"first"`
		FirstBase64 string `json:"first_base64,omitempty"`
		FirstTarget string `json:"first_target,omitempty"`
		Path        string `json:"path"`
		Assets      int    `json:"assets"`
	}
)

func jsonOf(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.String()[:b.Len()-1]
}

func base64Of(name string) string {
	if utf8.ValidString(name) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(name))
}

func oracleAsset(a Asset) jsonAsset {
	j := jsonAsset{Source: a.Source, SourceBase64: base64Of(a.Source), Target: a.Target, ID: a.ID, Outputs: []jsonOutput{}}
	for _, used := range a.Uses {
		j.Uses = append(j.Uses, jsonUse{used, base64Of(used)})
	}
	for _, o := range a.Outputs {
		j.Outputs = append(j.Outputs, jsonOutput{o.Path, base64Of(o.Path), o.Size, hex.EncodeToString(o.BLAKE3[:]), o.Inner, o.Role})
	}
	return j
}

func oracleList[T any](format int, kind string, rows []T) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"assetcook":%d,"%s":[`, format, kind)
	for i, row := range rows {
		b.WriteString(map[bool]string{true: "\n", false: ",\n"}[i == 0])
		b.WriteString(jsonOf(row))
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

func oracleAssets(format int, assets []Asset) []byte {
	rows := make([]jsonAsset, len(assets))
	for i, a := range assets {
		rows[i] = oracleAsset(a)
	}
	return oracleList(format, "assets", rows)
}

// oracle returns the files of a manifest for sorted assets.
func oracle(c cutting, assets []Asset) map[string][]byte {
	if c.layout == Single {
		return map[string][]byte{Name: oracleAssets(2, assets)}
	}
	files := map[string][]byte{}
	var rows []jsonPart
	for len(assets) > 0 {
		n := 1
		for n < len(assets) && (assets[n].Source == assets[n-1].Source || xxh3.HashString(assets[n].Source)%(c.mask+1) != 0) {
			n++
		}
		data := oracleAssets(2, assets[:n])
		sum := blake3.Sum256(data)
		name := fmt.Sprintf("manifest.parts/%x.json", sum[:16])
		files[name] = data
		first := assets[0]
		rows = append(rows, jsonPart{first.Source, base64Of(first.Source), first.Target, name, n})
		assets = assets[n:]
	}
	files[Name] = oracleList(2, "parts", rows)
	return files
}

// drawUses returns a random sorted list of sources, nil in most cases.
func drawUses(t *rapid.T) []string {
	list := rapid.SliceOfN(names, 0, 2).Draw(t, "uses")
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		return nil
	}
	return list
}

// Names of sources and outputs consist of few and awkward letters, so that they often collide.
var (
	letters = []string{"a", "b", "c", "z", "é", "\xff", "\xc3", "\ufffd", "\"", "\\", "<", "\u2028", "\x01", "\x7f", "\t", "𝄞", "."}
	names   = rapid.Custom(func(t *rapid.T) string {
		var name []byte
		for _, s := range rapid.SliceOfN(rapid.SampledFrom(letters), 1, 3).Draw(t, "letters") {
			name = append(name, s...)
		}
		return string(name)
	}).Filter(namesSource).Filter(namesOutput)
	targets = rapid.SampledFrom([]string{"", "", "mobile", "pc", "é<\n"})
	uuids   = rapid.SampledFrom([]string{"", "", "d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4", "00000000-0000-0000-0000-000000000000"})
	outputs = rapid.Custom(func(t *rapid.T) Output {
		return Output{
			Path:   "out/" + names.Draw(t, "path"),
			Size:   rapid.SampledFrom([]int64{0, 7, 10, 1<<63 - 1}).Draw(t, "size"),
			BLAKE3: hashing.DigestOf([]byte{rapid.Byte().Draw(t, "content")}),
			Inner:  rapid.Bool().Draw(t, "inner"),
			Role:   rapid.SampledFrom([]string{"", "color", "normal"}).Draw(t, "role"),
		}
	})
	someAssets = rapid.Custom(func(t *rapid.T) []Asset {
		var assets []Asset
		for range rapid.IntRange(0, 30).Draw(t, "assets") {
			assets = append(assets, Asset{names.Draw(t, "source"), targets.Draw(t, "target"), uuids.Draw(t, "ID"), drawUses(t), rapid.SliceOfN(outputs, 0, 2).Draw(t, "outputs")})
		}
		return sorted(assets)
	})
	cuttings = rapid.Custom(func(t *rapid.T) cutting {
		return cutting{
			layout: rapid.SampledFrom([]Layout{Single, Parts}).Draw(t, "layout"),
			mask:   rapid.SampledFrom([]uint64{0, 1, 3, 7}).Draw(t, "mask"),
		}
	})
)

// sorted sorts assets and keeps one asset for each source and target.
func sorted(assets []Asset) []Asset {
	slices.SortStableFunc(assets, func(a, b Asset) int { return a.assetKey().compare(b.assetKey()) })
	return slices.CompactFunc(assets, func(a, b Asset) bool { return a.assetKey() == b.assetKey() })
}

// drawChanges returns random changes, about half of them to existing assets.
func drawChanges(t *rapid.T, assets []Asset) []Change {
	byKey := map[key]Change{}
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		ch := Change{Remove: rapid.Bool().Draw(t, "remove")}
		if len(assets) > 0 && rapid.Bool().Draw(t, "there") {
			ch.Asset = rapid.SampledFrom(assets).Draw(t, "asset")
		} else {
			ch.Source, ch.Target = names.Draw(t, "source"), targets.Draw(t, "target")
		}
		if !ch.Remove && rapid.Bool().Draw(t, "other") {
			ch.Outputs = rapid.SliceOfN(outputs, 0, 2).Draw(t, "outputs")
		}
		byKey[ch.assetKey()] = ch
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b Change) int { return a.assetKey().compare(b.assetKey()) })
}

// changed applies changes to a list in the simplest way.
func changed(assets []Asset, changes []Change) []Asset {
	byKey := map[key]Asset{}
	for _, a := range assets {
		byKey[a.assetKey()] = a
	}
	for _, ch := range changes {
		if delete(byKey, ch.assetKey()); !ch.Remove {
			byKey[ch.assetKey()] = ch.Asset
		}
	}
	return sorted(slices.Collect(maps.Values(byKey)))
}

// folder is a directory that holds a manifest.
type folder map[string][]byte

func (f folder) load(name string) ([]byte, error) {
	data, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

func (f folder) build(c cutting, assets []Asset) error {
	return c.buildManifest(slices.Values(assets), func(file File) error {
		f[file.Name] = file.Data
		return nil
	})
}

func (f folder) read(c cutting) ([]Asset, error) {
	var assets []Asset
	for a, err := range c.readAssets(f[Name], f.load) {
		if err != nil {
			return nil, err
		}
		assets = append(assets, a)
	}
	return assets, nil
}

// parts returns the names of the parts that the root names.
func (f folder) parts(c cutting) (names []string, err error) {
	r, err := c.openRoot(f[Name])
	for _, p := range r.parts {
		names = append(names, p.name)
	}
	return names, err
}

// update applies an update, and checks that each change of a file is necessary.
func (f folder) update(t interface{ Fatalf(string, ...any) }, c cutting, changes []Change) error {
	named, _ := f.parts(c)
	write, remove, err := c.updateManifest(f[Name], f.load, changes)
	if err != nil {
		if write != nil || remove != nil {
			t.Fatalf("files to write or remove in spite of %v", err)
		}
		return err
	}
	for i, file := range write {
		if (file.Name == Name) != (i == len(write)-1) {
			t.Fatalf("file %d of %d is %s; the root must come last", i, len(write), file.Name)
		}
		if slices.Contains(named, file.Name) || file.Name == Name && bytes.Equal(f[Name], file.Data) {
			t.Fatalf("%s is written as it is", file.Name)
		}
		f[file.Name] = file.Data
	}
	for _, name := range remove {
		if !slices.Contains(named, name) {
			t.Fatalf("%s is removed and was not named", name)
		}
		delete(f, name)
	}
	if len(write) == 0 && len(remove) > 0 {
		t.Fatalf("parts are removed though nothing changed")
	}
	return nil
}

func mustBuild(t *testing.T, c cutting, assets []Asset) folder {
	t.Helper()
	f := folder{}
	if err := f.build(c, assets); err != nil {
		t.Fatal(err)
	}
	return f
}
