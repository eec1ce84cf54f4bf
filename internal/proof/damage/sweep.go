// Package damage truncates each file that cook maintains at every length, and flips each of its
// bits. After each fault, the next run must make correct outputs and report the damage.
//
// A test of package cook runs a sample. "go run ./proof/reliability damage" runs all faults. It
// cooks in the same process, so a panic ends the sweep. The file "now" in the sweep's directory
// then describes the fault.
package damage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// patience is the longest time that a run may take.
const patience = 30 * time.Second

// Options select faults.
type Options struct {
	// Stride and Offset select every Stride-th fault, starting with number Offset. A Stride of 0
	// selects all. Successive faults use different setups.
	Stride, Offset int
	// Only is the name of a kind of file. "" means all kinds.
	Only string
	// Parts is the number of assets in the tree for a split manifest. 0 skips that tree.
	Parts int
	// PartsStride is the Stride for a split manifest, where each run takes long.
	PartsStride int
}

// A Finding is a failed check.
type Finding struct{ Kind, File, Fault, What string }

func (f Finding) String() string {
	return fmt.Sprintf("%s, %s: %s: %s", f.Kind, f.Fault, f.File, f.What)
}

// A Tally counts the faults of one kind of file and their results.
type Tally struct {
	Kind   string
	Files  int // number of damaged files
	Faults int
	// Noted counts the runs that reported the damage. All other runs did not read the damaged
	// bytes, or could not detect the damage.
	Noted int
	// Refused counts the runs that correctly returned an error.
	Refused int
	Wrong   []Finding
}

// A fault truncates a file or flips one bit.
type fault struct {
	cut bool
	at  int // number of bytes that remain, or the number of the bit to flip
}

func (h fault) String() string {
	if h.cut {
		return fmt.Sprintf("cut to %d bytes", h.at)
	}
	return fmt.Sprintf("bit %d of byte %d", h.at%8, h.at/8)
}

// applyFault returns the damaged content.
func (h fault) applyFault(data []byte) []byte {
	if h.cut {
		return append([]byte(nil), data[:min(h.at, len(data))]...)
	}
	data = append([]byte(nil), data...)
	if h.at/8 < len(data) {
		data[h.at/8] ^= 1 << (h.at % 8)
	}
	return data
}

// damageCount returns the number of faults for a file of the given size. The truncations come
// first, then the bit flips.
func damageCount(size int) int { return size + 8*size }

func damageAt(n, size int) fault {
	if n < size {
		return fault{cut: true, at: n}
	}
	return fault{at: n - size}
}

// A replacement replaces a file by something else, such as a directory or a pipe.
type replacement struct {
	name string
	make func(name string) error
}

var replacements = []replacement{
	{"a pipe", makePipe},
	{"a directory", func(name string) error { return os.MkdirAll(filepath.Join(name, "in it"), 0o777) }},
	{"a link to nowhere", func(name string) error { return os.Symlink("nowhere", name) }},
}

// Sweep applies faults in an empty directory, and calls the function tell with the tally of each
// kind of file. It returns an error only if the sweep itself fails.
func Sweep(ctx context.Context, dir string, opt Options, tell func(Tally)) error {
	stride := max(opt.Stride, 1)
	for _, k := range kinds {
		if opt.Only != "" && opt.Only != k.name {
			continue
		}
		every := stride
		assets := 0
		if k.parts {
			if opt.Parts == 0 {
				continue
			}
			every, assets = max(opt.PartsStride, 1), opt.Parts
		}
		tally, err := sweepKind(ctx, filepath.Join(dir, k.name), k, every, opt.Offset, assets)
		tell(tally)
		if err != nil {
			return fmt.Errorf("damage to %s: %w", k.name, err)
		}
	}
	return nil
}

