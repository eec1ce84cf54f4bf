package manifest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Both Read and a full update detect each kind of damage. Their errors name the file and the cause.
func TestDamages(t *testing.T) {
	const asset = `{"source":"a","outputs":[{"path":"o","size":1,"blake3":"0000000000000000000000000000000000000000000000000000000000000000"}]}`
	list := func(lines ...string) string { return opening + "\n" + strings.Join(lines, ",\n") + closing }
	line := func(source string) string { return `{"source":"` + source + `","outputs":[]}` }
	row := func(first, path, assets string) string {
		return `{"first":"` + first + `","path":"` + path + `","assets":` + assets + `}`
	}
	parts := func(rows ...string) string { return partsOpening + "\n" + strings.Join(rows, ",\n") + closing }
	spelled := func(old, now string) string { return list(strings.Replace(asset, old, now, 1)) }

	// With the cutting in the variable small, the sources "d" and "e" begin parts, and "a", "b" and
	// "g" do not.
	for source, want := range map[string]bool{"a": false, "b": false, "d": true, "e": true, "g": false} {
		if small.begins(source) != want {
			t.Fatalf("%q begins a part: %v", source, !want)
		}
	}
	ab := list(line("a"), line("b"))
	abd := list(line("a"), line("b"), line("d"))
	da := list(line("d"), line("a"))
	d := list(line("d"))
	dg := list(line("d"), line("g"))

	for _, test := range []struct {
		name, want string
		parts      []string
		root       string
	}{
		{"empty file", "not made by cook", nil, ""},
		{"not JSON", "not made by cook", nil, "hello"},
		{"other JSON", "not made by cook", nil, `{"name":"site","version":2}`},
		{"only the opening", "cut off", nil, opening},
		{"cut off", "cut off", nil, list(asset)[:100]},
		{"no last newline", "cut off", nil, strings.TrimSuffix(list(asset), "\n")},
		{"no line break", "on each line", nil, opening + asset + closing},
		{"two in a line", "line 2", nil, list(asset + "," + asset)},
		{"no comma", "comma", nil, opening + "\n" + line("a") + "\n" + line("b") + closing},
		{"comma at the end", "end of the line", nil, list(asset + ",")},
		{"empty line", "line 2", nil, list("")},
		{"CRLF", "", nil, strings.ReplaceAll(list(asset), "\n", "\r\n")},
		{"spaces", "want", nil, spelled(`,"outputs"`, `, "outputs"`)},
		{"unknown field", "want", nil, spelled(`,"outputs"`, `,"owner":"me","outputs"`)},
		{"no outputs field", "want", nil, list(`{"source":"a"}`)},
		{"null outputs", "want", nil, list(`{"source":"a","outputs":null}`)},
		{"comma after outputs", "want", nil, spelled(`}]`, `},]`)},
		{"size below zero", "number", nil, spelled(`:1,`, `:-1,`)},
		{"size with a zero before", "number", nil, spelled(`:1,`, `:01,`)},
		{"size too big", "number", nil, spelled(`:1,`, `:9223372036854775808,`)},
		{"size no integer", "want", nil, spelled(`:1,`, `:1.5,`)},
		{"short digest", "64 hex digits", nil, spelled(`"00`, `"0`)},
		{"digest in upper case", "64 hex digits", nil, spelled(`"00`, `"0A`)},
		{"string without end", "", nil, list(`{"source":"a`)},
		{"backslash at the end", "", nil, list(`{"source":"a\`)},
		{"no such escape", "string", nil, spelled(`"a"`, `"a\x"`)},
		{"escape of what needs none", "must be written as", nil, spelled(`"a"`, `"\u0061"`)},
		{"other escape", "must be written as", nil, spelled(`"a"`, `"a\u000a"`)},
		{"escape in upper case", "must be written as", nil, spelled(`"a"`, `"a\u001F"`)},
		{"not UTF-8", "must be written as", nil, spelled(`"a"`, "\"a\xff\"")},
		{"loss without base64", "must be written as", nil, spelled(`"a"`, `"\ufffd"`)},
		{"base64 of what needs none", "must be written as", nil, spelled(`"a"`, `"a","source_base64":"YQ=="`)},
		{"base64 of another name", "must be written as", nil, spelled(`"a"`, `"b\ufffd","source_base64":"Yf8="`)},
		{"no base64", "base64", nil, spelled(`"a"`, `"a\ufffd","source_base64":"Yf8"`)},
		{"a target is empty", "a target is empty", nil, spelled(`"a"`, `"a","target":""`)},
		{"source outside", "source", nil, spelled(`"a"`, `"../a"`)},
		{"output outside", "output", nil, spelled(`"o"`, `"../o"`)},
		{"absolute output", "output", nil, spelled(`"o"`, `"/o"`)},
		{"hidden way outside", "not a clean path", nil, spelled(`"o"`, `"\ufffd/../../o","path_base64":"/y8uLi8uLi9v"`)},
		{"uses nothing", "outputs", nil, spelled(`"a"`, `"a","uses":[]`)},
		{"uses unsorted", "not sorted", nil, spelled(`"a"`, `"a","uses":[{"asset":"c"},{"asset":"b"}]`)},
		{"uses one twice", "not sorted", nil, spelled(`"a"`, `"a","uses":[{"asset":"b"},{"asset":"b"}]`)},
		{"uses outside", "uses", nil, spelled(`"a"`, `"a","uses":[{"asset":"../b"}]`)},
		{"uses without end", "want ]", nil, spelled(`"a"`, `"a","uses":[{"asset":"b"}`)},
		{"not inner", "want }", nil, strings.Replace(list(asset), `0"}]`, `0","inner":false}]`, 1)},
		{"empty role", "role", nil, strings.Replace(list(asset), `0"}]`, `0","role":""}]`, 1)},
		{"role of two words", "role", nil, strings.Replace(list(asset), `0"}]`, `0","role":"a b"}]`, 1)},
		{"long role", "role", nil, strings.Replace(list(asset), `0"}]`, `0","role":"`+strings.Repeat("a", longestRole+1)+`"}]`, 1)},
		{"role without end", "role", nil, list(strings.TrimSuffix(asset, `}]}`) + `,"role":"color`)},
		{"role before inner", "want }", nil, strings.Replace(list(asset), `0"}]`, `0","role":"color","inner":true}]`, 1)},
		{"twice", "sorted", nil, list(line("a"), line("a"))},
		{"unsorted", "sorted", nil, list(line("b"), line("a"))},

		{"part of nothing", "lists 0 assets", []string{ab, d}, parts(row("a", "%0%", "0"), row("d", "%1%", "1"))},
		{"part of more than there is", "lists 9223372036854775807", []string{ab, d}, parts(row("a", "%0%", "2"), row("d", "%1%", "9223372036854775807"))},
		{"part without a count", "want", nil, parts(`{"first":"a","path":"%0%"}`)},
		{"first outside", "source", []string{ab}, parts(row("../a", "%0%", "2"))},
		{"path outside", "not the name of a part", nil, parts(row("a", "manifest.parts/../../0123456789abcdef01234567.json", "2"))},
		{"path in upper case", "not the name of a part", nil, parts(row("a", "manifest.parts/0123456789ABCDEF0123456789ABCDEF.json", "2"))},
		{"path of another directory", "not the name of a part", nil, parts(row("a", "manifest.part/0123456789abcdef0123456789abcdef.json", "2"))},
		{"short path", "not the name of a part", nil, parts(row("a", "manifest.parts/.json", "2"))},
		{"one part twice", "is listed twice", []string{ab}, parts(row("a", "%0%", "2"), row("d", "%0%", "2"))},
		{"parts unsorted", "not sorted", []string{ab, d}, parts(row("d", "%1%", "1"), row("a", "%0%", "2"))},
		{"cut elsewhere", "must not begin", []string{list(line("a")), list(line("b"))}, parts(row("a", "%0%", "1"), row("b", "%1%", "1"))},
		{"not cut", "must begin a new part", []string{abd}, parts(row("a", "%0%", "3"))},
		{"no part", "not exist", nil, parts(row("a", "manifest.parts/0123456789abcdef0123456789abcdef.json", "2"))},
		{"too few in a part", "has 2 assets", []string{ab}, parts(row("a", "%0%", "3"))},
		{"too many in a part", "has 2 assets", []string{ab, d}, parts(row("a", "%0%", "1"), row("d", "%1%", "1"))},
		{"other first", "the part must begin with", []string{ab}, parts(row("0", "%0%", "2"))},
		{"unsorted part", "sorted", []string{da}, parts(row("d", "%0%", "2"))},
		{"empty part", "has 0 assets", []string{list()[:len(opening)] + closing}, parts(row("a", "%0%", "2"))},
		{"parts in a part", "does not begin with", []string{parts(row("a", "%0%", "2"))}, parts(row("a", "%0%", "2"))},
		{"part of format 1", "does not begin with", []string{strings.Replace(ab, "2", "1", 1)}, parts(row("a", "%0%", "2"))},
		{"overlapping parts", "later part", []string{dg, list(line("e"))}, parts(row("d", "%0%", "2"), row("e", "%1%", "1"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text string
			for _, data := range test.parts {
				text += data + partEnd
			}
			f := unpack([]byte(text + test.root))
			_, err := f.read(small)
			if err == nil {
				t.Fatal("read")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "read manifest.") {
				t.Errorf("%v; want something about %q", err, test.want)
			}
			// The keys say which part a change affects: "0" is the first part, "d" and "e" are the
			// parts that begin with these sources.
			changes := []Change{{Asset: Asset{Source: "0"}}, {Asset: Asset{Source: "d"}}, {Asset: Asset{Source: "e"}}}
			if err := f.update(t, small, changes); err == nil {
				t.Error("updated")
			}
		})
	}
}

// In the fuzzer, the files of a manifest are one text: the parts, each followed by a line "%", and
// then the root. unpack computes the names of the parts, and puts them into the root in place of
// %0%, %1% and so on. Otherwise no fuzzed part would match its name.
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

// small is a cutting that makes small parts. Parts begin with the sources "d", "e" and "f".
var small = cutting{layout: Parts, mask: 1}

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
		f.Add(oracleAssets(2, list))
		f.Add(oracleAssets(1, list))
	}
}

func FuzzRead(f *testing.F) {
	addFolders(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		files := unpack(text)
		if formatDigits(files[Name]) == "1" {
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
		if formatDigits(unpack(text)[Name]) == "1" {
			return
		}
		for _, changes := range rounds {
			if checkChanges(changes) != nil {
				if _, _, err := small.updateManifest(unpack(text)[Name], unpack(text).load, changes); err == nil {
					t.Fatal("changes that no manifest may hold were taken")
				}
				continue
			}
			checkSound(t, small, unpack(text), changes, false)
		}
	})
}
