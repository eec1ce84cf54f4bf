package verify

import (
	"bufio"
	"io"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/confine"
)

// A difference is an output that differs from the last cook.
type difference struct {
	output string
	bytes  *ByteDifference // nil without the old output
}

// compareOutputs returns the outputs that differ.
func (w *worker) compareOutputs(a *plan.Action, scratch *confine.Dir, made cookone.Made) ([]difference, error) {
	var all []difference
	for i, m := range made.Artifacts {
		was := &a.Last.Outputs[i]
		if m.Blob == was.Artifact.Blob {
			continue
		}
		d := difference{output: a.Outputs[i]}
		if was.State == contents.Intact {
			var err error
			if d.bytes, err = compareFiles(w.session.Out, was.Artifact.Path, scratch, made.Files[i]); err != nil {
				return nil, err
			}
		}
		all = append(all, d)
	}
	return all, nil
}

// compareFiles returns the first difference between an output and a new artifact, nil for
// none.
func compareFiles(out *confine.Dir, output string, scratch *confine.Dir, file string) (*ByteDifference, error) {
	was, err := out.OpenFile(output)
	if err != nil {
		return nil, err
	}
	defer was.Close()
	now, err := scratch.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	return firstDifference(was, now)
}

// firstDifference reads two files until they differ.
func firstDifference(was, now io.Reader) (*ByteDifference, error) {
	const size = 64 << 10
	w, n := bufio.NewReaderSize(was, size), bufio.NewReaderSize(now, size)
	next := func(r *bufio.Reader) (int, error) {
		b, err := r.ReadByte()
		switch err {
		case nil:
			return int(b), nil
		case io.EOF:
			return -1, nil
		}
		return 0, err
	}
	for offset := int64(0); ; offset++ {
		a, err := next(w)
		if err != nil {
			return nil, err
		}
		b, err := next(n)
		if err != nil {
			return nil, err
		}
		switch {
		case a != b:
			return &ByteDifference{Offset: offset, Was: a, Now: b}, nil
		case a < 0:
			return nil, nil
		}
	}
}
