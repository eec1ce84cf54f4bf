// Package project finds the cook.toml of a project, in a directory or above it.
package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Project is the table [project] of a file. All names are absolute; "" means that the setting is
// missing.
type Project struct {
	File    string
	Dir     string // asset directory; never empty
	Out     string
	Config  string // the file, if it has rules outside the assets
	Cache   string
	State   string
	Targets []string
	IDs     bool
	// Manifest names the layout of the manifest.
	Manifest string
	Remote   rules.Remote
}

// Find returns the nearest cook.toml with a table [project] or [remote], in a directory or above
// it. It returns nil if there is none. The search ends at a file that belongs neither to the owner
// of the directory nor to the current user nor to root. Otherwise, users who may write to a parent
// directory, such as /tmp, could make others run commands.
func Find(folder string) (*Project, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	trusted := ownersOf(folder)
	for dir := folder; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, scan.ConfigName)
		p, err := readProject(name, trusted)
		switch {
		case errors.Is(err, errForeign):
			return nil, nil
		case err != nil:
			return nil, err
		case p != nil:
			return p, nil
		case filepath.Dir(dir) == dir:
			return nil, nil
		}
	}
}

// errForeign is the error for a file of another user.
var errForeign = errors.New("the file belongs to another user")

// readProject reads one file; it returns nil if there is none. It skips unreadable files, because a
// run reports the error itself for the file of its asset directory.
func readProject(name string, trusted owners) (*Project, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !trusted.ownFile(info) {
		return nil, errForeign
	}
	data, err := io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
	if err != nil {
		return nil, nil
	}
	says, err := rules.ReadProject(pathname.FromHere(name), data)
	if says == nil {
		return nil, err
	}
	at := func(folder string) string {
		if folder == "" || filepath.IsAbs(folder) {
			return folder
		}
		if os.IsPathSeparator(folder[0]) { // Windows: the path is relative to the drive
			return filepath.VolumeName(name) + filepath.FromSlash(folder)
		}
		return filepath.Join(filepath.Dir(name), filepath.FromSlash(folder))
	}
	p := &Project{File: name, Dir: at(says.Dir), Out: at(says.Out), Cache: at(says.Cache), State: at(says.State), Targets: says.Targets, IDs: says.IDs, Manifest: says.Manifest, Remote: says.Remote}
	for _, file := range []*string{&p.Remote.CA, &p.Remote.Cert, &p.Remote.Key, &p.Remote.TokenFile, &p.Remote.BasicFile, &p.Remote.SignKey} {
		*file = at(*file)
	}
	for i, file := range p.Remote.Trust {
		p.Remote.Trust[i] = at(file)
	}
	if p.Remote.URL != "" {
		p.Remote.File = name
	}
	if p.Dir == "" {
		p.Dir = filepath.Dir(name)
	}
	if err := p.confine(says); err != nil {
		return nil, err
	}
	if says.HasRules && p.Dir != filepath.Dir(name) {
		p.Config = name
	}
	info, err := os.Stat(p.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir():
		return nil, says.Wrong("dir", "there is no directory "+pathname.Show(pathname.FromHere(p.Dir)))
	case err != nil:
		return nil, says.Wrong("dir", err.Error())
	}
	return p, nil
}

// confine rejects some paths in a cook.toml. Otherwise a cloned project could send secrets of its
// user to a server, or write files that control other programs. See docs/trust.md. Flags and
// environment variables may contain any path. confine checks the targets of links.
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
		if f.name != "" && !isWithin(root, real(f.name)) {
			return says.Wrong(f.key, pathname.Show(pathname.FromHere(f.name))+" is outside the directory of this cook.toml; move the file there, or name it with a flag")
		}
	}
	if p.Remote.URL != "" && !isWithin(root, real(p.Dir)) {
		return says.Wrong("dir", fmt.Sprintf("%s is outside the directory of this cook.toml, but this cook.toml names a server, which can read the assets; move this cook.toml to a directory above the assets", pathname.Show(pathname.FromHere(p.Dir))))
	}
	if p.Out != "" && real(p.Out) != root && isWithin(real(p.Out), root) {
		return says.Wrong("out", fmt.Sprintf("%s is above the directory of this cook.toml; choose another output directory", pathname.Show(pathname.FromHere(p.Out))))
	}
	for _, f := range []named{{"dir", p.Dir}, {"out", p.Out}, {"state", p.State}} {
		if f.name == "" {
			continue
		}
		if hidden := hiddenOutside(root, real(f.name)); hidden != "" {
			return says.Wrong(f.key, fmt.Sprintf("%s is in a hidden directory outside the project, %s; choose another directory, or name it with a flag", pathname.Show(pathname.FromHere(f.name)), pathname.Show(hidden)))
		}
	}
	return nil
}

// real resolves the links in the existing part of a path.
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

// isWithin reports whether a path is equal to a directory or below it.
func isWithin(dir, name string) bool {
	_, ok := pathname.Below(dir, name)
	return ok
}

// hiddenOutside returns the first hidden directory in a path that is not below the root, or "". It
// ignores the directories that contain the root.
func hiddenOutside(root, name string) string {
	if isWithin(root, name) {
		return ""
	}
	volume := filepath.VolumeName(name)
	at := volume
	for _, element := range strings.Split(name[len(volume):], string(os.PathSeparator)) {
		at += string(os.PathSeparator) + element
		at = filepath.Clean(at)
		if strings.HasPrefix(element, ".") && !isWithin(at, root) {
			return at
		}
	}
	return ""
}
