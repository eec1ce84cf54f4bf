package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// pictures is the number of assets in each half of a project.
const pictures = 12

var scenarios = []struct {
	name string
	play func(*network) error
}{
	{"CI uploads, developers download", fromCI},
	{"a second checkout", secondCheckout},
	{"two developers at the same time", halves},
	{"a branch and back", branch},
}

// fromCI lets only CI upload results. Developers do not cook these assets again.
func fromCI(n *network) error {
	assets, err := n.project(1)
	if err != nil {
		return err
	}
	ci, err := n.machine("CI=true")
	if err != nil {
		return err
	}
	if err := ci.cookExpecting(assets, n.out("ci"), counts{cooked: 2 * pictures, given: 2 * pictures}); err != nil {
		return err
	}
	for i := range 2 {
		developer, err := n.machine()
		if err != nil {
			return err
		}
		if err := developer.cookExpecting(assets, n.out(fmt.Sprint("developer", i)), counts{restored: 2 * pictures}); err != nil {
			return err
		}
		if err := n.compareOutputDirs("ci", fmt.Sprint("developer", i)); err != nil {
			return err
		}
	}
	// A developer does not upload results.
	if err := paint(assets, 0, 99); err != nil {
		return err
	}
	developer, err := n.machine()
	if err != nil {
		return err
	}
	return developer.cookExpecting(assets, n.out("edited"), counts{cooked: 1, restored: 2*pictures - 1})
}

// secondCheckout cooks the same assets in another directory, on a machine with an empty store.
func secondCheckout(n *network) error {
	assets, err := n.project(2)
	if err != nil {
		return err
	}
	first, err := n.machine()
	if err != nil {
		return err
	}
	if err := first.cookExpecting(assets, n.out("first"), counts{cooked: 2 * pictures, given: 2 * pictures}, "-remote-upload", "always"); err != nil {
		return err
	}
	checkout := filepath.Join(n.dir, "elsewhere", "assets")
	if err := os.CopyFS(checkout, os.DirFS(assets)); err != nil {
		return err
	}
	second, err := n.machine()
	if err != nil {
		return err
	}
	if err := second.cookExpecting(checkout, n.out("second"), counts{restored: 2 * pictures}); err != nil {
		return err
	}
	return n.compareOutputDirs("first", "second")
}

// halves lets two developers cook different halves at the same time. Then each cooks everything.
func halves(n *network) error {
	assets, err := n.project(3)
	if err != nil {
		return err
	}
	var developers [2]*machine
	for i := range developers {
		if developers[i], err = n.machine(); err != nil {
			return err
		}
	}
	var both sync.WaitGroup
	var errs [2]error
	for i, d := range developers {
		both.Go(func() {
			errs[i] = d.cookExpecting(assets, n.out(fmt.Sprint("half", i)), counts{cooked: pictures, given: pictures}, "-remote-upload", "always", fmt.Sprintf("half%d/**", i))
		})
	}
	both.Wait()
	for i, d := range developers {
		if errs[i] != nil {
			return errs[i]
		}
		// The developer's own half is in the output directory; the other half is on the server.
		if err := d.cookExpecting(assets, n.out(fmt.Sprint("half", i)), counts{restored: pictures}); err != nil {
			return err
		}
	}
	return n.compareOutputDirs("half0", "half1")
}

// branch lets CI cook a branch. A developer then switches to the branch and back to main.
func branch(n *network) error {
	assets, err := n.project(4)
	if err != nil {
		return err
	}
	ci, err := n.machine("CI=true")
	if err != nil {
		return err
	}
	developer, err := n.machine()
	if err != nil {
		return err
	}
	if err := ci.cookExpecting(assets, n.out("ci main"), counts{cooked: 2 * pictures, given: 2 * pictures}); err != nil {
		return err
	}
	if err := developer.cookExpecting(assets, n.out("work"), counts{restored: 2 * pictures}); err != nil {
		return err
	}
	const changed = 5
	for i := range changed {
		if err := paint(assets, 2*i, 1000+uint64(i)); err != nil {
			return err
		}
	}
	if err := ci.cookExpecting(assets, n.out("ci branch"), counts{cooked: changed, restored: 2*pictures - changed, given: changed}); err != nil {
		return err
	}
	if err := developer.cookExpecting(assets, n.out("work"), counts{restored: changed}); err != nil {
		return err
	}
	if err := n.compareOutputDirs("ci branch", "work"); err != nil {
		return err
	}
	for i := range changed {
		if err := paint(assets, 2*i, 4*100+uint64(2*i)); err != nil {
			return err
		}
	}
	// The results for main are in the machine's store, so no request is sent.
	if err := developer.cookExpecting(assets, n.out("work"), counts{restored: changed, silent: true}); err != nil {
		return err
	}
	return n.compareOutputDirs("ci main", "work")
}

// counts are the expected results of a run.
type counts struct {
	cooked, restored int
	given            int64
	silent           bool // set if no request may be sent to the server
}

// cookExpecting cooks, and compares the counts with the expected counts.
func (m *machine) cookExpecting(assets, out string, want counts, more ...string) error {
	s, err := m.cooks(assets, out, more...)
	if err != nil {
		return err
	}
	got := counts{cooked: s.Cooked.Assets, restored: s.Restored.Assets, silent: want.silent && s.Remote == nil}
	if s.Remote != nil {
		got.given = s.Remote.Uploaded
	}
	if got != want {
		return fmt.Errorf("%s: %+v, want %+v", filepath.Base(out), got, want)
	}
	return nil
}

func (n *network) out(name string) string { return filepath.Join(n.dir, "out", name) }

// compareOutputDirs compares two output directories and their manifests.
func (n *network) compareOutputDirs(one, other string) error {
	if _, err := os.Stat(filepath.Join(n.out(one), "manifest.json")); err != nil {
		return err
	}
	if out, err := exec.Command("diff", "-r", "-x", ".cook", n.out(one), n.out(other)).CombinedOutput(); err != nil {
		return fmt.Errorf("%s and %s differ: %w\n%s", one, other, err, out)
	}
	return nil
}

// project creates the assets of a project, which differ for each seed.
func (n *network) project(seed uint64) (string, error) {
	assets := filepath.Join(n.dir, fmt.Sprint("assets", seed))
	for i := range 2 * pictures {
		if err := paint(assets, i, seed*100+uint64(i)); err != nil {
			return "", err
		}
	}
	return assets, nil
}

// paint writes image number n.
func paint(assets string, number int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 5))
	picture := image.NewNRGBA(image.Rect(0, 0, 128, 128))
	for i := range picture.Pix {
		picture.Pix[i] = byte(r.Uint32())
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return err
	}
	name := filepath.Join(assets, fmt.Sprintf("half%d", number%2), fmt.Sprintf("%d.png", number))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, file.Bytes(), 0o666)
}
