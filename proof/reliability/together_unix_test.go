//go:build unix

package main

import (
	"os/exec"
	"testing"
)

func TestOnlyLockAndChangedAssetsExcuseFailure(t *testing.T) {
	const (
		waiting = "cook: process 7 works on the same output directory; waiting for it to end\n"
		changed = "assets/tex/a.png: error: the file changed while it was being cooked; run cook again\n"
		summary = "cook: 23 assets: 20 up to date, 2 cooked, 1 failed in 90ms (saved 0s)\n"
		noFile  = ": no such file or directory\n"
	)
	for _, c := range []struct {
		code     int
		text     string
		checkout bool
		fine     bool
		changed  int64
	}{
		{0, summary, true, true, 0},
		{0, "cook: tex/a.png was not made by cook; moved away\n", true, false, 0},
		{1, waiting + changed + changed + summary, true, true, 2},
		{1, waiting + changed + summary, false, false, 0},
		{1, "", true, false, 0},
		{1, "something else failed\n", true, false, 0},
		{1, waiting + summary, true, false, 0},
		{1, "assets/tex/a.png: error: openat tex/a.png" + noFile, true, true, 1},
		{1, "assets/tex/blocks.png: error: openat tex/blocks.png" + noFile, true, true, 1},
		{1, "assets/mesh/cart.gltf: error: cart.bin does not exist\n", true, true, 1},
		{1, "assets/tex/a.png: error: file is empty\n", true, true, 1},
		{1, "assets/sound/a.wav: error: wav: the file is cut short: 16 of 48 bytes of sound are missing\n", true, true, 1},
		{1, changed + "assets/tex/a.png: error: no space left on device\n", true, false, 0},
		{1, changed + "assets/tex/a.png: error: openat .cook/tmp/x" + noFile, true, false, 0},
		{1, "cook: error: openat manifest.json" + noFile, true, false, 0},
		{1, "cook: error: lock: openat x" + noFile, true, false, 0},
		{1, "assets/tex/a.png: error: output tex/a.ktx2: renameat" + noFile, true, false, 0},
		{2, changed, true, false, 0},
		{4, waiting, true, false, 0},
	} {
		p := concurrentRuns{rounds: testRounds(t, "")}
		err := p.waitFor(&concurrentRun{cmd: exec.Command(says(t, c.text, c.code)), codes: []int{0}}, c.checkout)
		if (err == nil) != c.fine || p.changed.Load() != c.changed {
			t.Errorf("exit %d, checkout %t, %d changed, error %v: %s", c.code, c.checkout, p.changed.Load(), err, c.text)
		}
	}
	p := concurrentRuns{rounds: testRounds(t, "")}
	err := p.waitFor(&concurrentRun{cmd: exec.Command(says(t, "", 4)), codes: []int{0, 4}}, false)
	if err != nil || p.locked.Load() != 1 {
		t.Errorf("a command that may find the lock taken: counted %d, error %v", p.locked.Load(), err)
	}
}
