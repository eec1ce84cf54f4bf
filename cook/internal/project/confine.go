package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/pathname"
)

// confine rejects paths in a cook.toml that let a cloned project send secrets of its user
// to a server, or write files that other programs obey. docs/trust.md explains this to users. Flags
// and variables may name any path. Links count as their targets.
func (p *Project) confine(says *rules.Project) error {
	root := real(filepath.Dir(p.File))
	type named struct{ key, name string }
	files := []named{
		{"ca", p.Remote.CA}, {"cert", p.Remote.Cert}, {"key", p.Remote.Key},
		{"token_file", p.Remote.TokenFile}, {"basic_file", p.Remote.BasicFile}, {"sign_key", p.Remote.SignKey},
	}
	for _, name := range p.Remote.Trust {
		files = append(files, named{"trust", name})
	}
	for _, f := range files {
		if f.name != "" && !within(root, real(f.name)) {
			return says.Wrong(f.key, pathname.Show(pathname.FromHere(f.name))+" is outside the directory of this file; move it there, or name it by a flag")
		}
	}
	if p.Remote.URL != "" && !within(root, real(p.Dir)) {
		return says.Wrong("dir", fmt.Sprintf("%s is outside the directory of this file, which chooses a server that sees assets; move this file to a directory above the assets", pathname.Show(pathname.FromHere(p.Dir))))
	}
	if p.Out != "" && real(p.Out) != root && within(real(p.Out), root) {
		return says.Wrong("out", fmt.Sprintf("%s is above the directory of this file; choose another output directory", pathname.Show(pathname.FromHere(p.Out))))
	}
	for _, f := range []named{{"dir", p.Dir}, {"out", p.Out}, {"state", p.State}} {
		if f.name == "" {
			continue
		}
		if hidden := hiddenOutside(root, real(f.name)); hidden != "" {
			return says.Wrong(f.key, fmt.Sprintf("%s is in a hidden directory outside the project, %s; choose another one, or name it by a flag", pathname.Show(pathname.FromHere(f.name)), pathname.Show(hidden)))
		}
	}
	return nil
}

// real returns a path with the links of its existing part resolved.
func real(name string) string {
	rest := ""
	for dir := name; ; dir = filepath.Dir(dir) {
		if full, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(full, rest)
		}
		if filepath.Dir(dir) == dir {
			return name
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// within reports whether a path is a directory or below it.
func within(dir, name string) bool {
	_, ok := pathname.Below(dir, name)
	return ok
}

// hiddenOutside returns the first hidden directory in a path outside the root, "" for none.
// Directories above the root do not count.
func hiddenOutside(root, name string) string {
	if within(root, name) {
		return ""
	}
	volume := filepath.VolumeName(name)
	at := volume
	for _, element := range strings.Split(name[len(volume):], string(os.PathSeparator)) {
		at += string(os.PathSeparator) + element
		at = filepath.Clean(at)
		if strings.HasPrefix(element, ".") && !within(at, root) {
			return at
		}
	}
	return ""
}
