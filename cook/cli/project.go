package cli

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/internal/pathname"
)

// takePatterns are the flag sets of command lines whose words are patterns of sources.
var takePatterns = []string{"cook", "cook verify", "cook list"}

// inProject sets what neither the command line nor the environment says as the cook.toml of
// the project does: that of the asset folder or, if none is named, that of the working
// directory. It returns the remaining words. If no asset folder was given, the first word is
// the asset folder if it names a folder, unless that folder is in the project or the command
// is cook export, which writes it.
func inProject(fs *flag.FlagSet, words []string, dirGiven bool) ([]string, error) {
	dir := fs.Lookup("dir")
	if dir == nil {
		if fs.Lookup("cache") == nil {
			return words, nil
		}
		p, _, err := cook.FindProject(".")
		fillProject(fs, &p)
		return words, err
	}
	base := dir.Value.String()
	var project cook.Project
	searched := base == ""
	if searched {
		var err error
		if project, _, err = cook.FindProject("."); err != nil {
			return nil, err
		}
		base = project.Dir
	}
	if !dirGiven && fs.Name() != "cook export" && len(words) > 0 && isFolder(words[0]) && (base == "" || !isBelow(base, words[0])) {
		base, words, project, searched = words[0], words[1:], cook.Project{}, false
	}
	if base == "" {
		return words, nil // which the verb may do without
	}
	if project.Dir == "" {
		nearest, _, err := cook.FindProject(base)
		if err != nil {
			return nil, err
		}
		if sameFolder(nearest.Dir, base) {
			project = nearest
		}
		project.Dir = base
	}
	if err := dir.Value.Set(pathname.FromHere(project.Dir)); err != nil {
		return nil, err
	}
	fillProject(fs, &project)
	if slices.Contains(takePatterns, fs.Name()) {
		for i, word := range words {
			words[i] = asPattern(project.Dir, word, searched)
		}
	}
	return words, nil
}

// fillProject sets flags that have no value yet as a project says.
func fillProject(fs *flag.FlagSet, p *cook.Project) {
	for _, f := range [...]struct{ name, value string }{
		{"out", pathname.FromHere(p.Out)}, {"cache", pathname.FromHere(p.Cache)}, {"state", pathname.FromHere(p.State)}, {"config", pathname.FromHere(p.Config)}, {"target", strings.Join(p.Targets, ",")},
		{"remote-upload", p.Remote.Upload}, {"remote-read", (*unless)(&p.Remote.NoRead).String()}, {"remote-race", (*unless)(&p.Remote.NoRace).String()}, {"remote-ca", p.Remote.CA}, {"remote-cert", p.Remote.Cert},
		{"remote-key", p.Remote.Key}, {"remote-token-file", p.Remote.TokenFile}, {"remote-basic-file", p.Remote.BasicFile},
		{"remote-exec", p.Remote.Exec}, {"remote-jobs", (*jobs)(&p.Remote.Jobs).String()}, {"remote-platform", (*platform)(&p.Remote.Platform).String()},
		{"remote-sign-key", p.Remote.SignKey},
	} {
		flag := fs.Lookup(f.name)
		if flag == nil || f.value == "" || flag.Value.String() != "" {
			continue
		}
		flag.Value.Set(f.value) // folders and lists of names take any of these
	}
	if flag := fs.Lookup("remote"); flag != nil && flag.Value.String() == "" {
		flag.Value.(server).chosenBy(&p.Remote)
	}
	if flag := fs.Lookup("remote-trust"); flag != nil && flag.Value.String() == "" {
		*flag.Value.(*names) = p.Remote.Trust // folders may have commas in their names
	}
	given := false
	fs.Visit(func(f *flag.Flag) { given = given || f.Name == "ids" })
	if ids := fs.Lookup("ids"); ids != nil && p.IDs && !given {
		ids.Value.Set("true")
	}
}

// asPattern returns the pattern of a word that names what there is in the asset folder, by
// its path from the working directory. Other words are patterns. If hereFirst, a path from
// the working directory is stronger than one from the asset folder.
func asPattern(dir, word string, hereFirst bool) string {
	name, excludes := strings.CutPrefix(word, "!")
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && !hereFirst {
		return word
	}
	if _, err := os.Lstat(name); err != nil {
		return word
	}
	rel, ok := below(dir, name)
	if !ok {
		return word
	}
	pattern := "/" + glob.EscapeWord(rel)
	switch {
	case rel == ".":
		pattern = "."
	case isFolder(name):
		pattern += "/**"
	}
	if excludes {
		pattern = "!" + pattern
	}
	return pattern
}

// below returns the path of a file in a folder.
func below(dir, name string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	if name, err = filepath.Abs(name); err != nil {
		return "", false
	}
	return pathname.Below(dir, name)
}

// isBelow reports whether a folder is in another one, and is not that.
func isBelow(dir, name string) bool {
	rel, ok := below(dir, name)
	return ok && rel != "."
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
