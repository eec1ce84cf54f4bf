//go:build !linux

package at

type (
	folder = rootFolder
	file   = rootFile
)

func openFolder(name string) (folder, error) { return openRootFolder(name) }
