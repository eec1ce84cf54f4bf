//go:build !linux

package confine

import (
	"io/fs"
	"os"
)

// beneath is empty, because this system cannot confine the lookup of a whole path.
type beneath struct{}

func openBeneath(*os.Root) *beneath { return nil }
func (*beneath) Close() error       { return nil }

func (*beneath) openFile(string, int, fs.FileMode) (*os.File, error) { return nil, errAsk }
func (*beneath) lstat(string) (fs.FileInfo, error)                   { return nil, errAsk }
func (*beneath) rename(from, to string) error                        { return errAsk }

func (*beneath) folder(string) (openFolder, error) { return openFolder{}, errAsk }

type openFolder struct{}

func (openFolder) close() {}

func (openFolder) lstat(name, at string) (fs.FileInfo, error) { return nil, errAsk }
func (openFolder) rename(name string, to openFolder, toName, from, dest string) error {
	return errAsk
}
