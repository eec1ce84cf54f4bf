package cooktest

import "math/rand/v2"

// What files of a kind may hold; some of it is no good, and some of it has the
// same size as other.
var pool = map[string][]string{
	".png":  {string(Picture(1)), string(Picture(2)), string(Picture(3)), string(Picture(1)), "broken", ""},
	".json": {`{"a": 1}`, `{"a":1}`, `{"a": 2}`, `{"a": 3}`, `{"a": `},
	".txt":  {"one", "two", "six", "eleven", ""},
	".bin":  {"12345678", "abcdefgh", "1234", "efgh"},
	".in":   {"say\n", "cry\n", "shout\n"},
	".gltf": {
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":8}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":4}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"../a.bin","byteLength":4}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"../lib/a.bin","byteLength":4}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"lib/a.bin","byteLength":8}]}`,
		`{"asset":{"version":"2.0"}}`,
	},
}

// kinds of files, the most frequent first.
var kinds = []string{".txt", ".png", ".json", ".bin", ".gltf"}

// configs are what a cook.toml may say. The last ones are wrong: two sources want
// one output, and no TOML.
var configs = []string{
	"",
	"[[rule]]\nmatch = \"*.png\"\nsrgb = false\n",
	"[[rule]]\nmatch = \"*.png\"\nzstd = 0\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.png\"\noutput = \"{dir}/{stem}.ktx2\"\n",
	"[[rule]]\nmatch = \"x/**\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.json\"\nminify = false\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.{txt,bin}\"\noutput = \"{dir}/{stem}.o\"\n",
	"[[rule]\n",
}

// ofFolders are what a cook.toml in a folder of its own may say.
var ofFolders = []string{
	"",
	"[[rule]]\nmatch = \"*.png\"\nsrgb = false\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"a.*\"\nrecipe = \"copy\"\n",
}

// ofTargets are the targets that a cook.toml may have.
var ofTargets = []string{
	"[target.small.image]\nzstd = 1\n[target.big.image]\nzstd = 0\n",
	"[target.small.image]\nzstd = 2\n[target.big.json]\nminify = false\n",
	"[target.small.image]\nzstd = 1\n",
}

// toolRule has a program of the tree cook what ends in .in. A shell reads it, so
// that it need not be executable, which a file that was only just written cannot
// always be.
const toolRule = "[[rule]]\nmatch = \"*.in\"\n" +
	"command = [\"sh\", \"tools/shout\", \"{in}\", \"{out}\", \"{depfile}\"]\ntools = [\"tools/shout\"]\noutputs = [\"{path}.loud\"]\n"

// shouts are what that program may be. It reads another file besides its source,
// some of them only if there is one, the last fails.
var shouts = []string{
	"n=0; echo $n | cat - tools/head \"$1\" >\"$2\" && echo \"out: tools/head\" >\"$3\"\n",
	"n=0; echo $n | cat - \"$1\" tools/head >\"$2\" && echo \"out: tools/head\" >\"$3\"\n",
	"n=0; cat tools/head \"$1\" >\"$2\" 2>&- || cat \"$1\" >\"$2\"; echo \"out: tools/head\" >\"$3\"\n",
	"n=0; cat tools/more \"$1\" >\"$2\" 2>&- || cat \"$1\" >\"$2\"; echo \"out: tools/more\" >\"$3\"\n",
	"n=0; cat \"$1\" >\"$2\" && echo \"out: \" >\"$3\"\n",
	"exit 1\n",
}

// shoutByte is the byte of a shout that may become any other digit. With another
// one changed a shell might write to any file, sources too.
const shoutByte = 2

var ignores = []string{"", "*.txt\n", "/a.png\n", "y/\n", "*.bin\n", "b.*\n"}

func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// sized picks a content of a kind, or nothing if the kind has none of that size.
func sized(r *rand.Rand, kind string, like string) (string, bool) {
	var same []string
	for _, data := range pool[kind] {
		if len(data) == len(like) && data != like {
			same = append(same, data)
		}
	}
	if len(same) == 0 {
		return "", false
	}
	return oneOf(r, same...), true
}
