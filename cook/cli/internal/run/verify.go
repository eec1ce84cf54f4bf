package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const verifyText = `usage: cook verify -dir assets [flags] [pattern ...]

Proves that the output directory is what a cook from scratch would make: reads all
outputs, sources and stored results, compares them with the recorded contents, and
cooks a sample of the assets again under different conditions. On Linux, it also reports
files that a program reads but no rule or depfile names; without patterns, also files of
the output directory that no asset makes. With -remote, it compares the sample with the
results on the server. Changes nothing, except that it removes damaged entries of the store.

Example:
	cook verify -dir assets -sample 5% textures
`

// Verify is the verb "cook verify".
var Verify = cmdline.Verb{
	Name: "verify", Synopsis: "verify -dir assets [flags]", Summary: "prove that the outputs are correct", Text: verifyText,
	Takes: cmdline.Argument{Files: true, Patterns: true},
	New:   cmdline.HandlerOf((*verifyOptions).verifyFlags, (*verifyOptions).runVerify),
}

type verifyOptions struct {
	project cook.Project
	options cook.VerifyOptions
	print   printFlags
}

func (r *verifyOptions) verifyFlags(fs *flag.FlagSet) {
	p, opt := &r.project, &r.options
	cmdline.FolderFlags(fs, p)
	cmdline.RuleFlags(fs, p, "verify these targets, `names` separated by commas (default: all that were cooked)")
	cmdline.WorkerFlag(fs, &opt.Limits.Workers)
	cmdline.MemoryFlag(fs, &opt.Limits.Memory)
	r.print.declarePrintFlags(fs)
	r.print.declareSARIF(fs)
	fs.StringVar(&opt.Sample, "sample", verify.DefaultSample, "how many assets to cook again: a `number`, a percentage, or all; 0 only checks the existing outputs")
	cmdline.AskedFlag(fs, &p.Remote, &opt.Remote, "compare the sample with the results on the server of cook.toml or COOK_REMOTE, or on another one: -remote=ADDRESS")
	cmdline.KeyFlags(fs, &p.Remote)
	fs.BoolVar(&opt.AllowExtra, "allow-extra", false, "do not report files of the output directory that no asset makes")
	fs.Uint64Var(&opt.Seed, "seed", 0, "`number` that seeds the choice of the sample (default: another one each time)")
}

// withCommand returns the text of a finding, with the command that repairs the difference.
func withCommand(f cook.Finding, p *cook.Project) string {
	cook := commandFor(p, f.Targets)
	if text, ok := strings.CutSuffix(f.Text, "cook again ignoring timestamps"); ok {
		return text + "run " + cook + " -check-contents"
	}
	if text, ok := strings.CutSuffix(f.Text, "run cook"); ok {
		return text + "run " + cook
	}
	return f.Text
}

// commandFor returns the command line that cooks a project for the given targets.
func commandFor(p *cook.Project, targets []string) string {
	line := "cook"
	if len(targets) == 0 {
		targets = p.Targets
	}
	for _, f := range [...]struct{ name, value string }{
		{"dir", p.Dir}, {"out", p.Out}, {"config", p.Config}, {"cache", p.Cache}, {"target", strings.Join(targets, ",")}, {"manifest", p.Manifest},
	} {
		if f.value != "" {
			line += " -" + f.name + " " + shellWord(f.value)
		}
	}
	if p.IDs {
		line += " -ids"
	}
	return line
}

// shellWord quotes a word for a shell if necessary.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= utf8.RuneSelf || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(`_-+=:,./@%`, r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runVerify verifies an output directory. It changes the umask and the number of processors,
// because no recipe may depend on either.
func (r *verifyOptions) runVerify(ctx context.Context, c *cmdline.Call, patterns []string) int {
	r.project.Recipes = c.Recipes
	project, opt, flags := r.project, r.options, r.print
	if project.Dir == "" {
		return c.Wrong("no asset directory given; try: cook verify -dir assets")
	}
	if opt.Remote {
		if err := cmdline.CheckServer(&project.Remote, patterns); err != nil {
			return c.Wrong("%v", err)
		}
	}
	opt.Patterns = patterns
	c.AtWork()
	if opt.Limits.Workers <= 0 {
		opt.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	defer otherUmask()()

	p, err := newPrinter(flags, c, &project)
	if err != nil {
		return c.Fail(ctx, err)
	}
	observer, done := p.observe()
	opt.Observer = cook.Observers{&memoryLimit{memory: opt.Limits.Memory}, observer}
	if flags.quiet && !flags.json {
		text := &report.Text{Out: c.Stdout, Err: c.Stderr, Dir: project.Dir, Style: c.Style()}
		all := cook.Observers{text}
		if p.findings != nil {
			all = append(all, p.findings)
		}
		observer = cmdline.Flagging(all...)
		done = func() func() { text.Done(); return nil }
	}
	opt.Found = func(f cook.Finding) {
		f.Text = withCommand(f, &project)
		report.Find(cook.Observers{observer}, f)
	}
	sum, err := cook.Verify(ctx, project, opt)
	done()
	err = errors.Join(err, p.writeFindings(err))
	switch {
	case ctx.Err() != nil && err != nil:
		return c.Interrupted("interrupted; some assets were not verified")
	case err != nil:
		return c.Fail(ctx, err)
	case flags.json:
		report.NewJSON(c.Stdout).Verified(&sum)
	case !flags.quiet:
		if sum.Again > 0 && sum.Again < sum.Assets {
			fmt.Fprintf(c.Stdout, "cook: -seed %d selects the same sample again\n", sum.Seed)
		}
		if opt.Remote {
			fmt.Fprintf(c.Stdout, "cook: compared with %s of %s\n", human.Count(sum.Shared, "result"), pathname.Show(project.Remote.URL))
		}
		fmt.Fprintf(c.Stdout, "cook: %s\n", &sum)
	}
	if sum.Differences > 0 {
		return cmdline.Different
	}
	return frontend.OK
}