func sweepKind(ctx context.Context, dir string, k kind, stride, offset, assets int) (Tally, error) {
	t := Tally{Kind: k.name}
	b, err := newProject(dir, assets)
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	n := offset % stride
	for i := 0; ; i++ {
		if err := k.prepare(ctx, b); err != nil {
			return t, err
		}
		files, err := k.files(b)
		if err != nil {
			return t, err
		}
		if i >= len(files) {
			return t, nil
		}
		t.Files++
		done, size := 0, 1
		for n < damageCount(size) || done == 0 && n < stride {
			if err := k.prepare(ctx, b); err != nil {
				return t, err
			}
			// The file may have a different name and size each time.
			files, err := k.files(b)
			if err != nil || i >= len(files) {
				return t, errors.Join(err, errors.New("the file to damage does not exist"))
			}
			data, err := os.ReadFile(files[i])
			if err != nil {
				return t, err
			}
			size = len(data)
			if n >= damageCount(size) {
				break
			}
			setup := k.setups[n%len(k.setups)]
			h := damageAt(n, size)
			if err := b.testFault(ctx, k, setup, files[i], h, data, &t); err != nil {
				return t, err
			}
			done++
			n += stride
		}
		// The stride continues from one file to the next.
		n -= damageCount(size)
		if !k.parts {
			if err := b.replaced(ctx, k, i, replacements[(i+offset)%len(replacements)], &t); err != nil {
				return t, err
			}
		}
	}
}

// replaced replaces file number i and checks the next run. The run must not block, and must report
// an error if it needs the file.
func (b *project) replaced(ctx context.Context, k kind, i int, by replacement, t *Tally) error {
	if err := k.prepare(ctx, b); err != nil {
		return err
	}
	files, err := k.files(b)
	if err != nil || i >= len(files) {
		return errors.Join(err, errors.New("the file to replace does not exist"))
	}
	rel, err := filepath.Rel(b.dir, files[i])
	if err != nil {
		return err
	}
	t.Faults++
	was, err := os.ReadFile(files[i])
	if err != nil {
		return err
	}
	s := k.setups[0]
	if err := errors.Join(os.Remove(files[i]), by.make(files[i]), s.before(b)); err != nil {
		return err
	}
	wrong := func(format string, args ...any) {
		t.Wrong = append(t.Wrong, Finding{k.name, rel, "replaced by " + by.name + ", " + s.name, fmt.Sprintf(format, args...)})
	}
	b.later = 48 * time.Hour // the clock advances by two days, so that daily tasks run
	res := b.cookWithin(ctx, s.full)
	b.later = 0
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case res.hung:
		wrong("hangs:\n%s", stacks())
		return errors.New("a run hangs")
	case res.err == nil:
		k.judge(ctx, b, res, wrong)
	case !strings.Contains(res.err.Error(), filepath.Base(files[i])):
		wrong("rejected for another reason: %v", res.err)
	default:
		t.Refused++
	}
	// Repair the project as a user would.
	err = errors.Join(os.RemoveAll(files[i]), os.WriteFile(files[i], was, 0o666))
	return errors.Join(err, b.restoreRules(), b.rebuildAll(ctx))
}

// testFault applies a fault and checks the next run.
func (b *project) testFault(ctx context.Context, k kind, s setup, file string, h fault, data []byte, t *Tally) error {
	rel, err := filepath.Rel(b.dir, file)
	if err != nil {
		return err
	}
	t.Faults++
	text := fmt.Sprintf("%s, %s, %s", rel, h, s.name)
	if err := os.WriteFile(filepath.Join(b.dir, "now"), []byte(text), 0o666); err != nil {
		return err
	}
	wrong := func(format string, args ...any) {
		t.Wrong = append(t.Wrong, Finding{k.name, rel, h.String() + ", " + s.name, fmt.Sprintf(format, args...)})
	}
	if err := errors.Join(put(file, h.applyFault(data)), s.before(b)); err != nil {
		return err
	}
	res := b.cookWithin(ctx, s.full)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if res.hung {
		wrong("hangs:\n%s", stacks())
		return errors.New("a run hangs")
	}
	fine := k.judge(ctx, b, res, wrong)
	if len(res.notes) > 0 || len(res.failed) > 0 {
		t.Noted++
	} else if k.reports != nil && k.reports(h) {
		wrong("the damage is not reported")
	}
	if res.err != nil {
		t.Refused++
	}
	if !fine || k.rebuild {
		return b.rebuildAll(ctx)
	}
	return nil
}

func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
