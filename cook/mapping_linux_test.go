package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook/scan"
)

// A mapping is a file of one page or less that somebody writes to in memory.
type mapping struct {
	*pantry
	name string
	mem  []byte
	size int
}

func (p *pantry) mapped(name string) *mapping {
	p.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	p.must(err)
	defer f.Close()
	info, err := f.Stat()
	p.must(err)
	m := &mapping{pantry: p, name: name, size: int(info.Size())}
	m.mem, err = unix.Mmap(int(f.Fd()), 0, m.size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	p.must(err)
	p.Cleanup(func() { p.must(unix.Munmap(m.mem)) })
	return m
}

func (m *mapping) stamp() scan.Stamp {
	m.Helper()
	info, err := os.Lstat(m.name)
	m.must(err)
	return scan.StampOf(info)
}

// write changes the content. It reports whether the stamp is what it was.
func (m *mapping) write(text string) (unseen bool) {
	m.Helper()
	if len(text) != m.size {
		m.Fatalf("%d bytes into a file of %d", len(text), m.size)
	}
	before := m.stamp()
	copy(m.mem, text)
	return m.stamp() == before
}

// Whoever keeps a file mapped changes its content without a trace in its stamp,
// however long the file was left alone: by the clock of these runs, always long
// enough. All the same no run takes the file to be as it was, on either way.
func TestWritesThroughMapping(t *testing.T) {
	const gltf = `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`
	text := func(n int) string { return fmt.Sprintf("text %03d", n) }
	config := func(n int) string {
		return fmt.Sprintf("[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n[[rule]]\nmatch = \"0/b%03d.txt\"\nrecipe = \"zstd\"\n", n)
	}
	ignore := func(n int) string { return fmt.Sprintf("b%03d.txt\n", n+1) }
	for what, tt := range map[string]struct {
		file string
		text func(n int) string
	}{
		"source":     {"assets/0/a.txt", text},
		"dependency": {"assets/0/a.bin", text},
		"output":     {"cooked/0/a.txt", text},
		"rules":      {"assets/cook.toml", config},
		"ignore":     {"assets/.cookignore", ignore},
	} {
		for way, opt := range map[string]struct {
			patterns []string // that lead every run the long way
			force    bool     // lead the run that remembers the stamp there
		}{"quick": {}, "long": {patterns: []string{"**"}}, "long then quick": {force: true}} {
			t.Run(what+", "+way, func(t *testing.T) {
				// In memory nobody takes pages to a disk meanwhile.
				if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
					t.Setenv("TMPDIR", "/dev/shm")
				}
				p := newPantry(t, 3)
				p.write("cook.toml", config(0))
				p.write(".cookignore", ignore(0))
				p.write("0/a.txt", text(0))
				for n := range 3 {
					p.write(fmt.Sprintf("0/b%03d.txt", n), text(n))
				}
				p.write("0/a.bin", text(0))
				p.write("0/a.gltf", gltf)
				p.opt.Patterns = opt.patterns
				p.tick()
				p.cook()

				m := p.mapped(filepath.Join(p.dir, filepath.FromSlash(tt.file)))
				// The first write after the system has taken the page to the disk shows,
				// those that follow do not, unless it has done so again.
				now := 0
				for try := 0; ; try++ {
					m.write(tt.text(now))
					p.tick()
					p.opt.Force = opt.force
					p.cook() // and remember the stamp
					p.opt.Force = false
					now++
					if m.write(tt.text(now)) {
						break
					}
					if try == 20 {
						t.Fatal("every write changed the stamp: there is nothing to test")
					}
				}
				p.sameAsFromScratch()
			})
		}
	}
}
