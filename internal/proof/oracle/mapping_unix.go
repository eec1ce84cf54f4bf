//go:build linux || darwin

package oracle

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// changeTime returns the ctime of a file.
func changeTime(name string) (int64, error) {
	var st unix.Stat_t
	err := unix.Lstat(name, &st)
	return st.Ctim.Nano(), err
}

// openMapping maps a file into memory, writes to it, and leaves it mapped. Later writes through the
// mapping change no file time until the kernel has written the page back.
func (p *Player) openMapping(name string, at int64) error {
	if p.mappings[name] != nil {
		return nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	m, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	p.mappings[name] = m
	return p.writeMapping(name, at)
}

func (p *Player) writeMapping(name string, at int64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault) // the file was truncated, so the mapping cannot be accessed
		}
	}()
	if m := p.mappings[name]; m != nil {
		m[int(uint64(at)%uint64(len(m)))] ^= 1
	}
	return nil
}

func (p *Player) closeMappings() {
	for name, m := range p.mappings {
		syscall.Munmap(m)
		delete(p.mappings, name)
	}
}
