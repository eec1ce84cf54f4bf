// Command hashsum prints and checks sums of files.
//
//	hashsum [-a FUNCTION] [-tag|-json] [-z] [-j N] [FILE|DIRECTORY ...]
//	hashsum -c LIST [-a FUNCTION] [-quiet] [-status] [-ignore-missing] [-strict] [-warn] [-z] [LIST ...]
//	hashsum -stats [-a FUNCTION,...] [-keys FORM] [-bins N] [-chains N] [-bin N] [-z] [FILE ...]
//
// Without a file, and for "-", it sums standard input. For a directory, it sums all files below it,
// and follows links to files. Links to directories, dangling links, pipes and other special files
// are skipped with a warning. The lines come in the order of the arguments and, within a directory,
// in the byte order of the paths, however many files are summed at once.
//
// A LIST (checksum file) may mix lines from hashsum, md5sum, sha256sum, b3sum, xxhsum, openssl dgst
// and cksum -a sha256. Lines from plain cksum (a CRC, a size, a name) are not supported. The
// function of a line is the first of:
//
//   - its tag ("SHA256 (name) = ..."), its prefix ("XXH3_...", of newer xxhsum) or its
//     "algorithm" (JSON)
//   - the function of -a
//   - the function with this number of digits that first matches a file of the list
//
// With -stats the lines of the files are keys. For each function, a row shows how evenly it spreads
// the keys over the bins of a hash table. It has the number of empty bins, the longest chain,
// chi-squared per degree of freedom, and the probability of this chi-squared for random sums. It
// also has the number of keys that share 32 or 64 bits with another key. Keys may be binary (-keys
// hex, -keys N for N bytes each). They may come with sums of any function (-keys sums). -chains N
// prints the keys of the N fullest bins. -bin N prints the keys in bin N.
//
// Exit status: 0 success; 1 a file could not be read, did not match or is not a list; 2 wrong
// usage. On systems with signals, an interrupted run is killed by the signal, so that a shell loop
// ends as well (the shell reports 130 after Ctrl-C). On other systems it exits with 130.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/manpage"
	"github.com/assetcook/assetcook/internal/version"
)

// patience is how long an interrupted run may take to end by itself before it is stopped. A read
// from a terminal or a pipe may never return.
const patience = 250 * time.Millisecond

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() { code <- parseAndRun(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case c := <-code:
		os.Exit(c)
	case s := <-signals:
		signal.Reset() // a second interrupt then ends the process at once
		cancel()
		select {
		case <-code:
		case <-time.After(patience):
		}
		dieOf(s)
		os.Exit(frontend.Interrupted)
	}
}

func parseAndRun(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	_, isTerminal := frontend.Terminal(stdout)
	c := &command{
		stdin: stdin,
		out:   &output{w: stdout, terminal: isTerminal},
		msg:   &messages{w: stderr},
	}
	opt, err := parseOptions(args)
	switch {
	case err == errHelp:
		io.WriteString(stdout, usageText())
		return frontend.OK
	case err != nil:
		c.msg.printError(err)
		return frontend.Usage
	case opt.version, opt.man:
		if _, err := io.WriteString(stdout, aboutText(opt)); err != nil {
			c.msg.printError(fmt.Errorf("not all output could be printed: %w", err))
			return frontend.Failed
		}
		return frontend.OK
	}
	c.options = opt
	defer c.showProgress(ctx, stderr)()
	switch {
	case c.stats:
		c.printStats(ctx)
	case c.lists != nil:
		c.checkLists(ctx)
	default:
		c.printSums(ctx)
	}
	c.out.flushOutput()
	switch {
	case ctx.Err() != nil:
		return frontend.Interrupted
	case c.out.err != nil:
		c.msg.printError(fmt.Errorf("not all output could be printed: %w", c.out.err))
		return frontend.Failed
	case c.failed.Load():
		return frontend.Failed
	}
	return frontend.OK
}

// showProgress starts a progress display, if stderr is a terminal and the input is not typed at a
// terminal. The returned function stops the display.
func (c *command) showProgress(ctx context.Context, stderr io.Writer) func() {
	in, ok := c.stdin.(*os.File)
	typed := ok && frontend.IsTerminal(in) && slices.Contains(slices.Concat(c.files, c.lists), stdinName)
	terminal, ok := frontend.Terminal(stderr)
	if !ok || c.status || typed || !frontend.Animates(os.Getenv) {
		return func() {}
	}
	p := newProgress(frontend.NewLive(stderr, func() int { return frontend.Columns(terminal) }), time.Now())
	c.progress, c.out.progress, c.msg.progress = p, p, p
	ctx, cancel := context.WithCancel(ctx)
	ticker := time.NewTicker(progressEvery)
	ended := make(chan struct{})
	go func() {
		p.drawProgress(ticker.C, ctx.Done(), func() { c.measureTotal(ctx) })
		close(ended)
	}()
	return func() {
		ticker.Stop()
		cancel()
		<-ended
	}
}

// aboutText returns the answer to -version, or to -man: a manual page made from the help.
func aboutText(o options) string {
	build := version.Read()
	if o.version {
		return build.Line("hashsum")
	}
	var w strings.Builder
	p := manpage.Page{W: &w}
	p.Macro("TH", "HASHSUM", "1", build.Date, "assetcook "+build.Version, "User Commands")
	p.Macro("SH", "NAME")
	w.WriteString("hashsum \\- print and check sums of files\n")
	calls, about, _ := strings.Cut(strings.TrimPrefix(usageText(), "usage: "), "\n\n")
	p.Macro("SH", "SYNOPSIS")
	var lines []string
	for line := range strings.Lines(calls) {
		lines = append(lines, strings.TrimSpace(line))
	}
	p.Verbatim(lines)
	about, _, _ = strings.Cut(about, "\n  -0\t")
	p.Macro("SH", "DESCRIPTION")
	p.Text(strings.ReplaceAll(about, "\n  hashsum", "\n\thashsum"))
	_, lists, _ := strings.Cut(usageText(), "\nLists: ")
	lists, status, _ := strings.Cut(lists, "\n\nExit status: ")
	p.Macro("SH", "FLAGS")
	var fn string
	var tag, json bool
	p.Flags(newFlagSet(&o, &fn, &tag, &json))
	p.Macro("SH", "LISTS")
	p.Text(lists)
	p.Macro("SH", "EXIT STATUS")
	p.Text(status)
	return w.String()
}
