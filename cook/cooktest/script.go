package cooktest

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Way says how a run cooks. The zero Way is a plain run.
type Way struct {
	Long     bool     // every asset is to be told of, which the quick way cannot
	List     bool     // every folder is listed, as where folders keep no times
	Verify   bool     // no stamp is trusted
	ByFolder bool     // outputs are only looked at where their folder changed
	Targets  []string // in order; none for the one without a name
	Patterns []string // which sources, none for all
	// Cancel interrupts the run at that many events, 0 never.
	Cancel int
	// FirstFailure lets the run begin nothing new after an asset failed.
	FirstFailure bool
	// Clock is how many seconds the cook's clock is ahead of the true one. Before
	// and after a run whose clock is ahead the file system's clock ticks: to such a
	// run all stamps look old enough to be trusted, and so they must be.
	Clock int64
}

// String gives the way as flags.
func (w Way) String() string {
	var words []string
	for _, f := range []struct {
		name string
		on   bool
	}{{"-long", w.Long}, {"-list", w.List}, {"-verify", w.Verify}, {"-byfolder", w.ByFolder}, {"-firstfailure", w.FirstFailure}} {
		if f.on {
			words = append(words, f.name)
		}
	}
	if len(w.Targets) > 0 {
		words = append(words, "-target", strings.Join(w.Targets, ","))
	}
	if w.Cancel != 0 {
		words = append(words, "-cancel", strconv.Itoa(w.Cancel))
	}
	if w.Clock != 0 {
		words = append(words, "-clock", strconv.FormatInt(w.Clock, 10))
	}
	for _, p := range w.Patterns {
		words = append(words, quote(p))
	}
	return strings.Join(words, " ")
}

// ParseWay reads flags.
func ParseWay(words []string) (Way, error) {
	var w Way
	fs := flag.NewFlagSet("agree", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&w.Long, "long", false, "")
	fs.BoolVar(&w.List, "list", false, "")
	fs.BoolVar(&w.Verify, "verify", false, "")
	fs.BoolVar(&w.ByFolder, "byfolder", false, "")
	fs.BoolVar(&w.FirstFailure, "firstfailure", false, "")
	fs.IntVar(&w.Cancel, "cancel", 0, "")
	fs.Int64Var(&w.Clock, "clock", 0, "")
	targets := fs.String("target", "", "")
	if err := fs.Parse(words); err != nil {
		return w, err
	}
	if *targets != "" {
		w.Targets = strings.Split(*targets, ",")
	}
	w.Patterns = slices.Clip(fs.Args())
	if len(w.Patterns) == 0 {
		w.Patterns = nil
	}
	return w, nil
}

// A Step is a run if it has a Way, else an edit.
type Step struct {
	Edit
	Way *Way
}

// String gives the step as a line of a script.
func (s Step) String() string {
	if s.Way == nil {
		return "edit " + s.Edit.String()
	}
	return strings.TrimSpace("agree " + s.Way.String())
}

// A Script is what happens to a tree, from nothing on.
type Script []Step

// Txtar returns the script in the language of cmd/cook's script tests.
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
		if step.Way != nil {
			n++
		}
	}
	return n
}

// A Difference is a promise that was not kept.
type Difference struct {
	Step int    // of the script, from 0
	Text string // what is wrong
	// Needless says that the outputs are right, but that work was done which
	// nothing asked for.
	Needless bool
}

func (d *Difference) Error() string { return fmt.Sprintf("step %d: %s", d.Step, d.Text) }
