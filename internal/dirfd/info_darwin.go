package dirfd

import "syscall"

// addSystem adds the attributes that only the system's own stat structure has.
func (i *Info) addSystem(sys any) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok {
		return
	}
	i.CTime = st.Ctimespec.Nano()
	i.Inode = st.Ino
	i.Device = uint64(st.Dev)
	i.Links = uint32(st.Nlink)
}
