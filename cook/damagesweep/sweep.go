package damagesweep

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

// patience is how long a run may take before it counts as one that hangs.
const patience = 30 * time.Second

// Options say how much to do.
type Options struct {
	// Stride does every so manieth harm, from Offset on; 0 is every one. Each is
	// done once, and the ways in which the next run works take turns.
	Stride, Offset int
	// Only is the name of a kind of file, "" for all.
	Only string
	// Parts are how many assets the tree of the parts of the manifest has; 0 leaves
	// that out. It takes more than 4,096 for the manifest to have parts.
	Parts int
	// PartsStride does every so manieth harm to the manifest's parts, each of which
	// takes long.
	PartsStride int
}

// A Finding is something that was wrong.
type Finding struct{ Kind, File, Harm, What string }

func (f Finding) String() string {
	return fmt.Sprintf("%s, %s: %s: %s", f.Kind, f.Harm, f.File, f.What)
}

// A Tally is what came of the harms to one kind of file.
type Tally struct {
	Kind  string
	Files int // that were harmed
	Harms int
	// Noted are the runs that said something of the damage. The others did not read
	// what was damaged, or could not know it.
	Noted int
	// Refused are the runs that ended with an error, where that is right.
	Refused int
	Wrong   []Finding
}

// A harm leaves a file shorter or with one bit the other way round.
type harm struct {
	cut bool
	at  int // bytes that stay, or a bit
}

func (h harm) String() string {
	if h.cut {
		return fmt.Sprintf("cut to %d bytes", h.at)
	}
	return fmt.Sprintf("bit %d of byte %d", h.at%8, h.at/8)
}

// do returns what is left of a file's content.
func (h harm) do(data []byte) []byte {
	if h.cut {
		return append([]byte(nil), data[:min(h.at, len(data))]...)
	}
	data = append([]byte(nil), data...)
	if h.at/8 < len(data) {
		data[h.at/8] ^= 1 << (h.at % 8)
	}
	return data
}

// harms are all that can be done to a file of that size: cuts first.
func harms(size int) int { return size + 8*size }

func harmAt(n, size int) harm {
	if n < size {
		return harm{cut: true, at: n}
	}
	return harm{at: n - size}
}

// An impostor is what took the place of a file.
type impostor struct {
	name string
	make func(name string) error
}

var impostors = []impostor{
	{"a pipe", makePipe},
	{"a folder", func(name string) error { return os.MkdirAll(filepath.Join(name, "in it"), 0o777) }},
	{"a link to nowhere", func(name string) error { return os.Symlink("nowhere", name) }},
}

// Sweep does harm in a folder of its own, which is empty, and hands on the tally of
// each kind of file when it is done. Its error is that the sweep itself could not
// go on.
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
	b, err := newBench(dir, assets)
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
		for n < harms(size) || done == 0 && n < stride {
			if err := k.prepare(ctx, b); err != nil {
				return t, err
			}
			// The file may have another name and size each time.
			files, err := k.files(b)
			if err != nil || i >= len(files) {
				return t, errors.Join(err, errors.New("the file that was to be damaged is gone"))
			}
			data, err := os.ReadFile(files[i])
			if err != nil {
				return t, err
			}
			size = len(data)
			if n >= harms(size) {
				break
			}
			way := k.ways[n%len(k.ways)] // that the stride takes turns with
			h := harmAt(n, size)
			if err := b.one(ctx, k, way, files[i], h, data, &t); err != nil {
				return t, err
			}
			done++
			n += stride
		}
		// The rest of the stride goes on in the next file.
		n -= harms(size)
		if !k.parts {
			if err := b.replaced(ctx, k, i, impostors[(i+offset)%len(impostors)], &t); err != nil {
				return t, err
			}
		}
	}
}

// replaced puts something else in the place of the i-th file and looks at what comes
// of it: no run waits for it, and one that cannot do without the file says so.
func (b *bench) replaced(ctx context.Context, k kind, i int, by impostor, t *Tally) error {
	if err := k.prepare(ctx, b); err != nil {
		return err
	}
	files, err := k.files(b)
	if err != nil || i >= len(files) {
		return errors.Join(err, errors.New("the file that was to be replaced is gone"))
	}
	rel, err := filepath.Rel(b.dir, files[i])
	if err != nil {
		return err
	}
	t.Harms++
	was, err := os.ReadFile(files[i])
	if err != nil {
		return err
	}
	w := k.ways[0]
	if err := errors.Join(os.Remove(files[i]), by.make(files[i]), w.before(b)); err != nil {
		return err
	}
	wrong := func(format string, args ...any) {
		t.Wrong = append(t.Wrong, Finding{k.name, rel, "replaced by " + by.name + ", " + w.name, fmt.Sprintf(format, args...)})
	}
	b.later = 48 * time.Hour // what is done once a day is done
	res := b.cookWithin(ctx, w.long)
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
		wrong("refused for another reason: %v", res.err)
	default:
		t.Refused++
	}
	// As the user would who was told.
	err = errors.Join(os.RemoveAll(files[i]), os.WriteFile(files[i], was, 0o666))
	return errors.Join(err, b.restoreRules(), b.rebuild(ctx))
}

// one does one harm and looks at what comes of it.
func (b *bench) one(ctx context.Context, k kind, w way, file string, h harm, data []byte, t *Tally) error {
	rel, err := filepath.Rel(b.dir, file)
	if err != nil {
		return err
	}
	t.Harms++
	text := fmt.Sprintf("%s, %s, %s", rel, h, w.name)
	if err := os.WriteFile(filepath.Join(b.dir, "now"), []byte(text), 0o666); err != nil {
		return err
	}
	wrong := func(format string, args ...any) {
		t.Wrong = append(t.Wrong, Finding{k.name, rel, h.String() + ", " + w.name, fmt.Sprintf(format, args...)})
	}
	if err := errors.Join(put(file, h.do(data)), w.before(b)); err != nil {
		return err
	}
	res := b.cookWithin(ctx, w.long)
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
	} else if k.tells != nil && k.tells(h) {
		wrong("nothing is said of it")
	}
	if res.err != nil {
		t.Refused++
	}
	if !fine || k.rebuild {
		return b.rebuild(ctx)
	}
	return nil
}

func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
