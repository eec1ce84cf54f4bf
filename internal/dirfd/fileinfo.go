package dirfd

import (
	"io/fs"
	"path"
	"time"
)

// Named returns what package fs calls the description of a file. The path has slashes.
func (i Info) Named(name string) fs.FileInfo { return &namedInfo{i, path.Base(name)} }

type namedInfo struct {
	Info
	name string
}

func (n *namedInfo) Name() string       { return n.name }
func (n *namedInfo) Size() int64        { return n.Info.Size }
func (n *namedInfo) Mode() fs.FileMode  { return fs.FileMode(n.Info.Mode) }
func (n *namedInfo) ModTime() time.Time { return time.Unix(0, n.MTime) }
func (n *namedInfo) IsDir() bool        { return n.Mode().IsDir() }
func (n *namedInfo) Sys() any           { return nil }
