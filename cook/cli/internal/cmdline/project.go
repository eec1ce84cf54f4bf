package cmdline

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/internal/pathname"
)

// inProject sets flags from the project's cook.toml if neither the command line nor the environment
// sets them. It returns the words that do not name the asset directory.
//
// The project belongs to the asset directory or, if none was given, to the working directory.
// Unless dirGiven is set, a first word that names a directory outside of the project is the asset
// directory. For verbs with an [Argument.Target], the last word never names the asset directory.
func inProject(v *Verb, fs *flag.FlagSet, words []string, dirGiven bool) ([]string, error) {
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
	if !dirGiven && len(words) > v.Takes.trailing() && IsFolder(words[0]) && (base == "" || !IsBelow(base, words[0])) {
		base, words, project, searched = words[0], words[1:], cook.Project{}, false
	}
	if base == "" {
		return words, nil
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
	if v.Takes.Patterns {
		for i, word := range words {
			words[i] = AsPattern(project.Dir, word, searched)
		}
	}
	return words, nil
}

// fillProject sets flags without a value from a project.
func fillProject(fs *flag.FlagSet, p *cook.Project) {
	for _, f := range [...]struct{ name, value string }{
		{"out", pathname.FromHere(p.Out)}, {"cache", pathname.FromHere(p.Cache)}, {"state", pathname.FromHere(p.State)}, {"config", pathname.FromHere(p.Config)}, {"target", strings.Join(p.Targets, ",")}, {"manifest", p.Manifest},
		{"remote-upload", p.Remote.Upload}, {"remote-read", (*unless)(&p.Remote.NoRead).String()}, {"remote-race", (*unless)(&p.Remote.NoRace).String()}, {"remote-ca", p.Remote.CA}, {"remote-cert", p.Remote.Cert},
		{"remote-key", p.Remote.Key}, {"remote-token-file", p.Remote.TokenFile}, {"remote-basic-file", p.Remote.BasicFile},
		{"remote-exec", p.Remote.Exec}, {"remote-jobs", (*jobs)(&p.Remote.Jobs).String()}, {"remote-platform", (*platform)(&p.Remote.Platform).String()},
		{"remote-sign-key", p.Remote.SignKey},
	} {
		flag := fs.Lookup(f.name)
		if flag == nil || f.value == "" || flag.Value.String() != "" {
			continue
		}
		flag.Value.Set(f.value)
	}
	if flag := fs.Lookup("remote"); flag != nil && flag.Value.String() == "" {
		flag.Value.(server).chosenBy(&p.Remote)
	}
	if flag := fs.Lookup("remote-trust"); flag != nil && flag.Value.String() == "" {
		*flag.Value.(*Names) = p.Remote.Trust // a directory name may contain commas, which Set would split
	}
	given := false
	fs.Visit(func(f *flag.Flag) { given = given || f.Name == "ids" })
	if ids := fs.Lookup("ids"); ids != nil && p.IDs && !given {
		ids.Value.Set("true")
	}
}

// AsPattern returns the source pattern for a word. A word that names an asset or a directory
// relative to the working directory becomes a pattern; other words already are patterns. If
// hereFirst is set, the working directory takes precedence over the asset directory.
func AsPattern(dir, word string, hereFirst bool) string {
	name, excludes := strings.CutPrefix(word, "!")
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && !hereFirst {
		return word
	}
	if _, err := os.Lstat(name); err != nil {
		return word
	}
	rel, ok := Below(dir, name)
	if !ok {
		return word
	}
	pattern := "/" + glob.EscapeWord(rel)
	switch {
	case rel == ".":
		pattern = "."
	case IsFolder(name):
		pattern += "/**"
	}
	if excludes {
		pattern = "!" + pattern
	}
	return pattern
}

// Below returns the path of a file relative to an enclosing directory.
func Below(dir, name string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	if name, err = filepath.Abs(name); err != nil {
		return "", false
	}
	return pathname.Below(dir, name)
}

// IsBelow reports whether name is below the directory dir.
func IsBelow(dir, name string) bool {
	rel, ok := Below(dir, name)
	return ok && rel != "."
}

// IsFolder reports whether name is an existing directory.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sameFolder reports whether two names refer to the same directory.
func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
