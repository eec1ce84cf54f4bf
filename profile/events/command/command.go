// Package command is the command line for recordings of events:
//
//	stat FILE            sums, slowest scopes, metrics and graphs
//	convert FILE OUT     other viewers' formats, by the ending of OUT
//
// The FILE - is the standard input. So nc HOST PORT | cook events stat - summarizes a live
// recording when it has ended.
//
// A command that offers these verbs calls [Run] with the arguments after its own name.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

const usage = `usage:
  stat [options] FILE           sum up a recording
  convert [options] FILE OUT    write it for another viewer
FILE may be - for the standard input. Options come before it; "stat help" and "convert help" list them
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

// Flags returns a flag set for each verb, for completion and manual pages. Each set has the name of
// its verb.
func Flags() []*flag.FlagSet {
	return []*flag.FlagSet{statFlags(new(stat.Options), new(form)), convertFlags(new(conversion))}
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

func statFlags(opt *stat.Options, as *form) *flag.FlagSet {
	fs := flag.NewFlagSet("stat", flag.ContinueOnError)
	*as = form(forms[0].name)
	fs.Var(as, "as", "`form` of the report: text, csv or json")
	fs.IntVar(&opt.Slowest, "slowest", 10, "how many of the slowest scopes to list")
	fs.IntVar(&opt.Names, "names", 1024, "how many names to sum separately; further names are summed together")
	fs.IntVar(&opt.Bins, "bins", 60, "number of parts in graphs")
	fs.StringVar(&opt.Frame, "frame", stat.FrameMark, "`name` of the scopes or instants that end a frame")
	return fs
}

func runStat(args []string, stdout io.Writer) error {
	var opt stat.Options
	var as form
	fs := statFlags(&opt, &as)
	names, err := parse(fs, args, 1, stdout)
	if err != nil {
		return err
	}
	at := slices.Index(as.Choices(), string(as))
	if at < 0 {
		return frontend.UsageError(fmt.Sprintf("unknown form %q of a report: use text, csv or json", as))
	}
	if opt.Slowest <= 0 {
		opt.Slowest = -1
	}
	file, err := open(names[0])
	if err != nil {
		return err
	}
	defer file.Close()
	report, err := stat.Summarize(events.Read(file), opt)
	if err != nil && report.Start.IsZero() {
		return fmt.Errorf("%s: %w", file.Name(), err) // The recording could not be read at all.
	}
	if failed := forms[at].write(report, stdout); failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w; the report covers only the events before the damage", file.Name(), err)
	}
	return nil
}

// endings lists the file name extensions that convert accepts.
func endings() string { return strings.Join(export.Endings(), ", ") }
