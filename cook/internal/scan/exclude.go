package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// errInsideExcluded reports that the root is in an excluded directory. Without this error, the tree
// would be empty.
var errInsideExcluded = errors.New("the asset directory is inside the output or store directory; choose separate ones")

// exclusions are the directories that the walk skips. They are few, so lists are fast enough.
type exclusions struct {
	folders []string // absolute paths, with links resolved in their existing part
	names   []string // paths below the root, including links that lead to excluded directories
	known   []fs.FileInfo
	ids     []Stamp // stamps of the directories in known
}

func newExclusions(real string, info fs.FileInfo, folders []string) (exclusions, error) {
	var x exclusions
	for _, name := range folders {
		abs, err := filepath.Abs(name)
		if err != nil {
			return x, err
		}
		folder := resolveExisting(abs)
		if _, ok := pathname.Below(folder, real); ok {
			return x, errInsideExcluded
		}
		if fi, err := os.Stat(folder); err == nil {
			if os.SameFile(fi, info) {
				return x, errInsideExcluded
			}
			x.known = append(x.known, fi)
			x.ids = append(x.ids, StampOf(fi))
		}
		x.folders = append(x.folders, folder)
		asGiven := filepath.Join(resolveExisting(filepath.Dir(abs)), filepath.Base(abs))
		for _, f := range [...]string{folder, asGiven} {
			if rel, ok := pathname.Below(real, f); ok {
				x.names = append(x.names, rel)
			}
		}
	}
	return x, nil
}

// resolveExisting resolves the links in the existing part of abs. It does not change the part that
// does not exist.
func resolveExisting(abs string) string {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs
	}
	return filepath.Join(resolveExisting(parent), filepath.Base(abs))
}

// isNamed reports whether rel is an excluded directory, or a link that Options.Exclude names.
func (x *exclusions) isNamed(rel string) bool { return isOneOf(x.names, rel) }

// isExcludedFolder reports whether a directory with the stamp st is excluded, perhaps under another
// name. It calls stat only if stamps have no inode.
func (x *exclusions) isExcludedFolder(st Stamp, stat func() (fs.FileInfo, error)) bool {
	for i, id := range x.ids {
		if id.Inode != 0 {
			if id.Inode == st.Inode && id.Device == st.Device {
				return true
			}
			continue
		}
		if fi, err := stat(); err == nil && os.SameFile(fi, x.known[i]) {
			return true
		}
	}
	return false
}

// isFolder reports whether path is an excluded directory. path must be absolute, without links.
func (x *exclusions) isFolder(path string) bool { return isOneOf(x.folders, path) }

// holds reports whether path is an excluded directory or below one. path must be absolute, without
// links.
func (x *exclusions) holds(path string) bool {
	for _, f := range x.folders {
		if _, ok := pathname.Below(f, path); ok {
			return true
		}
	}
	return false
}

// Defaults is a .cookignore for the whole tree, which every real .cookignore overrides. It lists
// files that are almost never assets. It ignores case. A .cookignore can include each of its files
// again, but not the names in ignore.go.
const Defaults = `# Hidden files: settings of editors and tools, caches, passwords.
.*

# Packages and caches of tools.
node_modules/
__pycache__/
*.pyc

# Files that build and configure a project.
Makefile
GNUmakefile
CMakeLists.txt
*.mk
*.sln
*.vcxproj
*.code-workspace

# Private keys and passwords.
id_rsa
id_dsa
id_ecdsa
id_ecdsa_sk
id_ed25519
id_ed25519_sk
*.pem
*.key
*.p8
*.ppk
*.p12
*.pfx
*.jks
*.keystore
*.kdbx
credentials*.json
secrets.*

# Work files of image editors.
*.psd
*.psb
*.xcf
*.kra
*.kra-autosave.kra
*.aseprite
*.ase
*.pdn
*.procreate
*.afphoto
*.afdesign

# Work files of modelers, sculptors and texture painters.
*.blend
*.blend[0-9]
*.blend[0-9][0-9]
*.fbx
*.max
*.ma
*.mb
*.c4d
*.hip
*.hiplc
*.hipnc
*.lxo
*.skp
*.ztl
*.zpr
*.zbr
*.spp
*.sbs

# Work files of sound and video editors.
*.aup
*.aup3
*.flp
*.rpp
*.rpp-bak
*.reapeaks
*.aep
*.prproj

# What engines and their editors keep beside a source.
*.meta
*.import
*.uid

# Leftovers of editors and programs.
*.tmp
*.bak
*.orig
*.rej
*.crdownload
`

// shared has the extensions in Defaults that some programs use for assets. Its functions report
// whether a file with such an extension is no asset. head is the beginning of the file.
var shared = map[string]func(head []byte) bool{".ase": isAseprite}

// sharedHead is the number of bytes in head.
const sharedHead = 6

// isAseprite reports whether a file that begins with head is an Aseprite file. Other .ase files
// are models (ASCII Scene Export) or palettes (Adobe Swatch Exchange).
func isAseprite(head []byte) bool { return len(head) > 5 && head[4] == 0xe0 && head[5] == 0xa5 }

// ContentDecides reports whether the content of a file determines whether the file is an asset.
func ContentDecides(path string) bool {
	i := strings.LastIndexByte(path, '.')
	return i >= 0 && shared[string(lowered(nil, path[i:]))] != nil
}

// isSecret reports whether a line of Defaults excludes private keys or passwords. Lines count from
// 1.
func isSecret(line int) bool {
	before, list, _ := strings.Cut(Defaults, "# Private keys and passwords.\n")
	list, _, _ = strings.Cut(list, "\n\n")
	first := strings.Count(before, "\n") + 2
	return line >= first && line <= first+strings.Count(list, "\n")
}

// defaultList compiles Defaults without the patterns for some extensions. They are in lower case,
// with their dots.
func defaultList(but []string) *ignoreList {
	patterns := parseIgnore(lowered(nil, Defaults))
	patterns = slices.DeleteFunc(patterns, func(p pattern) bool {
		return p.shape == shapeSuffix && slices.Contains(but, p.text)
	})
	for i := range patterns {
		patterns[i].builtIn, patterns[i].secret = true, isSecret(patterns[i].line)
		if patterns[i].shape == shapeSuffix {
			patterns[i].fits = shared[patterns[i].text]
		}
	}
	return &ignoreList{patterns: patterns, folded: true}
}

// lowered appends a text to a buffer, with ASCII letters in lower case.
func lowered[text []byte | string](buf []byte, t text) []byte {
	for i := range len(t) {
		c := t[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}
