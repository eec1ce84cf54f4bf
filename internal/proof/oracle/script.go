package oracle

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Mode says how a run cooks. The zero Mode is a plain run.
type Mode struct {
	Full     bool     // whether to scan the whole tree, not only the files in the index; InProcess changes the checksum function to force this
	List     bool     // whether to list every directory, as on systems without directory mtimes
	Verify   bool     // whether to ignore timestamps
	ByFolder bool     // whether to check the files in an output directory only if the directory's stamp has changed
	Targets  []string // targets in order; empty for the unnamed target
	Patterns []string // sources to cook; empty for all
	// Cancel interrupts the run at the event with this number; 0 means never.
	Cancel int
	// FirstFailure stops the run after the first failed asset.
	FirstFailure bool
	// Clock is the difference between cook's clock and the real time, in seconds. If the clock is
	// ahead, a run considers all file stamps old enough to be trusted. To make that true, the
	// player waits for a tick of the file system clock before and after such a run.
	Clock int64
}

// String returns the mode as flags.
func (m Mode) String() string {
	var words []string
	for _, f := range []struct {
		name string
		on   bool
	}{{"-full", m.Full}, {"-list", m.List}, {"-verify", m.Verify}, {"-byfolder", m.ByFolder}, {"-firstfailure", m.FirstFailure}} {
		if f.on {
			words = append(words, f.name)
		}
	}
	if len(m.Targets) > 0 {
		words = append(words, "-target", strings.Join(m.Targets, ","))
	}
	if m.Cancel != 0 {
		words = append(words, "-cancel", strconv.Itoa(m.Cancel))
	}
	if m.Clock != 0 {
		words = append(words, "-clock", strconv.FormatInt(m.Clock, 10))
	}
	for _, p := range m.Patterns {
		words = append(words, quote(p))
	}
	return strings.Join(words, " ")
}

// ParseMode parses flags.
func ParseMode(words []string) (Mode, error) {
	var m Mode
	fs := flag.NewFlagSet("agree", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&m.Full, "full", false, "")
	fs.BoolVar(&m.List, "list", false, "")
	fs.BoolVar(&m.Verify, "verify", false, "")
	fs.BoolVar(&m.ByFolder, "byfolder", false, "")
	fs.BoolVar(&m.FirstFailure, "firstfailure", false, "")
	fs.IntVar(&m.Cancel, "cancel", 0, "")
	fs.Int64Var(&m.Clock, "clock", 0, "")
	targets := fs.String("target", "", "")
	if err := fs.Parse(words); err != nil {
		return m, err
	}
	if *targets != "" {
		m.Targets = strings.Split(*targets, ",")
	}
	m.Patterns = slices.Clip(fs.Args())
	if len(m.Patterns) == 0 {
		m.Patterns = nil
	}
	return m, nil
}

// A Step is a run if its Mode is not nil, otherwise an edit.
type Step struct {
	Edit
	Mode *Mode
}

// String returns the step as a script line.
func (s Step) String() string {
	if s.Mode == nil {
		return "edit " + s.Edit.String()
	}
	return strings.TrimSpace("agree " + s.Mode.String())
}

// A Script is a sequence of edits and runs, starting with an empty tree.
type Script []Step

// Txtar returns the script in the format of package cli's script tests.
func (s Script) Txtar() []byte {
	var b bytes.Buffer
	for _, step := range s {
		fmt.Fprintln(&b, step)
	}
	return b.Bytes()
}

// Runs counts the runs of a script.
func (s Script) Runs() int {
	n := 0
	for _, step := range s {
		if step.Mode != nil {
			n++
		}
	}
	return n
}

// A Difference is a failed check.
type Difference struct {
	Step int    // index of the step in the script
	Text string // description
	// Needless means that the outputs are correct, but the run did unnecessary work.
	Needless bool
}

func (d *Difference) Error() string { return fmt.Sprintf("step %d: %s", d.Step, d.Text) }

// Shrink returns a shorter script that still fails. If any step, or any flag of a run, were
// removed, it would no longer fail. Shrink calls the function fails many times. If s ends at the
// failing step, so do all scripts that Shrink tries.
func Shrink(s Script, fails func(Script) bool) Script {
	for size := max(1, len(s)/2); ; {
		shorter := false
		for at := len(s) - size; at >= 0; at -= size {
			try := append(append(Script{}, s[:at]...), s[at+size:]...)
			if fails(try) {
				s, shorter = try, true
			}
			at = min(at, len(s))
		}
		switch {
		case size > 1:
			size = max(1, size/2)
		case !shorter:
			return shrinkModes(s, fails)
		}
	}
}

// shrinkModes removes flags of runs that are not needed for the failure.
func shrinkModes(s Script, fails func(Script) bool) Script {
	for i, step := range s {
		if step.Mode == nil {
			continue
		}
		for _, plain := range []func(*Mode){
			func(mode *Mode) { *mode = Mode{} },
			func(mode *Mode) { mode.Full = false },
			func(mode *Mode) { mode.List = false },
			func(mode *Mode) { mode.Verify = false },
			func(mode *Mode) { mode.ByFolder = false },
			func(mode *Mode) { mode.Cancel = 0 },
			func(mode *Mode) { mode.FirstFailure = false },
			func(mode *Mode) { mode.Clock = 0 },
			func(mode *Mode) { mode.Targets = nil },
			func(mode *Mode) { mode.Patterns = nil },
		} {
			mode := *s[i].Mode
			plain(&mode)
			try := append(Script{}, s...)
			try[i] = Step{Mode: &mode}
			if mode.String() != s[i].Mode.String() && fails(try) {
				s = try
			}
		}
	}
	return s
}
