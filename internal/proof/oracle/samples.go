package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// contents maps file extensions to possible contents. Some are invalid, and some have equal sizes.
var contents = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		".png":     {string(Picture(1)), string(Picture(2)), string(Picture(3)), string(Picture(1)), "broken", ""},
		".json":    {`{"a": 1}`, `{"a":1}`, `{"a": 2}`, `{"a": 3}`, `{"a": `},
		".txt":     {"one", "two", "six", "eleven", "", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\n"},
		".bin":     {"12345678", "abcdefgh", "1234", "efgh"},
		".psd":     {"work", "work file", ""}, // cook ignores .psd files by default, unless a .cookignore includes them
		".in":      {"say\n", "cry\n", "shout\n"},
		".sprites": {"*.png\n", "/\n", "x/\n!x/a.png\n", "a.png\n../b.png\n", "/**/b.png\n/y/*.png\n", ""},
		".paklist": {"**\n", "**\n!*.pak\n", "*.ktx2\n!x/**\n", "# all of x\nx/\n", "*.json\n*.txt\n", "/a.*\n", ""},
		".tmpl": {
			`{{range artifacts "**" "!*.pak"}}{{.Source}}{{range .Outputs}} {{.Path}} {{.BLAKE3}}{{end}}{{"\n"}}{{end}}`,
			`{{len (artifacts "x/**")}} of {{len (artifacts "*.json")}}`,
			`{{range artifacts "*.pak"}}{{.Source}}{{end}}`,
			`{{broken`,
		},
		".gltf": {
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":8}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":4}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"../a.bin","byteLength":4}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"../lib/a.bin","byteLength":4}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"lib/a.bin","byteLength":8}]}`,
			`{"asset":{"version":"2.0"}}`,
			uses("occlusionTexture", "a.png"), uses("emissiveTexture", "a.png"), uses("normalTexture", "b.png"),
			uses("occlusionTexture", "../a.png"), uses("occlusionTexture", "x/a.png"), uses("emissiveTexture", "x/a.png"), uses("occlusionTexture", "y/b.png"),
		},
		".mtl": {
			"newmtl M\nmap_Kd a.png\n", "newmtl M\nmap_Pr a.png\n", "newmtl N\nmap_Pr a.png\n", "Kd 1\nnewmtl M\nmap_Pr a.png\n", "newmtl M\nmap_Pr y/a.png\n", "newmtl M\nmap_Pr b.png\n", "",
		},
		".obj": {
			withLibrary("a.mtl"), withLibrary("b.mtl"), withLibrary("../a.mtl"), withLibrary("x/a.mtl"), withLibrary("a.mtl b.mtl"), "mtllib a.mtl\n", "broken",
		},
		".part": {
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"c.bin","byteLength":4}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"c.bin","byteLength":4}]}`,
			`{"asset":{"version":"2.0"},"buffers":[{"uri":"../c.bin","byteLength":4}]}`,
		},
	}
})

// withLibrary returns an OBJ model that refers to MTL files.
func withLibrary(files string) string {
	return "mtllib " + files + "\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl M\nf 1 2 3\n"
}

