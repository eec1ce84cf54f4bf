package query

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
	viewcommand "github.com/assetcook/assetcook/profile/view/command"
)

const diagnoseText = `usage: cook diagnose [flags] assets|cooked|FILE [FILE]

Prints a verdict and at most five findings, each with numbers, a place and the next command.
The subject is an asset directory or an output directory (the last cook and the history), a
report of cook report -json, a recording of -trace (.events), or a memory snapshot of
-memreport (.json). Of two recordings or two snapshots, it prints the differences. Changes
nothing.

Example:
	cook diagnose assets
	cook diagnose run.events
	cook diagnose before.json after.json
`

// Diagnose is the verb "cook diagnose".
var Diagnose = cmdline.Verb{
	Name: "diagnose", Synopsis: "diagnose [flags] DIR|FILE [FILE]", Summary: "print what is wrong or slow in a cook, recording or snapshot", Text: diagnoseText,
	Takes: cmdline.Argument{Files: true},
	New:   cmdline.HandlerOf((*diagnoseOptions).diagnoseFlags, (*diagnoseOptions).runDiagnose),
}

type diagnoseOptions struct {
	project cook.Project
	frame   string
	json    bool
}

func (r *diagnoseOptions) diagnoseFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.StringVar(&r.frame, "frame", "frame", "`name` of the scopes that are frames")
	fs.BoolVar(&r.json, "json", false, "print the answer as one line of JSON")
}

func (r *diagnoseOptions) runDiagnose(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 2 || len(words) == 0 && r.project.Dir == "" && r.project.Out == "" {
		return c.Wrong("want a directory, a file or two files; try: cook diagnose assets")
	}
	d, err := r.diagnoseSubject(ctx, c, words)
	if d.Verdict != "" {
		write := d.WriteFindings
		if r.json {
			write = d.WriteLine
		}
		if failed := write(c.Stdout); failed != nil {
			return c.Fail(ctx, failed)
		}
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// diagnoseSubject returns the findings in the files on the command line, or in the output directory
// if there are none.
func (r *diagnoseOptions) diagnoseSubject(ctx context.Context, c *cmdline.Call, words []string) (diagnosis.Diagnosis, error) {
	var cheap []string
	for _, r := range c.Recipes {
		if r.Cheap {
			cheap = append(cheap, r.Name)
		}
	}
	switch {
	case len(words) == 0:
		return diagnoseOutputs(r.project.Dir, r.project.Out, cheap)
	case len(words) == 1 && cmdline.IsFolder(words[0]):
		return diagnoseOutputs(words[0], "", cheap)
	case len(words) == 1 && isReport(words[0]):
		return diagnoseReport(words[0], cheap)
	}
	return viewcommand.DiagnoseFiles(ctx, words, r.frame)
}

// diagnoseOutputs returns the findings in the last cook and the history of an output directory. If
// out is "", dir is an asset directory or an output directory. The store keeps no results of the
// recipes in cheap.
func diagnoseOutputs(dir, out string, cheap []string) (diagnosis.Diagnosis, error) {
	subject := dir
	if out == "" {
		if _, err := os.Lstat(filepath.Join(dir, manifest.StateDir)); err == nil {
			dir, out = "", dir
		}
	}
	if dir == "" {
		subject, dir = out, assetsOf(out)
	}
	folder, err := survey.OutputFolder(dir, out)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	in := overview.Input{Out: folder, Now: time.Now()}
	if in.Assets, err = survey.List(folder); err != nil {
		return diagnosis.Diagnosis{}, err
	}
	if in.Runs, err = survey.Runs(folder); err != nil {
		return diagnosis.Diagnosis{}, err
	}
	return withNextCommands(overview.New(in).DiagnoseOutputs(subject, dir, cheap), dir, out), nil
}

// assetsOf returns the asset directory of an output directory, or "" if it is unknown.
func assetsOf(out string) string {
	dir, err := confine.Open(out)
	if err != nil {
		return ""
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	return pathname.FromHere(in.OtherOwner(out)) // The owner is never out itself.
}

// withNextCommands adds to each finding the command that shows more. Without an asset directory,
// cook why cannot answer, so cook report replaces it.
func withNextCommands(d diagnosis.Diagnosis, dir, out string) diagnosis.Diagnosis {
	var place []string
	if dir != "" {
		place = append(place, "-dir", diagnosis.FileArgument(dir))
	}
	if out != "" {
		place = append(place, "-out", diagnosis.FileArgument(out))
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		next := []string{"report"}
		switch f.Kind {
		case "failed", "warned", "reason":
			if dir != "" {
				next = []string{"why", diagnosis.FileArgument(f.Where.Asset)}
			}
		case "store_miss":
			next = []string{"cache"}
		case "slow_asset":
			next = []string{"list", "-sort", "time", "-lines", "20"}
		case "grew":
			next = []string{"size", "-by", "folder"}
		case "lasting_change":
			next = []string{"history", "-compare", fmt.Sprintf("%.0f,%.0f", f.Amount-1, f.Amount)}
		}
		f.Next = diagnosis.ShellCommand(slices.Concat([]string{"cook", next[0]}, place, next[1:])...)
	}
	return d
}

// isReport reports whether a file begins like a report of cook report -json.
func isReport(name string) bool {
	const begin = `{"out":`
	file, err := regular.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(begin))
	n, _ := file.Read(head)
	return string(head[:n]) == begin
}

// diagnoseReport returns the findings in a report of cook report -json.
func diagnoseReport(name string, cheap []string) (diagnosis.Diagnosis, error) {
	file, err := regular.Open(name)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer file.Close()
	r, err := overview.ReadTables(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return diagnosis.Diagnosis{}, fmt.Errorf("%s: %w", pathname.Show(name), err)
	}
	out := pathname.FromHere(r.Out)
	dir := assetsOf(out)
	return withNextCommands(r.DiagnoseOutputs(name, dir, cheap), dir, out), nil
}
