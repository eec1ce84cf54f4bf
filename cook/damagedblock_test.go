package cook_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// TestDamagedBlockOfTheIndex flips a bit in each block of the index. Runs must still be correct,
// and damage in some blocks must cause a note.
func TestDamagedBlockOfTheIndex(t *testing.T) {
	const block = 64 << 10
	p := smallFiles(t, 900)
	p.cook()
	blocks, noted := 0, 0
	for at := int64(block / 2); ; at += block {
		name := p.path("cooked/.cook/index")
		data, err := os.ReadFile(name)
		p.must(err)
		if at >= int64(len(data)) {
			break
		}
		blocks++
		data[at] ^= 1
		p.must(os.WriteFile(name, data, 0o666))
		rec := &recorder{}
		p.run.Observer = rec
		for _, i := range []int{3, 300, 899} {
			if _, err := cook.Why(t.Context(), p.run.Project(), p.source(i), cook.WhyOptions{Observer: rec}); err != nil {
				t.Errorf("byte %d: %v", at, err)
			}
		}
		p.write(p.source(7), fmt.Sprint("edited ", blocks))
		when := time.Unix(int64(1+blocks), 0)
		p.must(os.Chtimes(p.asset(p.source(400)), when, when))
		p.write(fmt.Sprintf("new/%d.txt", blocks), "new")
		p.compareWithScratch()
		if strings.Contains(strings.Join(rec.notes, "\n"), "this run checks everything again") {
			noted++
		}
		p.run.Observer = nil
		p.must(os.Remove(name))
		p.cook()
	}
	if blocks < 3 || noted < 2 {
		t.Errorf("%d of %d blocks noted", noted, blocks)
	}
}

// TestNoOpWithProgramsReadsNoActions damages the actions in the index, which a no-op run must not
// read.
func TestNoOpWithProgramsReadsNoActions(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	p := smallFiles(t, 5000)
	p.write("a.sh", "")
	p.write("cook.toml", "[[rule]]\nmatch = \"a.sh\"\ncommand = [\"sh\", \"-c\", \"echo made >\\\"$0\\\"\", \"{out}\"]\noutputs = [\"{name}.out\"]\n")
	p.cookAll()
	p.tick()
	p.cookAll()
	name := p.path("cooked/.cook/index")
	data, err := os.ReadFile(name)
	p.must(err)
	at := bytes.LastIndex(data, []byte("cooked"))
	if at < len(data)/2 {
		t.Fatalf("strings at %d of %d bytes", at, len(data))
	}
	data[at-240<<10] ^= 1
	p.must(os.WriteFile(name, data, 0o666))
	rec := &recorder{}
	p.run.Observer = rec
	if s := p.cookAll(); s.ByStamp.Assets != s.Found.Assets || len(rec.notes) > 0 {
		t.Errorf("%s, notes %q", s.String(), rec.notes)
	}
}

// TestDamagedBlockAmidReports damages the index before dry runs that report every asset. Each asset
// must be reported exactly once.
func TestDamagedBlockAmidReports(t *testing.T) {
	const block = 64 << 10
	p := smallFiles(t, 3000)
	name := p.path("cooked/.cook/index")
	whole, err := os.ReadFile(name)
	p.must(err)
	blocks, unseen := 0, 0
	for at := block / 2; at < len(whole); at += block {
		blocks++
		data := bytes.Clone(whole)
		data[at] ^= 1
		p.must(os.WriteFile(name, data, 0o666))
		all := &everything{}
		p.run.DryRun, p.run.Observer, p.run.EveryAsset = true, all, true
		if s := p.cook(); s.ByStamp.Assets == p.files {
			unseen++
		}
		reported := map[string]int{}
		for _, e := range all.events {
			if e.Outcome != cook.Started {
				reported[e.Path]++
			}
		}
		for i := range p.files {
			if n := reported[p.source(i)]; n != 1 {
				t.Fatalf("byte %d: %s was reported %d times", at, p.source(i), n)
			}
		}
	}
	if unseen == 0 || unseen > blocks/2 {
		t.Errorf("damage of %d blocks of %d was not met, want that of contents", unseen, blocks)
	}
}

type everything struct {
	cook.Observers
	events []cook.Event
}

func (o *everything) Event(e cook.Event) { o.events = append(o.events, e) }
