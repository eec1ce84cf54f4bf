package scan

import "syscall"

// fill adds what only the system's own record has.
func (s *Stamp) fill(sys any) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok {
		return
	}
	s.MTime = st.Mtimespec.Nano()
	s.CTime = st.Ctimespec.Nano()
	s.Inode = st.Ino
	s.Device = uint64(st.Dev)
}
