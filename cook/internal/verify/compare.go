package verify

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
)

// A difference is an output that differs from the output of the last cook.
type difference struct {
	output string
	bytes  *ByteDifference // nil if the old output does not exist
}

// compareRepeated returns the outputs that differ.
func (w *worker) compareRepeated(a *plan.Action, scratch *confine.Dir, made cookone.Made) ([]difference, error) {
	var all []difference
	for i, m := range made.Artifacts {
		was := &a.Last.Outputs[i]
		if m.Blob == was.Artifact.Blob {
			continue
		}
		d := difference{output: was.Artifact.Path}
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

// compareFiles returns the first difference between an output and a new artifact, or nil.
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

// perturbations are conditions that differ from an ordinary cook.
type perturbations uint

const (
	otherScratch perturbations = 1 << iota
	otherZone
	otherLocale
	otherHome

	allChanged = otherScratch | otherZone | otherLocale | otherHome
)

// conditions names the changed conditions.
var conditions = [...]struct {
	change perturbations
	name   string
}{
	{otherScratch, "the name of its scratch directory"},
	{otherZone, "the time zone (TZ)"},
	{otherLocale, "the locale (LANG, LC_ALL)"},
	{otherHome, "the home directory (HOME)"},
}

// vars returns the environment variables of programs for some changed conditions. The directory
// home is empty.
func (c perturbations) vars(home string) map[string]string {
	vars := map[string]string{}
	if c&otherZone != 0 {
		// The offset of this zone includes a quarter of an hour. Not all systems know the zone by
		// name.
		vars["TZ"] = "Asia/Kathmandu"
		if _, err := os.Stat("/usr/share/zoneinfo/Asia/Kathmandu"); err != nil {
			vars["TZ"] = "<+0545>-5:45"
		}
	}
	if c&otherLocale != 0 {
		// Turkish numbers have a decimal comma, and there are four kinds of the letter i. If
		// this locale is missing, programs use the locale C, which is not UTF-8.
		vars["LANG"], vars["LC_ALL"] = "tr_TR.UTF-8", "tr_TR.UTF-8"
	}
	if c&otherHome != 0 {
		vars["HOME"] = home
		if runtime.GOOS == "windows" {
			vars["USERPROFILE"] = home
		}
	}
	return vars
}

// A result holds the artifacts of a new cook, or its error.
type result struct {
	made []store.Artifact
	err  error
}

// sameArtifacts reports whether two cooks made the same artifacts. It treats all errors as
// equal, because their texts may contain file names.
func (r result) sameArtifacts(other result) bool {
	return (r.err == nil) == (other.err == nil) && slices.Equal(r.made, other.made)
}

// findCause finds the condition that changes the artifacts of an action. To do so, it cooks the
// action a few more times. The returned text completes a sentence that begins with the name of the
// recipe.
func (w *worker) findCause(ctx context.Context, a *plan.Action) string {
	with := func(c perturbations) (res result) {
		res.err = w.cookPerturbed(ctx, a, c, nil, func(_ *confine.Dir, made cookone.Made) error {
			res.made = made.Artifacts
			return nil
		})
		return res
	}
	was := result{made: cookone.Stored(a.Last.Made)}
	const random = "is not deterministic"
	plain := with(0)
	if !with(0).sameArtifacts(plain) {
		return random
	}
	if !plain.sameArtifacts(was) {
		switch {
		case !with(otherScratch).sameArtifacts(plain):
			return "depends on " + conditions[0].name
		case plain.err != nil:
			return "fails now"
		}
		return "depends on an undeclared input, such as the clock, the umask, or a file that no option names"
	}
	var causes []string
	for _, c := range conditions {
		if !with(c.change).sameArtifacts(plain) {
			causes = append(causes, c.name)
		}
	}
	if len(causes) == 0 {
		return random // the recipe is random, or depends on two conditions together
	}
	text := "depends on " + strings.Join(causes, " and ")
	if !slices.Contains(causes, conditions[0].name) {
		text += "; if the recipe must depend on that, set the variable with env in the rule"
	}
	return text
}
