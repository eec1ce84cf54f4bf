package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const verifyText = `usage: cook verify -dir assets [flags] [pattern ...]

Proves that the output folder is what a cook from scratch would make: reads all
outputs, sources and stored results, compares them with what was cooked, and
cooks a sample of the assets again under different conditions. What programs
read then and no rule or depfile names is a difference (Linux). Without patterns,
a file of the output folder that nothing makes is one, too. With -remote, what
is cooked again is compared with the results that a run would take from there.
Changes nothing, except that damaged entries of the store are removed.

Example:
	cook verify -dir assets -sample 5% textures
`

func verifyFlags(p *cook.Project, opt *cook.VerifyOptions, s *show) *flag.FlagSet {
	fs := newFlags("verify", verifyText)
	folderFlags(fs, p)
	ruleFlags(fs, p, "verify these targets, `names` separated by commas (default: all that were cooked)")
	workerFlag(fs, &opt.Limits.Workers)
	memoryFlag(fs, &opt.Limits.Memory)
	s.flags(fs)
	fs.StringVar(&opt.Sample, "sample", cook.DefaultSample, "how many assets to cook again: a `number`, a percentage, or all; 0 only compares what is there")
	fs.Var(asked{&p.Remote, &opt.Remote}, "remote", "compare what is cooked again with the results of the server that cook.toml or COOK_REMOTE names, or of another one: -remote=ADDRESS")
	keyFlags(fs, &p.Remote)
	fs.BoolVar(&opt.AllowExtra, "allow-extra", false, "let files of the output folder pass that nothing makes")
	fs.Uint64Var(&opt.Seed, "seed", 0, "choose the sample by this `number` (default: another one each time)")
	return fs
}

// withCommand returns what a finding says, with the command that puts it right.
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

// commandFor is the command line that cooks a project for some targets.
func commandFor(p *cook.Project, targets []string) string {
	line := "cook"
	if len(targets) == 0 {
		targets = p.Targets
	}
	for _, f := range [...]struct{ name, value string }{
		{"dir", p.Dir}, {"out", p.Out}, {"config", p.Config}, {"cache", p.Cache}, {"target", strings.Join(targets, ",")},
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

// shellWord quotes a word for a shell if that would not take it for one.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= utf8.RuneSelf || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(`_-+=:,./@%`, r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runVerify changes process-wide settings on which no recipe may depend: the mode of
// new files and the number of processors.
func (c command) runVerify(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	project := cook.Project{Recipes: c.recipes}
	var opt cook.VerifyOptions
	var s show
	patterns, code, ok := parse(verifyFlags(&project, &opt, &s), args, stdout, stderr)
	if !ok {
		return code
	}
	if project.Dir == "" {
		wrong(stderr, "no asset folder given; try: cook verify -dir assets")
		return exitUsage
	}
	if opt.Remote {
		if err := checkServer(&project.Remote, patterns); err != nil {
			wrong(stderr, "%v", err)
			return exitUsage
		}
	}
	opt.Patterns = patterns
	atWork()
	if opt.Limits.Workers <= 0 {
		opt.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	defer otherUmask()()

	found, err := s.findings(&project)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	observer, done := s.observe(shown{&project, false, false, found, stdout, stderr})
	opt.Observer = cook.Observers{&memoryLimit{memory: opt.Limits.Memory}, observer}
	if s.quiet && !s.json { // findings are what was asked for
		text := &report.Text{Out: stdout, Err: stderr, Dir: project.Dir, Style: styleOf(stderr, os.Getenv)}
		observer = cook.Observers{flagging{cook.Observers{text}}}
		if found != nil {
			observer = append(observer, found)
		}
		done = func() func() { text.Done(); return nil }
	}
	opt.Found = func(f cook.Finding) {
		f.Text = withCommand(f, &project)
		report.Find(observer, f)
	}
	sum, err := cook.Verify(ctx, project, opt)
	done()
	err = errors.Join(err, s.writeFindings(found, err))
	switch {
	case ctx.Err() != nil && err != nil:
		return interrupted(stderr, "interrupted; not all was verified")
	case err != nil:
		return fail(ctx, stderr, err)
	case s.json:
		report.NewJSON(stdout).Verified(&sum)
	case !s.quiet:
		if sum.Again > 0 && sum.Again < sum.Assets {
			fmt.Fprintf(stdout, "cook: the sample is that of -seed %d\n", sum.Seed)
		}
		if opt.Remote {
			fmt.Fprintf(stdout, "cook: compared with %s of %s\n", human.Count(sum.Shared, "result"), pathname.Show(project.Remote.URL))
		}
		fmt.Fprintf(stdout, "cook: %s\n", &sum)
	}
	if sum.Differences > 0 {
		return exitDifferent
	}
	return exitOK
}
