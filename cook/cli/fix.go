package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const fixText = `usage: cook fix -dir assets [flags]

Repairs mistakes of cook.toml that are certain: quotes, brackets and the like, and words of
at least five letters with one wrong letter or two exchanged ones. A word that another recipe
knows stays. Prints each repair, and then the mistakes that are left. Other text of the files
stays as it is.

Example:
	cook fix -dir assets -n
`

// A fixRun is a command line of cook fix.
type fixRun struct {
	project        cook.Project
	dryRun         bool
	fixed          int
	stdout, stderr io.Writer
}

func (r *fixRun) flags() *flag.FlagSet {
	fs := newFlags("fix", fixText)
	folderFlags(fs, &r.project)
	ruleFlags(fs, &r.project, targetsToCook)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: print the edits, and change nothing; further ones may show after these")
	return fs
}

func (c command) runFix(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	r := fixRun{project: cook.Project{Recipes: c.recipes}, stdout: stdout, stderr: stderr}
	other := func(arg string) bool { // nothing is to be written, or not here
		return asksForHelp(arg) || arg == "-n" || strings.HasPrefix(strings.TrimLeft(arg, "-"), "dir")
	}
	if !slices.ContainsFunc(args, other) {
		// What is wrong with the project keeps the command line from being understood.
		r.until(func() error { _, _, err := cook.FindProject("."); return err })
	}
	words, code, ok := parse(r.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	if r.project.Dir == "" || len(words) > 0 {
		wrong(stderr, "want an asset folder and nothing else; try: cook fix -dir assets")
		return exitUsage
	}
	atWork()
	err := r.until(func() error {
		_, err := cook.Cook(ctx, r.project, cook.CookOptions{DryRun: true})
		return err
	})
	switch what := human.Count(r.fixed, "mistake"); {
	case r.dryRun:
		fmt.Fprintf(stdout, "cook: %s would be put right\n", what)
	default:
		fmt.Fprintf(stdout, "cook: %s put right\n", what)
	}
	if err != nil && (r.fixed == 0 || !r.dryRun) {
		return fail(ctx, stderr, err)
	}
	return exitOK
}

// fixes is how many of the mistakes of rules there is a fix for.
func fixes(err error) (n int) {
	var list rules.Errors
	errors.As(err, &list)
	for _, e := range list {
		if _, ok := e.Fix(); ok {
			n++
		}
	}
	return n
}

// until puts right what a check finds, until it finds nothing that can be.
func (r *fixRun) until(check func() error) error {
	for {
		err := check()
		var list rules.Errors
		if !errors.As(err, &list) {
			return err
		}
		done, editErr := r.edit(list)
		if editErr != nil {
			return errors.Join(editErr, err)
		}
		if !done || r.dryRun {
			return err
		}
	}
}

// edit makes the fixes of errors, and reports whether there was one.
func (r *fixRun) edit(list rules.Errors) (done bool, err error) {
	files := map[string][]rules.Edit{}
	for _, e := range list {
		if edit, ok := e.Fix(); ok && !slices.Contains(files[e.File], edit) {
			files[e.File] = append(files[e.File], edit)
		}
	}
	for _, e := range list { // in their order
		edits := files[e.File]
		if edits == nil {
			continue
		}
		delete(files, e.File)
		slices.SortFunc(edits, func(a, b rules.Edit) int { return cmp.Or(b.Line-a.Line, b.Column-a.Column) })
		n, err := r.editFile(e.File, edits)
		done = done || n > 0
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// editFile edits one file, from its end to its start, where it still is as it was judged.
func (r *fixRun) editFile(name string, edits []rules.Edit) (n int, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	mark := []byte("\xef\xbb\xbf") // of byte order, which columns do not count
	data, marked := bytes.CutPrefix(data, mark)
	lines := bytes.SplitAfter(data, []byte("\n"))
	var told []string
	for _, e := range edits {
		if e.Line > len(lines) || e.Column-1 > len(lines[e.Line-1]) {
			continue
		}
		line := lines[e.Line-1]
		rest, ok := bytes.CutPrefix(line[e.Column-1:], []byte(e.Old))
		if !ok {
			continue
		}
		lines[e.Line-1] = slices.Concat(line[:e.Column-1], []byte(e.New), rest)
		told = append(told, fmt.Sprintf("%s:%d:%d: %s", pathname.Show(name), e.Line, e.Column, editText(e)))
	}
	if len(told) == 0 {
		return 0, nil
	}
	if !r.dryRun {
		text := bytes.Join(lines, nil)
		if marked {
			text = slices.Concat(mark, text)
		}
		if err := atomicfile.Write(name, info.Mode().Perm(), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return 0, err
		}
	}
	slices.Reverse(told)
	for _, line := range told {
		fmt.Fprintln(r.stdout, line)
	}
	r.fixed += len(told)
	return len(told), nil
}

// editText says what an edit does.
func editText(e rules.Edit) string {
	switch {
	case e.Old == "":
		return fmt.Sprintf("added %s", pathname.Escape(e.New))
	case e.New == "":
		return fmt.Sprintf("removed %s", pathname.Escape(e.Old))
	}
	return fmt.Sprintf("%s is %s now", pathname.Escape(e.Old), pathname.Escape(e.New))
}
