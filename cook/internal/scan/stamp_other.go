//go:build !linux && !darwin

package scan

// fill has nothing to add: a FileInfo holds neither change time nor inode here.
func (s *Stamp) fill(sys any) {}