// uses returns a model whose material has an image in the given slot. The length of the model
// depends only on the length of the image's name.
func uses(slot, picture string) string {
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"images":[{"uri":%q}],"textures":[{"source":0}],"materials":[{%-20q:{"index":0}}]}`, picture, slot)
}

// extensions of generated files, most frequent first.
var extensions = []string{".txt", ".png", ".json", ".bin", ".gltf", ".sprites", ".psd", ".paklist", ".tmpl", ".mtl", ".obj"}

// configs are contents of cook.toml. The last two are invalid: one gives two sources the same
// output, and one has a TOML syntax error.
var configs = []string{
	"",
	"[[rule]]\nmatch = \"*.png\"\nsrgb = false\n",
	"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n",
	"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.png\"\nzstd = 0\n",
	"[[rule]]\nmatch = \"*.png\"\nkind = \"material\"\nzstd = 0\n[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.txt\"\nprivate_keys = true\n",
	"[[rule]]\nmatch = \"*.png\"\noutput = \"{dir}/{stem}.ktx2\"\n",
	"[[rule]]\nmatch = \"x/**\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.json\"\nminify = false\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.{txt,json}\"\nrecipe = \"copy\"\n" + further("*.txt", "zstd") + further("*.{zst,json}", "copy") + "output = \"made/{path}.c\"\n",
	"[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"copy\"\n" + further("*.gltf", "mesh"),
	"[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"copy\"\noutput = \"x/{stem}.gltf\"\n" + further("*.gltf", "mesh"),
	further("*", "zstd"),
	"[[rule]]\nmatch = \"a.bin\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"x/*.{gltf,obj}\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.{bin,mtl}\"\nprivate_keys = true\n",
	further("*.{bin,mtl}", "zstd"),
	"[[rule]]\nmatch = \"*.{paklist,tmpl}\"\nrecipe = \"copy\"\n" + further("*.paklist", "pak") + further("*.tmpl", "list"),
	"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n" + further("{a,b}", "zstd") + "level = 3\n" + further("*.{pak,ktx2}", "zstd"),
	"[[rule]]\nmatch = \"*.{txt,bin}\"\noutput = \"{dir}/{stem}.o\"\n",
	"[[rule]\n",
}

// hashedConfigs are contents of cook.toml with {hash} in outputs. The last two make some sources
// fail.
var hashedConfigs = []string{
	hashed("*.png", "{stem}.{hash}.ktx2"),
	hashed("*.png", "{path}.{hash}.ktx2") + hashed("*.gltf", "{path}.{hash}.glb") + hashed("*.obj", "{path}.{hash}.glb"),
	hashed("*.png", "{dir}/made/{hash}-{stem}.ktx2") + hashed("*.obj", "{hash}.{stem}.glb") + "embedded = \"keep\"\n",
	hashed("*.sprites", "{stem}.{hash}.json", "{stem}.{hash}.png") + hashed("*.txt", "{path}.{hash}"),
	hashed("*.sprites", "{stem}.sheet.json", "{stem}.{hash}.png") + hashed("*.paklist", "{stem}.{hash}.pak") + hashed("*.bin", "{name}.{hash}"),
	hashed("*.tmpl", "{stem}.{hash}.list") + "recipe = \"list\"\n" + hashed("*.{txt,json}", "{hash}.{name}") + "recipe = \"copy\"\n",
	hashed("*.{txt,bin}", "{dir}/{stem}.{hash}.o") + hashed("*.png", "{name}.{hash}.png") + "recipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"copy\"\n" + further("*.txt", "zstd") + "output = \"{path}.{hash}.zst\"\n" + hashed("*.json", "{stem}.{hash}.json"),
	hashed("*.png", "{path}.{hash}.ktx2") + further("*.glb", "zstd"),
	hashed("*.sprites", "{stem}.sheet.json", "{stem}.{hash}.png") + further("*.{png,json}", "zstd"),
}

// hashed returns a rule with the given output templates.
func hashed(match string, outputs ...string) string {
	return fmt.Sprintf("[[rule]]\nmatch = %q\noutputs = [\"%s\"]\n", match, strings.Join(outputs, `", "`))
}

// further returns a rule that cooks the artifacts of other rules.
func further(match, recipe string) string {
	return "[[rule]]\nfrom = \"artifacts\"\nmatch = \"" + match + "\"\nrecipe = \"" + recipe + "\"\n"
}

var folderConfigs = []string{
	"",
	"[[rule]]\nmatch = \"*.png\"\nsrgb = false\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n",
	further("*.txt", "zstd"),
}

// targetRules are the target sections of a cook.toml.
var targetRules = []string{
	"[target.small.image]\nzstd = 1\n[target.big.image]\nzstd = 0\n",
	"[target.small.image]\nzstd = 2\n[target.big.json]\nminify = false\n",
	"[target.small.image]\nzstd = 1\n",
	"[target.small]\n[target.big]\n[[rule]]\nmatch = \"*.gltf\"\ntarget = \"small\"\nrecipe = \"copy\"\n",
	"[target.small]\n[target.big]\n[[rule]]\nmatch = \"*.json\"\ntarget = \"small\"\nrecipe = \"copy\"\n",
}

// A tool cooks *.in files with the script tools/shout of the asset tree. A scene starts with one of
// the first two texts in scripts.
type tool struct {
	rule    string
	scripts []string
}

// tools declare their inputs in a dependency file or in the rule, by name or by pattern, or are
// traced. The script is passed to a shell as an argument, because executing a file that was just
// written may fail. No script depends on the order of files in a directory, which differs between
// file systems.
var tools = []tool{
	{toolRule("", "{depfile}"), toolScripts},
	{toolRule("reads = [\"/tools/head\", \"/tools/more\"]\n", "{scratch}/d"), toolScripts},
	{toolRule("reads = [\"/tools/h*\", \"/x/**/*.bin\"]\n", "{scratch}/d"), []string{
		"n=0; (cat tools/h*; find . -name '*.bin' | LC_ALL=C sort; cat \"$1\") >\"$2\" 2>&-; :\n",
		"n=0; (cat \"$1\" tools/h*; find . -name '*.bin' | LC_ALL=C sort | while read -r f; do cat \"$f\"; done) >\"$2\" 2>&-; :\n",
		"exit 1\n",
	}},
	{toolRule("reads = [\"/cook.toml\", \"/.cookignore\", \"/*/cook.toml\"]\n", "{scratch}/d"), []string{
		"n=0; cat \"$1\" cook.toml .cookignore >\"$2\" 2>&-; :\n",
		"n=0; cat \"$1\" */cook.toml >\"$2\" 2>&-; :\n",
	}},
	{toolRule("deps = \"trace\"\n", "{scratch}/d"), []string{
		"n=0; cat \"$1\" cook.toml x/cook.toml >\"$2\" 2>&-; :\n",
		"n=0; (cat tools/h*; find x -name '*.bin' | LC_ALL=C sort; cat \"$1\") >\"$2\" 2>&-; :\n",
		"n=0; (test -e tools/more && echo more; test -d x/y && echo xy; cat tools/head tools/h2; cat \"$1\") >\"$2\" 2>&-; :\n",
		"n=0; (cd tools; cat ./../tools/head ./h*) >\"$2\" 2>&-; cat \"$1\" y/a.txt y/b.txt >>\"$2\" 2>&-; :\n",
		"exit 1\n",
	}},
	{toolRule("deps = \"trace\"\n", "{scratch}/d"), lyingScripts},
	lyingTool,
}

// lyingTool is traced, and also writes a dependency file as a second output.
var lyingTool = tool{
	strings.Replace(toolRule("deps = \"trace\"\n", "{out1}"), `"{path}.loud"`, `"{path}.loud", "{path}.d"`, 1), lyingScripts,
}

// lyingScripts write dependency files that are wrong, missing or truncated: they list more or fewer
// files than the scripts read.
var lyingScripts = []string{
	"n=0; cat \"$1\" tools/head tools/more >\"$2\" 2>&-; echo \"out: tools/h2\" >\"$3\"\n",
	"n=0; (cat \"$1\" tools/head; cat tools/h2 || cat tools/more) >\"$2\" 2>&-; echo \"out: tools/head\" >\"$3\"\n",
	"n=0; (cat tools/h*; cat \"$1\") >\"$2\" 2>&-; : >\"$3\"\n",
	"n=0; (cat \"$1\" tools/head; test -e tools/more && cat tools/more) >\"$2\" 2>&-; printf 'out: tools/head \\\\\n tools/mo' >\"$3\"\n",
	"n=0; cat tools/h2 \"$1\" >\"$2\" 2>&-; printf 'out tools/h2 \\000\\377' >\"$3\"\n",
	"n=0; cat tools/head tools/h2 \"$1\" >\"$2\" 2>&-; echo \"out: ../outside/file /etc/passwd tools/no\" >\"$3\"\n",
	"n=0; cat tools/more tools/head \"$1\" >\"$2\" 2>&-; test ! -e tools/h3 || echo \"out: tools/h3\" >\"$3\"\n",
}

// asStep returns a tool that cooks the artifacts of another rule, which copies the sources.
func asStep(t tool) tool {
	rule := strings.Replace(t.rule, `match = "*.in"`, "from = \"artifacts\"\nmatch = \"*.mid\"", 1)
	return tool{"[[rule]]\nmatch = \"*.in\"\nrecipe = \"copy\"\noutput = \"{path}.mid\"\n" + rule, t.scripts}
}

func toolRule(options, last string) string {
	return "[[rule]]\nmatch = \"*.in\"\n" + options + "command = [\"sh\", \"tools/shout\", \"{in}\", \"{out}\", \"" + last + "\"]\n" +
		"tools = [\"tools/shout\"]\noutputs = [\"{path}.loud\"]\n"
}

// toolScripts read another file in addition to the source, some of them only if it exists. The last
// script fails.
var toolScripts = []string{
	"n=0; echo $n | cat - tools/head \"$1\" >\"$2\" && echo \"out: tools/head\" >\"$3\"\n",
	"n=0; cat tools/more \"$1\" >\"$2\" 2>&- || cat \"$1\" >\"$2\"; echo \"out: tools/more\" >\"$3\"\n",
	"n=0; echo $n | cat - \"$1\" tools/head >\"$2\" && echo \"out: tools/head\" >\"$3\"\n",
	"n=0; cat tools/head \"$1\" >\"$2\" 2>&- || cat \"$1\" >\"$2\"; echo \"out: tools/head\" >\"$3\"\n",
	"n=0; cat \"$1\" >\"$2\" && echo \"out: \" >\"$3\"\n",
	"exit 1\n",
}

// toolScriptByte is the offset of a digit in a tool script, which an edit may change. Other changes
// could make the shell write to any file, even to sources.
const toolScriptByte = 2

var ignores = []string{"", "*.txt\n", "/a.png\n", "y/\n", "*.bin\n", "b.*\n", "!*.psd\n", "!*.psd\n!.*\n", "*.psd\n!a.psd\n", "*.gltf\n*.mtl\n"}

func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// sized returns different content of the same size for a file extension. It returns false if no
// such content exists.
func sized(r *rand.Rand, kind string, like string) (string, bool) {
	var same []string
	for _, data := range contents()[kind] {
		if len(data) == len(like) && data != like {
			same = append(same, data)
		}
	}
	if len(same) == 0 {
		return "", false
	}
	return oneOf(r, same...), true
}

// Assets is the number of assets that Sample writes.
const Assets = 20

// Shipped is the number of assets in Sample that have outputs. The other assets are parts of
// models.
const Shipped = 18

// Sample writes a small asset tree that covers most features. It has images, meshes with
// dependencies, data, sounds, text, duplicate and empty files, nested directories, and a cook.toml
// with rules. No asset needs an external tool.
func Sample(dir string) error {
	files := map[string]string{
		"cook.toml":            "[[rule]]\nmatch = \"*_n.png\"\nsrgb = false\n\n[[rule]]\nmatch = \"notes/**\"\nrecipe = \"zstd\"\n\n[[rule]]\nmatch = \"mesh/*.gltf\"\ntextures = \"cooked\"\n",
		"mesh/cart.gltf":       `{"asset": {"version": "2.0"}, "buffers": [{"uri": "cart.bin", "byteLength": 8}], "images": [{"uri": "../tex/wood.png"}]}`,
		"mesh/cart.bin":        "12345678",
		"mesh/wheel.gltf":      `{"asset": {"version": "2.0"}, "buffers": [{"uri": "wheel.bin", "byteLength": 4}]}`,
		"mesh/wheel.bin":       "abcd",
		"data/level.json":      `{"name": "first", "laps": 3}`,
		"data/cup.json":        `{ "races": [ 1, 2 ] }`,
		"data/deep/in/it.json": `[1, 2, 3]`,
		"notes/readme.txt":     "a text that is compressed",
		"notes/empty.txt":      "",
		"plain.txt":            "a text that is copied",
		"same/one.txt":         "a text that is there twice",
		"same/two.txt":         "a text that is there twice",
		"sound/horn.wav":       string(Wave(64)),
		"sound/bell.wav":       string(Wave(32)),
	}
	for n, name := range []string{"tex/wood.png", "tex/wood_n.png", "tex/sky.png", "tex/same.png", "ui/icon.png", "ui/same.png"} {
		if filepath.Base(name) == "same.png" {
			n = 9
		}
		files[name] = string(Picture(n))
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
	}
	return nil
}

// Picture returns a PNG file of a few pixels, different for each n.
func Picture(n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2+n%3, 1+n%4))
	for i := range img.Pix {
		img.Pix[i] = byte(i*n + 17*n)
	}
	img.Set(0, 0, color.NRGBA{byte(n), 1, 2, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writes to a buffer cannot fail
	}
	return b.Bytes()
}

// Wave returns a WAV file of n 8-bit samples.
func Wave(n int) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data")
	binary.LittleEndian.PutUint32(b[4:], uint32(36+n))
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	for i := range n {
		b = append(b, byte(128+i%7))
	}
	return b
}
