package cook_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook/internal/scan"
)

// A mapping is a memory mapping of a file of at most one page.
type mapping struct {
	*project
	name string
	mem  []byte
	size int
}

func (p *project) mapped(name string) *mapping {
	p.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	p.must(err)
	defer f.Close()
	info, err := f.Stat()
	p.must(err)
	m := &mapping{project: p, name: name, size: int(info.Size())}
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

// write changes the content and reports whether the stamp is unchanged.
func (m *mapping) write(text string) (unseen bool) {
	m.Helper()
	if len(text) != m.size {
		m.Fatalf("%d bytes into a file of %d", len(text), m.size)
	}
	before := m.stamp()
	copy(m.mem, text)
	return m.stamp() == before
}

// A write through a memory mapping can leave the stamp of a file unchanged, even when the
// stamp looks old enough to be trusted. Incremental and full runs notice it all the same.
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
		for mode, opt := range map[string]struct {
			patterns []string // all runs are full if set
			force    bool     // the run that records the stamp is full
		}{"incremental": {}, "full": {patterns: []string{"**"}}, "full then incremental": {force: true}} {
			t.Run(what+", "+mode, func(t *testing.T) {
				// On tmpfs no page is written back meanwhile.
				if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
					t.Setenv("TMPDIR", "/dev/shm")
				}
				p := smallFiles(t, 3)
				p.write("cook.toml", config(0))
				p.write(".cookignore", ignore(0))
				p.write("0/a.txt", text(0))
				for n := range 3 {
					p.write(fmt.Sprintf("0/b%03d.txt", n), text(n))
				}
				p.write("0/a.bin", text(0))
				p.write("0/a.gltf", gltf)
				p.run.Patterns = opt.patterns
				p.tick()
				p.cook()

				m := p.mapped(p.path(tt.file))
				// The first write after the page was written back changes the stamp, those
				// after it do not, until the page is written back again.
				now := 0
				for try := 0; ; try++ {
					m.write(tt.text(now))
					p.tick()
					p.run.Force = opt.force
					p.cook() // records the stamp
					p.run.Force = false
					now++
					if m.write(tt.text(now)) {
						break
					}
					if try == 20 {
						t.Fatal("every write changed the stamp: there is nothing to test")
					}
				}
				p.compareWithScratch()
			})
		}
	}
}
