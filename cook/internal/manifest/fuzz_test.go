package manifest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// A fuzzed directory is one text: parts, each ended by a line "%", and then the
// root, where %0%, %1% and so on stand for the names of the parts. Otherwise no
// fuzzed part would have the bytes that its name stands for.
const partEnd = "%\n"

func unpack(text []byte) folder {
	f := folder{}
	files := bytes.Split(text, []byte(partEnd))
	root := files[len(files)-1]
	for i, data := range files[:len(files)-1] {
		name := partName(data)
		f[name] = data
		root = bytes.ReplaceAll(root, fmt.Appendf(nil, "%%%d%%", i), []byte(name))
	}
	f[Name] = root
	return f
}

func pack(f folder) []byte {
	var text []byte
	root := bytes.Clone(f[Name])
	parts := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(name string) bool { return name == Name })
	for i, name := range parts {
		text = append(append(text, f[name]...), partEnd...)
		root = bytes.ReplaceAll(root, []byte(name), fmt.Appendf(nil, "%%%d%%", i))
	}
	return append(text, root...)
}

// small has parts from two assets on; "d", "e" and "f" begin parts.
var small = cutting{whole: 1, mask: 1}

func fuzzAssets() []Asset {
	var assets []Asset
	for _, source := range []string{"a", "b", "c", "d", "d\xff", "e", "f", "g"} {
		assets = append(assets, Asset{Source: source, Outputs: []Output{{Path: "o/" + source, Size: 5}, {Path: "\""}}},
			Asset{Source: source, Target: "pc"})
	}
	return assets
}

func addFolders(f *testing.F) {
	assets := fuzzAssets()
	for _, list := range [][]Asset{nil, assets[:1], assets[:4], assets[:9], assets} {
		text := pack(folder(oracle(small, list)))
		if _, err := unpack(text).read(small); err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(oracleAssets(1, list))
	}
}

func FuzzRead(f *testing.F) {
	addFolders(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		files := unpack(text)
		if formatOf(files[Name]) == "1" {
			if assets, err := files.read(small); err == nil && !bytes.Equal(files[Name], oracleAssets(1, assets)) {
				t.Fatalf("format 1 is read as another list: %q", files[Name])
			}
			return
		}
		checkSound(t, small, files, nil, false)
	})
}

func FuzzUpdate(f *testing.F) {
	addFolders(f)
	assets := fuzzAssets()
	rounds := [][]Change{
		{{Asset: assets[0], Remove: true}, {Asset: assets[4]}, {Asset: assets[6], Remove: true}, {Asset: assets[7], Remove: true}},
		{{Asset: Asset{Source: "", Target: "pc"}}},
		{{Asset: Asset{Source: "bb"}}, {Asset: Asset{Source: "zz"}}},
	}
	for i := range assets {
		rounds = append(rounds, []Change{{Asset: assets[i], Remove: true}}, []Change{{Asset: assets[i]}})
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if formatOf(unpack(text)[Name]) == "1" {
			return
		}
		for _, changes := range rounds {
			if checkChanges(changes) != nil {
				if _, _, err := small.update(unpack(text)[Name], unpack(text).load, changes); err == nil {
					t.Fatal("changes that no manifest may hold were taken")
				}
				continue
			}
			checkSound(t, small, unpack(text), changes, false)
		}
	})
}
