//go:build !linux

package confine

import (
	"errors"
	"io/fs"
	"os"
)

// beneath is empty, because this system has no call that resolves a whole path within a directory.
type beneath struct{}

func openBeneath(*os.Root) *beneath { return nil }
func (*beneath) Close() error       { return nil }

func (*beneath) openFile(string, int, fs.FileMode) (*os.File, error) { return nil, errAsk }
func (*beneath) lstat(string) (fs.FileInfo, error)                   { return nil, errAsk }
func (*beneath) rename(from, to string) error                        { return errAsk }

func (*beneath) openSubfolder(string) (openFolder, error) { return openFolder{}, errAsk }

type openFolder struct{}

func (openFolder) closeFolder() {}

func (openFolder) lstatName(name, at string) (fs.FileInfo, error) { return nil, errAsk }
func (openFolder) renameName(name string, to openFolder, toName, from, dest string) error {
	return errAsk
}
func (openFolder) renameToNew(name string, to openFolder, toName, from, dest string) error {
	return errors.ErrUnsupported
}
