//go:build !unix

package atomicfile

// SyncFolder waits until the names in a folder are on the disk, so that what is
// renamed afterwards cannot be there without them. Where the system has no such
// thing it does nothing.
func SyncFolder(name string) error { return nil }
