package setup

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
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const fixText = `usage: cook fix -dir assets [flags]

Repairs mistakes in cook.toml that are certain: quotes, brackets and the like, and words of
at least five letters with one wrong letter or two exchanged ones. Words that another recipe
knows, and all other text of the files, are kept. Prints each repair, and then the mistakes that
are left.

Example:
	cook fix -dir assets -n
`

// Fix is the verb "cook fix".
var Fix = cmdline.Verb{
	Name: "fix", Synopsis: "fix -dir assets [flags]", Summary: "repair mistakes in cook.toml", Text: fixText,
	Takes: cmdline.Argument{Files: true},
	New:   func() cmdline.Handler { return new(fixOptions).handler() },
	Run:   runFix,
}

type fixOptions struct {
	project cook.Project
	dryRun  bool
	fixed   int
	stdout  io.Writer
}

func (r *fixOptions) handler() cmdline.Handler {
	return cmdline.Handler{Flags: r.fixFlags, Run: r.fixRules}
}

func (r *fixOptions) fixFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.RuleFlags(fs, &r.project, cmdline.TargetsToCook)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: print the edits, and change nothing; a repair may reveal further mistakes")
}

// runFix repairs the cook.toml of the working directory before the command line is parsed, because
// parsing fails if the file has errors.
func runFix(ctx context.Context, c *cmdline.Call) int {
	r := fixOptions{stdout: c.Stdout}
	elsewhere := func(arg string) bool { // reports whether the flag names another directory or forbids writing
		return frontend.AsksForHelp(arg) || arg == "-n" || strings.HasPrefix(strings.TrimLeft(arg, "-"), "dir")
	}
	if !slices.ContainsFunc(c.Args, elsewhere) {
		r.until(func() error { _, _, err := cook.FindProject("."); return err })
	}
	return c.Do(ctx, c.Find("fix"), r.handler())
}

func (r *fixOptions) fixRules(ctx context.Context, c *cmdline.Call, words []string) int {
	if r.project.Dir == "" || len(words) > 0 {
		return c.Wrong("want an asset directory and nothing else; try: cook fix -dir assets")
	}
	r.project.Recipes = c.Recipes
	c.AtWork()
	err := r.until(func() error {
		_, err := cook.Cook(ctx, r.project, cook.CookOptions{DryRun: true})
		return err
	})
	switch mistakes := human.Count(r.fixed, "mistake"); {
	case r.dryRun:
		fmt.Fprintf(c.Stdout, "cook: %s would be repaired\n", mistakes)
	default:
		fmt.Fprintf(c.Stdout, "cook: %s repaired\n", mistakes)
	}
	if err != nil && (r.fixed == 0 || !r.dryRun) {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// until calls check and fixes its errors in a loop. It returns the error of check when no error has
// a fix.
func (r *fixOptions) until(check func() error) error {
	for {
		err := check()
		var list rules.Errors
		if !errors.As(err, &list) {
			return err
		}
		done, editErr := r.editFiles(list)
		if editErr != nil {
			return errors.Join(editErr, err)
		}
		if !done || r.dryRun {
			return err
		}
	}
}

// editFiles applies the fixes of a list of errors, and reports whether it applied any.
func (r *fixOptions) editFiles(list rules.Errors) (done bool, err error) {
	files := map[string][]rules.Edit{}
	for _, e := range list {
		if edit, ok := e.Fix(); ok && !slices.Contains(files[e.File], edit) {
			files[e.File] = append(files[e.File], edit)
		}
	}
	for _, e := range list {
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

// editFile edits one file from its end to its start. It skips positions that have changed since the
// check.
func (r *fixOptions) editFile(name string, edits []rules.Edit) (n int, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	mark := []byte("\xef\xbb\xbf") // the byte order mark, which does not count as a column
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

func editText(e rules.Edit) string {
	switch {
	case e.Old == "":
		return fmt.Sprintf("added %s", pathname.Escape(e.New))
	case e.New == "":
		return fmt.Sprintf("removed %s", pathname.Escape(e.Old))
	}
	return fmt.Sprintf("replaced %s by %s", pathname.Escape(e.Old), pathname.Escape(e.New))
}
