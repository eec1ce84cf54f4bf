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

// Pak puts artifacts into one file, under their paths relative to the directory of the target.
// The source chooses them: each line is a pattern, as in rules, and a later line that begins with
// "!" excludes artifacts. Empty lines and lines that begin with "#" are ignored.
type Pak struct {
	Level int `toml:"level" min:"-1" max:"19" doc:"compression level of the zstd program; -1 stores files without compression, 0 is 3"`
}

// isPakList reports whether a file that begins with head is a list of artifacts.
func isPakList(head []byte) bool {
	return plaintext.IsList(head, func(line string) bool { return strings.ContainsAny(line, "./!") })
}

// Outputs implements recipe.Cooker.
func (*Pak) Outputs() []string { return []string{"{dir}/{stem}.pak"} }

// maxPatterns is the size limit of a source, in bytes.
const maxPatterns = 1 << 20

// memberMemory limits the total size of members that are compressed at once. Only a single larger
// member exceeds it.
const memberMemory = 64 << 20

// estimateMemory implements Traits.Estimate. Half of it is for encoders, and half for members and
// their compressed data.
func (*Pak) estimateMemory(_ []byte, size int64) (int64, error) {
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
		// Unchanged members are copied from the old pak.
		if opt.Reuse, err = pak.New(f); err == nil {
			defer opt.Reuse.Close()
		}
	}
	_, err = pak.Create(ctx, job.OutputFile(0), files, opt)
	return err
}

// parsePatterns parses the patterns of a source, one per line.
func parsePatterns(source []byte) (patterns []string, err error) {
	lines, err := plaintext.List(source)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		patterns = append(patterns, line)
	}
	if len(patterns) == 0 {
		return nil, errors.New("no pattern; ** matches all artifacts")
	}
	return patterns, nil
}
