package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
)

func verifyFlags(opt *cook.Options, how *cook.VerifyOptions, s *show) *flag.FlagSet {
	fs := flag.NewFlagSet("cook verify", flag.ContinueOnError)
	folders(fs, opt)
	fs.StringVar(&opt.Config, "config", "", "rules for the whole tree (default: cook.toml in the asset folder)")
	fs.Var((*names)(&opt.Targets), "target", "variants to verify, separated by commas (default: all that were cooked)")
	fs.StringVar(&how.Sample, "sample", cook.DefaultSample, "how many assets are cooked again: a number, a part in %, or all; 0 only compares what is there")
	fs.Uint64Var(&how.Seed, "seed", 0, "draw the sample that has this number (default: another one each time)")
	fs.IntVar(&opt.Workers, "j", 0, "files read, and assets cooked, at once (default: one for each CPU)")
	fs.Var((*size)(&opt.Memory), "mem", "memory that cooking may take (default: half of the machine's)")
	fs.BoolVar(&s.verbose, "v", false, "a line for each asset that was cooked again, with its time")
	fs.BoolVar(&s.quiet, "q", false, "only differences and warnings")
	fs.BoolVar(&s.json, "json", false, "one JSON object a line for everything that happens, on stdout")
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "%s\nFlags:\n", verifyText)
		fs.PrintDefaults()
		fmt.Fprint(fs.Output(), exitText)
	}
	return fs
}

const verifyText = `usage: cook verify -dir assets [flags] [pattern ...]

Proves that the output folder is what a cook from scratch would make: reads all
outputs, sources and stored results and compares them with what was cooked, and
cooks a sample of the assets again in other surroundings. Changes nothing, but
for damaged entries of the store, which it removes.
`

// runVerify changes what concerns the whole process and no recipe may depend on:
// the mode of new files and the number of processors in use.
func runVerify(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var opt cook.Options
	var how cook.VerifyOptions
	var s show
	patterns, code, ok := parse(verifyFlags(&opt, &how, &s), args, stderr)
	if !ok {
		return code
	}
	if opt.Dir == "" {
		fmt.Fprintln(stderr, "cook: no asset folder given; try: cook verify -dir assets")
		return exitUsage
	}
	opt.Patterns = patterns
	atWork()
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	defer otherUmask()()

	observer, done := observe(s, false, stdout, stderr)
	opt.Observer = report.Multi{&memoryLimit{memory: opt.Memory}, observer}
	how.Found = func(f report.Finding) { find(s, observer, stdout, f) }
	sum, err := cook.Verify(ctx, opt, how)
	done()
	switch {
	case ctx.Err() != nil && err != nil:
		fmt.Fprintln(stderr, "cook: interrupted; not all was verified")
		return exitInterrupted
	case err != nil:
		return fail(ctx, stderr, err)
	case s.json:
		report.NewJSON(stdout).Verified(&sum)
	case !s.quiet:
		if sum.Again > 0 && sum.Again < sum.Assets {
			fmt.Fprintf(stdout, "cook: the sample is that of -seed %d\n", sum.Seed)
		}
		fmt.Fprintln(stdout, sum.Line())
	}
	if sum.Differences > 0 {
		return exitDifferent
	}
	return exitOK
}

// find prints a finding, also where all else is kept quiet.
func find(s show, observer report.Observer, stdout io.Writer, f report.Finding) {
	if s.quiet {
		fmt.Fprintf(stdout, "cook: %s\n", f)
	} else if o, ok := observer.(report.Finder); ok {
		o.Finding(f)
	}
}
