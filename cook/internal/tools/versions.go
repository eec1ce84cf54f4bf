package tools

import (
	"context"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// Versions returns the outputs of version commands. If all programs are unchanged, it uses the
// output of the last run. Otherwise, it runs each command once.
type Versions struct {
	// Last calls do with the methods of the last run. It may be nil.
	Last func(do func(index.Method)) error
	// Run runs a command. If Run returns an error, the output is unknown.
	Run func(q plan.VersionQuestion) (string, error)

	known map[string]printed
}

// A printed holds the output of a command, or the reason why there is no output.
type printed struct {
	text string
	err  error
}

// RunIn returns a function that runs version commands for an asset directory.
func RunIn(ctx context.Context, assets string) func(plan.VersionQuestion) (string, error) {
	return func(q plan.VersionQuestion) (string, error) { return q.Run(ctx, assets) }
}

// notAsked replaces the output of a command that was not run.
const notAsked = "not asked"

// RunNone returns notAsked without running a command.
func RunNone(plan.VersionQuestion) (string, error) { return notAsked, nil }

// RunConfined returns a function that runs a command only if it is confined.
func RunConfined(run func(plan.VersionQuestion) (string, error)) func(plan.VersionQuestion) (string, error) {
	return func(q plan.VersionQuestion) (string, error) {
		if !q.Confined {
			return RunNone(q)
		}
		return run(q)
	}
}

// Print returns the output of a command.
func (v *Versions) Print(q plan.VersionQuestion) (string, error) {
	var key strings.Builder
	key.WriteString(q.Field)
	for _, f := range q.Tools {
		key.WriteString("\x00" + f.Key + "\x00" + f.Value)
	}
	p, ok := v.known[key.String()]
	if !ok {
		if p.text, ok = v.fromLastRun(q); !ok {
			p.text, p.err = v.Run(q)
		}
		if v.known == nil {
			v.known = map[string]printed{}
		}
		v.known[key.String()] = p
	}
	return p.text, p.err
}

// fromLastRun returns the output that a command had in the last run. found is false if there is
// none or if the index is damaged.
func (v *Versions) fromLastRun(q plan.VersionQuestion) (text string, found bool) {
	if v.Last == nil {
		return "", false
	}
	err := index.Guard(func() error {
		return v.Last(func(m index.Method) {
			if answer, ok := q.Answer(m); ok && !found {
				text, found = answer, true
			}
		})
	})
	return text, found && err == nil
}
