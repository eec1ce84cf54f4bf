// Package manifest reads and writes the list of artifacts in an output directory. The
// documentation of package cook/manifest, which only reads, describes the file format.
//
// A manifest is a single file or is divided into parts, depending on its [Layout] and not on
// its size. Readers accept both layouts.
//
// # Where parts begin
//
// Besides the first asset, a part begins with each source whose XXH3-64 has its low 10 bits
// zero. The borders therefore depend only on the sorted list, and they do not shift: an edit
// changes its own part, possibly the part before it, and the root. With parts of a fixed
// length, a new asset near the beginning would move every later border. Only the source is
// hashed, and a source begins at most one part, so the targets of a source stay together.
//
// A part has 1024 sources on average, and one part in a hundred has over 4700. Maliciously
// chosen names can make a part as long as the whole list, which only takes more time.
package manifest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/hashing"
)

const (
	// Name is the path of the manifest's root, below the output directory.
	Name = "manifest.json"
	// PartsDir is the directory of the parts, below the output directory.
	PartsDir = "manifest.parts"
)

// ErrFormat reports that an operation does not support the format of a manifest. [Update] does
// not support format 1, which earlier versions wrote; no operation supports formats of later
// versions.
var ErrFormat = errors.New("another version of cook made this manifest; build the manifest again")

// A Layout determines the files of a manifest.
type Layout string

const (
	Single Layout = "single" // one file with all assets, the default
	Parts  Layout = "parts"  // a root that names parts, even without assets
)

// LayoutNames lists the names of the layouts, the default first.
func LayoutNames() []string { return []string{string(Single), string(Parts)} }

// LayoutNamed returns the layout with the given name; "" means the default.
func LayoutNamed(name string) (Layout, error) {
	switch l := Layout(name); l {
	case "":
		return Single, nil
	case Single, Parts:
		return l, nil
	}
	return "", fmt.Errorf("unknown layout of the manifest: want %q or %q", Single, Parts)
}

// Asset is a source that was cooked for a target.
type Asset struct {
	Source  string   // slash-separated and clean, below the asset directory
	Target  string   // UTF-8; may be empty
	ID      string   `json:",omitempty"` // a UUID that the source keeps through renames; "" if assets have none
	Uses    []string `json:",omitempty"` // sorted sources, such as textures, whose outputs are named in this asset's outputs
	Outputs []Output // outputs in the order of the recipe
}

// Output is an artifact.
type Output struct {
	Path   string // slash-separated and clean, below the output directory
	Size   int64  // size in bytes
	BLAKE3 hashing.Digest
	// Inner is set if another output of the asset names this file, and programs load that other
	// output.
	Inner bool `json:",omitempty"`
	// Role is the meaning of the pixels of an image, such as "normal"; "" for other files.
	Role string `json:",omitempty"`
}

// File is a file of a manifest.
type File struct {
	Name string // path below the output directory, slash-separated
	Data []byte
}

// Change sets the asset of a source and target, or removes it. It adds the asset if it is new;
// removing an unknown asset changes nothing.
type Change struct {
	Asset       // source and target suffice for a removal
	Remove bool // remove the asset instead of setting it
}

// load reads a file of a manifest by its name in [File].
type load = func(name string) ([]byte, error)

// key is the sort key of an asset.
type key struct{ source, target string }

func (a *Asset) assetKey() key { return key{a.Source, a.Target} }

func (k key) compare(other key) int {
	if c := strings.Compare(k.source, other.source); c != 0 {
		return c
	}
	return strings.Compare(k.target, other.target)
}

// checkAsset returns an error for an asset that no manifest may contain.
func (a *Asset) checkAsset() error {
	if !namesSource(a.Source) {
		return fmt.Errorf("the path of source %q is not a clean path in the asset directory", a.Source)
	}
	if !utf8.ValidString(a.Target) {
		return fmt.Errorf("target %q of source %q is not UTF-8", a.Target, a.Source)
	}
	if a.ID != "" && !isUUID(a.ID) {
		return fmt.Errorf("ID %q of source %q is not a UUID in lower case", a.ID, a.Source)
	}
	for i, used := range a.Uses {
		if !namesSource(used) {
			return fmt.Errorf("the path %q, which source %q uses, is not a clean path in the asset directory", used, a.Source)
		}
		if i > 0 && a.Uses[i-1] >= used {
			return fmt.Errorf("the sources that source %q uses are not sorted", a.Source)
		}
	}
	for i := range a.Outputs {
		o := &a.Outputs[i]
		if !namesOutput(o.Path) {
			return fmt.Errorf("the path %q of an output of source %q is not a clean path in the output directory", o.Path, a.Source)
		}
		if o.Size < 0 {
			return fmt.Errorf("output %q of source %q has the invalid size %d", o.Path, a.Source, o.Size)
		}
		if o.Role != "" && !IsRole(o.Role) {
			return fmt.Errorf("output %q of source %q has the invalid role %.40q; want one word", o.Path, a.Source, o.Role)
		}
	}
	return nil
}

// longestRole is the length limit of a role in bytes.
const longestRole = 32

// IsRole reports whether a text may be the role of an output: a word of letters in lower case.
func IsRole(text string) bool {
	if text == "" || len(text) > longestRole {
		return false
	}
	for _, c := range []byte(text) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// isUUID reports whether a text is a UUID in its usual form.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// namesSource reports whether p can name a source. The result is the same on all systems,
// because sources are not opened by the names in a manifest.
func namesSource(p string) bool {
	return p != "." && p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "/") && path.Clean(p) == p
}

// namesOutput reports whether p can name an output on this system.
func namesOutput(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}

const (
	partPrefix = PartsDir + "/"
	partSuffix = ".json"
	partHash   = 16 // length of the BLAKE3 prefix, in bytes
)

func partName(data []byte) string {
	digest := hashing.DigestOf(data)
	return partPrefix + hex.EncodeToString(digest[:partHash]) + partSuffix
}

// IsPart reports whether name is a valid name of a part.
func IsPart(name string) bool { return checkPartName(name) == nil }

func checkPartName(name string) error {
	digits, found := strings.CutPrefix(name, partPrefix)
	digits, end := strings.CutSuffix(digits, partSuffix)
	if found && end && len(digits) == 2*partHash && strings.Trim(digits, "0123456789abcdef") == "" {
		return nil
	}
	return fmt.Errorf("%q is not the name of a part of a manifest", name)
}

// checkPart returns an error if the content of a part does not match its name.
func checkPart(name string, data []byte) error {
	if partName(data) != name {
		return errors.New("damaged: the content does not match its name")
	}
	return nil
}

// StateDir is the directory of the cooker's own files in the output directory, or a file that
// names another directory for them. It must not be shipped.
const StateDir = ".cook"

// Reserved reports whether a path in the output directory is reserved for the cooker: no
// artifact can have it.
func Reserved(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	const prefix = StateDir + "-" // prefix of temporary directories
	own := strings.EqualFold(first, StateDir) || len(first) > len(prefix) && strings.EqualFold(first[:len(prefix)], prefix)
	return own || strings.EqualFold(path, Name) || strings.EqualFold(first, PartsDir)
}
