package cli

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/hashing"
)

// hashedName matches a name that contains a hash, also within a text.
var hashedName = regexp.MustCompile(`[\w./-]*\.([0-9a-f]{16})\.\w+`)

// hashed DIR N expects N names with a hash in an output directory. Each hash must be the BLAKE3
// hash of its file, and hashed names in the text of files must exist.
func checkHashedNames(ts *testscript.TestScript, _ bool, args []string) {
	root, names := ts.MkAbs(args[0]), 0
	ts.Check(fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".cook":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, file))
		if m := hashedName.FindStringSubmatch(file); m != nil {
			names++
			if want := hashname.Digits(hashing.DigestOf(data)); m[1] != want {
				ts.Fatalf("%s: the hash of the content is %s", file, want)
			}
		}
		for _, m := range hashedName.FindAllString(string(data), -1) {
			if _, err := os.Stat(filepath.Join(root, path.Dir(file), m)); err != nil {
				ts.Fatalf("%s names %s: %v", file, m, err)
			}
		}
		return err
	}))
	if strconv.Itoa(names) != args[1] {
		ts.Fatalf("%s has %d names with a hash, want %s", args[0], names, args[1])
	}
}
