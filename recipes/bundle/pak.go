package bundle

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/assetcook/assetcook/cook/pak"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Pak puts artifacts into one file, under the paths that they have below the folder of the
// target. The source says which: a pattern a line, as in rules, after which a later line that
// begins with "!" leaves some out. Empty lines and those that begin with "#" say nothing.
type Pak struct {
	Level int `toml:"level" min:"-1" max:"19" doc:"how hard files are compressed, as the zstd program counts; -1 stores them as they are, 0 is 3"`
}

// isPakList reports whether a file that begins with head is a list of artifacts.
func isPakList(head []byte) bool {
	return plaintext.IsList(head, func(line string) bool { return strings.ContainsAny(line, "./!") })
}

// Outputs implements recipe.Cooker.
func (*Pak) Outputs() []string { return []string{"{dir}/{stem}.pak"} }

// maxPatterns is how long a source may be, in bytes.
const maxPatterns = 1 << 20

// memberMemory is how many bytes members may have together that are compressed at once. Only
// one that is larger takes more.
const memberMemory = 64 << 20

// Estimate implements recipe.Estimator. Half is for encoders, and half for members and
// what they are compressed to.
func (*Pak) Estimate(_ []byte, size int64) (int64, error) {
	if size > maxPatterns {
		return 0, fmt.Errorf("%d bytes of patterns: at most %d are taken", size, maxPatterns)
	}
	return 4 * memberMemory, nil
}

// Cook implements recipe.Cooker.
func (p *Pak) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	patterns, err := parsePatterns(text)
	if err != nil {
		return err
	}
	assets, err := job.Artifacts(patterns...)
	if err != nil {
		return err
	}
	var files []pak.File
	for _, a := range assets {
		for _, o := range a.Outputs {
			files = append(files, pak.File{
				Name: o.Path, Size: o.Size, Digest: o.BLAKE3,
				Read: func() ([]byte, error) { return job.ReadArtifact(o.Path) },
			})
		}
	}
	if len(files) == 0 {
		job.Warn("the pak is empty: no artifact matches its patterns")
	}
	defer job.Step("pack")()
	opt := pak.Options{Level: p.Level, Workers: min(runtime.GOMAXPROCS(0), 16), Memory: memberMemory}
	if f := job.Previous(0); f != nil {
		// What was not in it is all that is read and compressed.
		if opt.Reuse, err = pak.New(f); err == nil {
			defer opt.Reuse.Close()
		}
	}
	_, err = pak.Create(ctx, job.OutputFile(0), files, opt)
	return err
}

// parsePatterns reads the patterns of a source, one a line.
func parsePatterns(source []byte) (patterns []string, err error) {
	lines, err := plaintext.List(source)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		patterns = append(patterns, line)
	}
	if len(patterns) == 0 {
		return nil, errors.New("no pattern says what to put in; ** is everything that is cooked")
	}
	return patterns, nil
}
