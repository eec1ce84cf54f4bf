//go:build !linux

package dirfd

type (
	folder = rootFolder
	file   = rootFile
)

func openFolder(name string) (folder, error) { return openRootFolder(name) }
