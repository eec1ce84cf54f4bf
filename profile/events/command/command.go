// Package command is the command line for recordings of events:
//
//	stat FILE            sums, slowest scopes, metrics and graphs
//	convert FILE OUT     other viewers' formats, by the ending of OUT
//
// The FILE - is the standard input, and HOST:PORT a program that serves its stream there. With
// -for, stat summarizes the first seconds of a live recording; otherwise it waits for the end.
//
// A command that offers these verbs calls [Run] with the arguments after its own name.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

const usage = `usage:
  stat [options] FILE           sum up a recording
  convert [options] FILE OUT    write it for another viewer
FILE may be - for the standard input, or HOST:PORT of a running program. Options come before it; "stat help" and "convert help" list them
`

// Run runs the command with the arguments after its name. The error wraps a
// [frontend.UsageError] if the arguments are wrong.
func Run(args []string, stdout io.Writer) error {
	verbs := map[string]func([]string, io.Writer) error{"stat": runStat, "convert": runConvert}
	if len(args) == 0 || verbs[args[0]] == nil {
		return frontend.UsageError("want stat or convert")
	}
	err := verbs[args[0]](args[1:], stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return fmt.Errorf("%s: %w", args[0], err)
}

// parse parses the options and checks the number of files.
func parse(fs *flag.FlagSet, args []string, files int, stdout io.Writer) (names []string, err error) {
	if len(args) == 1 && args[0] == "help" {
		args = []string{"-h"}
	}
	names, err = frontend.Parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, frontend.UsageError(err.Error())
	case len(names) != files:
		return nil, frontend.UsageError(fmt.Sprintf("want %d file names, have %d", files, len(names)))
	}
	return names, nil
}

// open opens a recording. The name - stands for the standard input.
func open(name string) (*os.File, error) {
	if name == "-" {
		return os.Stdin, nil
	}
	return os.Open(name)
}

// dialTimeout is the maximum time until a program accepts the connection.
const dialTimeout = 5 * time.Second

// openStream opens a file like open, or connects to the program that serves its stream at
// HOST:PORT. A positive limit ends the stream of a program after that time. It also returns the
// name for messages.
func openStream(name string, limit time.Duration) (io.ReadCloser, string, error) {
	file, err := open(name)
	if err == nil {
		return file, file.Name(), nil
	}
	if host, port, bad := net.SplitHostPort(name); bad != nil || host == "" || port == "" {
		return nil, "", err
	}
	conn, err := net.DialTimeout("tcp", name, dialTimeout)
	if err != nil {
		return nil, "", fmt.Errorf("no program serves its stream at %s: %w", name, err)
	}
	if limit > 0 {
		conn.SetReadDeadline(time.Now().Add(limit)) // Without deadlines, the stream ends when the program ends.
	}
	return conn, name, nil
}

// Flags returns a flag set for each verb, for completion and manual pages. Each set has the name of
// its verb.
func Flags() []*flag.FlagSet {
	return []*flag.FlagSet{statFlags(new(statistics)), convertFlags(new(conversion))}
}

// forms lists the formats of a report. The first one is the default.
var forms = []struct {
	name  string
	write func(*stat.Report, io.Writer) error
}{{"text", (*stat.Report).WriteText}, {"csv", (*stat.Report).WriteCSV}, {"json", (*stat.Report).WriteJSON}}

// A form is a flag value that names a format in forms. Set accepts any name, because runStat checks
// it.
type form string

func (f *form) String() string { return string(*f) }

func (f *form) Set(text string) error {
	*f = form(text)
	return nil
}

// Choices lists the possible values for completion.
func (f *form) Choices() (names []string) {
	for _, have := range forms {
		names = append(names, have.name)
	}
	return names
}

// A statistics holds the options of stat.
type statistics struct {
	stat.Options
	as    form
	limit time.Duration
}

func statFlags(o *statistics) *flag.FlagSet {
	fs := flag.NewFlagSet("stat", flag.ContinueOnError)
	o.as = form(forms[0].name)
	fs.Var(&o.as, "as", "`form` of the report: text, csv or json")
	fs.IntVar(&o.Slowest, "slowest", 10, "how many of the slowest scopes to list")
	fs.IntVar(&o.Names, "names", 1024, "how many names to sum separately; further names are summed together")
	fs.IntVar(&o.Bins, "bins", 60, "number of parts in graphs")
	fs.StringVar(&o.Frame, "frame", stat.FrameMark, "`name` of the scopes or instants that end a frame")
	fs.DurationVar(&o.limit, "for", 0, "`time` after which the stream of a running program ends, such as 2s (default: when the program ends)")
	return fs
}

func runStat(args []string, stdout io.Writer) error {
	var opt statistics
	fs := statFlags(&opt)
	names, err := parse(fs, args, 1, stdout)
	if err != nil {
		return err
	}
	at := slices.Index(opt.as.Choices(), string(opt.as))
	if at < 0 {
		return frontend.UsageError(fmt.Sprintf("unknown form %q of a report: use text, csv or json", opt.as))
	}
	if opt.limit < 0 {
		return frontend.UsageError(fmt.Sprintf("-for %v: want a positive time", opt.limit))
	}
	if opt.Slowest <= 0 {
		opt.Slowest = -1
	}
	from, name, err := openStream(names[0], opt.limit)
	if err != nil {
		return err
	}
	defer from.Close()
	report, err := stat.Summarize(events.Read(from), opt.Options)
	if opt.limit > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil // The program goes on, and so does its stream.
	}
	if err != nil && report.Start.IsZero() {
		return fmt.Errorf("%s: %w", name, err) // The recording could not be read at all.
	}
	if failed := forms[at].write(report, stdout); failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w; the report covers only the events before the damage", name, err)
	}
	return nil
}

// endings lists the file name extensions that convert accepts.
func endings() string { return strings.Join(export.Endings(), ", ") }
