package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A directory is a directory of a list, with names in the order to visit them.
type folder struct {
	root  uint32
	path  string
	names []string
}

// appendList appends a list of known names in the format of limits/list.h.
func appendList(b []byte, roots int, folders []folder) []byte {
	b = append(b, "nullrun1"...)
	b = binary.NativeEndian.AppendUint32(b, uint32(roots))
	b = binary.NativeEndian.AppendUint32(b, uint32(len(folders)))
	text := uint64(len(b) + 16*len(folders))
	for _, f := range folders {
		b = binary.NativeEndian.AppendUint32(b, f.root)
		b = binary.NativeEndian.AppendUint32(b, uint32(len(f.names)))
		b = binary.NativeEndian.AppendUint64(b, text)
		text += uint64(len(f.path)) + 1
		for _, name := range f.names {
			text += uint64(len(name)) + 1
		}
	}
	for _, f := range folders {
		b = append(append(b, f.path...), 0)
		for _, name := range f.names {
			b = append(append(b, name...), 0)
		}
	}
	return b
}

// writeList writes the list of the tree's files below each of the roots, several times, with
// directories and names in inode order.
func (t *Tree) writeList(ctx context.Context, name string, roots []string, times int) error {
	type numbered struct {
		inode uint64
		folder
	}
	all := make([]numbered, len(roots)*t.Folders())
	err := each(ctx, len(all), func(at int) error {
		root, i := at/t.Folders(), at%t.Folders()
		dir := filepath.Join(roots[root], t.Folder(i))
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		first, end := t.In(i)
		names, inodes := make([]string, 0, end-first), make(map[string]uint64, end-first)
		for f := first; f < end; f++ {
			info, err := os.Lstat(filepath.Join(dir, t.Name(f)))
			if err != nil {
				return err
			}
			names = append(names, t.Name(f))
			inodes[t.Name(f)] = inode(info)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(inodes[a], inodes[b]) })
		all[at] = numbered{inode(info), folder{uint32(root), t.Folder(i), names}}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the tree: %w", err)
	}
	slices.SortStableFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.inode, b.inode))
	})
	folders := make([]folder, len(all))
	for i, n := range all {
		folders[i] = n.folder
	}
	return os.WriteFile(name, appendList(nil, len(roots), slices.Repeat(folders, times)), 0o666)
}
