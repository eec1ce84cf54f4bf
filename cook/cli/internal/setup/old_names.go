package setup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// These limits apply to the search for old names in text files. Larger files are rarely levels or
// scripts.
const (
	maxNamingFile  = 256 << 10 // maximum size of one file in bytes
	maxNamingFiles = 64 << 20  // maximum total size in bytes
	mostNamingExts = 3         // maximum number of extensions in the note
)

// Renames is an observer that collects sources whose outputs have lost the file name of the source.
type Renames struct {
	cook.Observers

	lost map[string]bool
}

// Event records the source of a removed output that had the source's file name.
func (r *Renames) Event(e cook.Event) {
	if e.Outcome != cook.Removed || !hasOwnName(e.Path, e.Outputs) {
		return
	}
	if r.lost == nil {
		r.lost = map[string]bool{}
	}
	r.lost[e.Path] = true
}

// hasOwnName reports whether an output has the file name of its source.
func hasOwnName(source string, outputs []string) bool {
	return slices.ContainsFunc(outputs, func(o string) bool { return path.Base(o) == path.Base(source) })
}

// OldNames searches text files of a game, such as levels and scripts, for file names of sources
// whose outputs have different names. The game would not find these outputs. OldNames searches only
// after a first run or a run that renamed outputs. It returns a message, or "" if it finds no old
// name.
func OldNames(ctx context.Context, p *cook.Project, first bool, r *Renames) string {
	if !first && len(r.lost) == 0 {
		return ""
	}
	list, err := assetsOfLastRun(p)
	if err != nil {
		return ""
	}
	names, renamed := renamedSources(list, r.lost)
	if len(names) == 0 || !first && !renamed {
		return ""
	}
	assets, err := confine.Open(p.Dir)
	if err != nil {
		return ""
	}
	defer assets.Close()
	found := map[string]*namingFiles{}
	rest := int64(maxNamingFiles)
	last := ""
	for i := range list {
		a := &list[i]
		if a.Path == last || !slices.Contains(keepsText, a.Method.Recipe) || len(a.Outputs) == 0 || a.In > min(maxNamingFile, rest) || isNotice(a.Path) || ctx.Err() != nil {
			continue
		}
		last = a.Path
		rest -= a.In
		if old, ok := findOldName(readNaming(assets, a.Path), names); ok {
			ext := recipe.Ext(a.Path)
			if found[ext] == nil {
				found[ext] = &namingFiles{ext: ext, first: old}
			}
			found[ext].files++
		}
	}
	if len(found) == 0 {
		return ""
	}
	return oldNamesText(slices.Collect(maps.Values(found)))
}

// readNaming reads a small file. It returns nil if the file cannot be read.
func readNaming(assets *confine.Dir, file string) []byte {
	f, err := assets.OpenFile(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxNamingFile))
	if err != nil {
		return nil
	}
	return data
}

// keepsText lists the recipes whose outputs keep the file names in their sources.
var keepsText = []string{recipeset.Fallback, "json", "text"}

// An oldName has the file name of a source, and the different file name of its output.
type oldName struct{ old, now string }

// renamedSources maps file names of sources to the names of their first outputs, for sources
// without an output of the same name. It omits a file name that an output of another source still
// has. The result any is set if one of the sources is in lost.
func renamedSources(list []survey.Asset, lost map[string]bool) (names map[string]string, any bool) {
	names = map[string]string{}
	kept := map[string]bool{}
	for i := range list {
		a := &list[i]
		base := path.Base(a.Path)
		switch {
		case len(a.Outputs) == 0:
		case hasOwnName(a.Path, outputPaths(a)):
			kept[base] = true
		default:
			names[base] = path.Base(a.Outputs[0].Path)
			any = any || lost[a.Path]
		}
	}
	maps.DeleteFunc(names, func(base, _ string) bool { return kept[base] })
	return names, any
}

func outputPaths(a *survey.Asset) (paths []string) {
	for _, o := range a.Outputs {
		paths = append(paths, o.Path)
	}
	return paths
}

// notices lists names of files that people read but games do not load.
var notices = []string{"authors", "changelog", "copying", "copyright", "credits", "licence", "license", "notice", "readme"}

func isNotice(file string) bool {
	ext := recipe.Ext(file)
	return ext == ".md" || slices.Contains(notices, strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file))))
}

// findOldName returns the first old name in a text. A match is never part of a longer file name.
// Binary data has no matches.
func findOldName(data []byte, names map[string]string) (oldName, bool) {
	if bytes.IndexByte(data, 0) >= 0 {
		return oldName{}, false
	}
	for len(data) > 0 {
		n := 0
		for n < len(data) && isNameByte(data[n]) {
			n++
		}
		if word := bytes.Trim(data[:n], "."); len(word) > 0 {
			if now, ok := names[string(word)]; ok {
				return oldName{string(word), now}, true
			}
		}
		data = data[min(n+1, len(data)):]
	}
	return oldName{}, false
}

// isNameByte reports whether a byte can be part of a name. Spaces cannot.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("_-.@+~#", c) >= 0
}

// namingFiles holds the files with one extension that contain old names.
type namingFiles struct {
	ext   string
	files int
	first oldName
}

func oldNamesText(list []*namingFiles) string {
	slices.SortFunc(list, func(a, b *namingFiles) int { return cmp.Or(b.files-a.files, cmp.Compare(a.ext, b.ext)) })
	var kinds []string
	total, rest := 0, 0
	for i, k := range list {
		if total += k.files; i >= mostNamingExts {
			rest += k.files
			continue
		}
		ext := pathname.Show(k.ext)
		if k.ext == "" {
			ext = "extensionless"
		}
		kinds = append(kinds, fmt.Sprintf("%d %s", k.files, ext))
	}
	if rest > 0 {
		kinds = append(kinds, fmt.Sprintf("%d other", rest))
	}
	noun, verb := "files", "name"
	if total == 1 {
		noun, verb = "file", "names"
	}
	first := list[0].first
	return fmt.Sprintf("%s %s %s sources whose outputs have other names, such as %s (now %s); a game cannot load these outputs by their old names: see cook help engines",
		strings.Join(kinds, ", "), noun, verb, pathname.Show(first.old), pathname.Show(first.now))
}
