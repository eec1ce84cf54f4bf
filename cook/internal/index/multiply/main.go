// Command multiply turns the index of a small cooked tree into the index of a large tree. With it,
// bench/nullrun can measure large indexes without creating as many files.
//
//	multiply OUT DIR COPIES
//
// OUT is an output directory without pending changes, and DIR is one of its asset directories. The
// new index also lists DIR and everything below it under the names DIR-0000001, DIR-0000002 and so
// on. The copies have the real path and the stamps of DIR, as if they were reached by links. If OUT
// has links to DIR with these names, a cook finds the copies unchanged.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

func main() {
	if err := multiplyIndex(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "multiply: %v\n", err)
		os.Exit(1)
	}
}

func multiplyIndex(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: multiply OUT DIR COPIES")
	}
	copies, err := strconv.Atoi(args[2])
	if err != nil || copies < 0 || copies > 9_999_999 {
		return fmt.Errorf("%q copies: want 0 to 9999999", args[2])
	}
	state := filepath.Join(args[0], ".cook")
	base, err := os.ReadFile(filepath.Join(state, "index"))
	if err != nil {
		return err
	}
	id, err := index.ReadID(base)
	if err != nil {
		return err
	}
	old := filepath.Join(state, "changes-"+id)
	changes, err := os.ReadFile(old)
	if err != nil {
		return err
	}
	x, err := index.Open(base, changes)
	if err != nil {
		return err
	}
	if err := x.Check(); err != nil {
		return err
	}
	e, err := multiply(x, args[1], copies)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(state, "changes-"+e.ID), e.Changes, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(state, "index"), e.Flat, 0o666); err != nil {
		return err
	}
	if e.ID == id {
		return nil
	}
	return os.Remove(old)
}

// multiply returns an index with copies of a directory.
func multiply(x *index.Index, folder string, copies int) (index.Encoded, error) {
	m := &multiplier{next: x.Anew(x.Files().Checksum()), folder: folder}
	for k := range copies {
		m.names = append(m.names, fmt.Sprintf("%s-%07d", folder, k+1))
	}
	var list []index.Vouch
	for _, target := range x.Vouched() {
		x.Pending(target, func(string) { m.pending = true })
		list = append(list, index.Vouch{Target: target})
	}
	if m.pending || len(list) == 0 {
		return index.Encoded{}, errors.New("the asset directory has changes that were not cooked; run cook again")
	}
	files, actions := 0, 0
	for _, f := range x.Files().Below(".") {
		if m.inside(f.Path) {
			files++
		}
	}
	for a := range x.Results().Actions() {
		if m.inside(a.Path) {
			actions++
		}
	}
	if actions == 0 {
		return index.Encoded{}, fmt.Errorf("no asset in %s", folder)
	}
	m.next.Grow(x.Nodes() + files*copies)
	m.folders(x)
	for on, f := range x.Files().Below(".") {
		m.next.PutPart(on, f)
		for _, on.Path = range m.copies(f.Path) {
			m.next.PutPart(on, f)
		}
	}
	for a := range x.Results().Actions() {
		if err := m.action(a); err != nil {
			return index.Encoded{}, err
		}
	}
	m.next.Vouch(x.Fingerprint(), list)
	e, ok, err := m.next.Encode()
	if err == nil && !ok {
		e = index.Encoded{}
		err = errors.New("no asset can be copied; cook at least one asset first")
	}
	return e, err
}

// A multiplier adds copies of a directory to an index.
type multiplier struct {
	next    *index.Next
	folder  string
	names   []string
	pending bool
}

func (m *multiplier) inside(path string) bool {
	return path == m.folder || strings.HasPrefix(path, m.folder+"/")
}

// copies returns the paths of the copies that a file or directory gets.
func (m *multiplier) copies(path string) (list []string) {
	if !m.inside(path) {
		return nil
	}
	for _, name := range m.names {
		list = append(list, name+path[len(m.folder):])
	}
	return list
}

func (m *multiplier) folders(x *index.Index) {
	seen := map[string]bool{}
	for ref := range index.FolderRef(x.Folders()) {
		f := x.Folder(ref)
		if f.Tree != index.Assets || !f.Listed || seen[f.Path()] {
			continue
		}
		seen[f.Path()] = true
		put := scan.Folder{Path: f.Path(), Real: f.Real(), Stamp: f.Stamp, Odd: f.Odd}
		m.next.PutFolder(put, f.Usable)
		for _, path := range m.copies(f.Path()) {
			put.Path = path
			m.next.PutFolder(put, f.Usable)
		}
	}
}

func (m *multiplier) action(a *index.Action) error {
	one := *a
	m.next.PutAction(one)
	made := a.Made
	for k, path := range m.copies(a.Path) {
		one.Path = path
		one.Made = make([]index.Artifact, len(made))
		for i := range made {
			if !m.inside(made[i].Path) {
				return fmt.Errorf("%s is cooked to %s, which is not in %s", a.Path, made[i].Path, m.folder)
			}
			one.Made[i] = made[i]
			if made[i].Path == a.Path {
				one.Made[i].Path = path // the copies share one string
			} else {
				one.Made[i].Path = m.names[k] + made[i].Path[len(m.folder):]
			}
		}
		m.next.PutAction(one)
	}
	return nil
}
