// Package console parses and completes the lines of the page's console. It knows the names and the
// syntax; its caller executes the lines.
package console

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These are limits for a line.
const (
	maxLine  = 4096      // maximum number of bytes in a line
	maxNames = 64        // maximum number of counters in one line, after expanding "*"
	maxName  = 256       // maximum number of bytes in a graph's name
	maxRun   = 1_000_000 // maximum number of frames after "for"

	LeastDump, MostDump = 100 * time.Millisecond, time.Minute
)

// Help is the output of the command help.
const Help = `graph make NAME                     make a graph
graph add NAME COUNTER...           add counters; make the graph if it does not exist; * stands for any text
graph add_vector NAME [COUNTER]     add COUNTER/x, COUNTER/y and so on (default COUNTER: NAME)
graph range NAME LEAST GREATEST     fix the scale; "graph range NAME auto" follows the values
graph hide NAME, graph show NAME    hide or show a graph
graph remove NAME [COUNTER...]      remove the graph, or some of its counters
print COUNTER...                    print the values of the last frame
when COUNTER > NUMBER [for FRAMES] dump DURATION
                                    if true, record DURATION before and after; also >= < <=
when, when remove N                 list the conditions, or remove one
help
Timers are in milliseconds; numbers may have units (33ms, 250us). Quote names that have spaces: "a b".`

// Names holds the names that a line may refer to.
type Names struct {
	Counters []string // sorted names of counters
	Graphs   []string

	// Later allows counters that do not exist yet, which the program's own lines may name.
	Later bool
}

// A Command is a parsed line. At most one of its fields is set; an empty line sets none.
type Command struct {
	Ops    []Op
	Print  []string
	When   *When
	Remove int  // number of the condition to remove, from 1
	List   bool // true to list the conditions
	Help   bool
}

// An Op is a change to the graphs of a page.
type Op struct {
	Do    string      `json:"do"` // one of make, add, hide, show, remove and range
	Graph string      `json:"graph"`
	Names []string    `json:"names,omitempty"` // names of counters
	Range *[2]float64 `json:"range,omitempty"` // limits for range; nil to follow the values
}

// A When is a condition and its action.
type When struct {
	Counter string
	Is      string // one of >, >=, < and <=
	Number  float64
	Frames  int // number of consecutive frames
	Dump    time.Duration
}

// Holds reports whether a value satisfies the condition. It returns false for NaN.
func (w *When) Holds(value float64) bool {
	switch w.Is {
	case ">":
		return value > w.Number
	case ">=":
		return value >= w.Number
	case "<":
		return value < w.Number
	}
	return value <= w.Number
}

// String returns the line that creates the condition.
func (w *When) String() string {
	return fmt.Sprintf("when %s %s %s for %d dump %v", quote(w.Counter), w.Is, strconv.FormatFloat(w.Number, 'g', -1, 64), w.Frames, w.Dump)
}

// Parse parses a line. An error message has one line, and suggests the nearest known name for a
// mistyped name.
func Parse(line string, names Names) (Command, error) {
	if len(line) > maxLine {
		return Command{}, fmt.Errorf("the line has %d bytes; at most %d are read", len(line), maxLine)
	}
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return Command{}, err
	}
	p := parser{names, words[1:]}
	switch words[0] {
	case "graph":
		return p.graph()
	case "print":
		list, err := p.counters()
		return Command{Print: list}, err
	case "when":
		return p.when()
	case "help":
		return Command{Help: true}, p.end()
	}
	return Command{}, unknown("command", words[0], commands)
}

var (
	commands = []string{"graph", "help", "print", "when"}
	verbs    = []string{"add", "add_vector", "hide", "make", "range", "remove", "show"}
	signs    = []string{">", ">=", "<", "<="}
)

// A parser parses the words in rest, one after another.
type parser struct {
	Names
	rest []string
}

func (p *parser) next(what string) (string, error) {
	if len(p.rest) == 0 {
		return "", fmt.Errorf("%s is missing at the end of the line; see help", what)
	}
	word := p.rest[0]
	p.rest = p.rest[1:]
	return word, nil
}

func (p *parser) end() error {
	if len(p.rest) > 0 {
		return fmt.Errorf("the line must end before %s; see help", quote(p.rest[0]))
	}
	return nil
}

// expect takes the next word, which must be the given keyword.
func (p *parser) expect(keyword string) error {
	word, err := p.next(strconv.Quote(keyword))
	if err == nil && word != keyword {
		err = fmt.Errorf("want %[2]q instead of %[1]s; see help", quote(word), keyword)
	}
	return err
}

func (p *parser) graph() (Command, error) {
	verb, err := p.next("one of " + strings.Join(verbs, ", "))
	if err != nil {
		return Command{}, err
	}
	if !slices.Contains(verbs, verb) {
		return Command{}, unknown("command of graph", verb, verbs)
	}
	op := Op{Do: verb}
	if op.Graph, err = p.next("the name of a graph"); err != nil {
		return Command{}, err
	}
	if op.Graph == "" || len(op.Graph) > maxName {
		return Command{}, fmt.Errorf("the name of a graph has 1 to %d bytes, not %d", maxName, len(op.Graph))
	}
	if verb == "hide" || verb == "show" || verb == "remove" || verb == "range" {
		if !slices.Contains(p.Graphs, op.Graph) {
			return Command{}, unknown("graph", op.Graph, p.Graphs)
		}
	}
	switch verb {
	case "add":
		op.Names, err = p.counters()
	case "add_vector":
		op.Do = "add"
		op.Names, err = p.vector(op.Graph)
	case "remove":
		op.Names, p.rest = append(op.Names, p.rest...), nil
		if len(op.Names) > maxNames {
			err = tooMany(len(op.Names))
		}
	case "range":
		op.Range, err = p.limits()
	default:
		err = p.end()
	}
	if err != nil {
		return Command{}, err
	}
	return Command{Ops: []Op{op}}, nil
}

// counters takes all remaining words as names of counters. A "*" matches any text.
func (p *parser) counters() (list []string, err error) {
	if len(p.rest) == 0 {
		return nil, errors.New("the name of a counter is missing at the end of the line; see help")
	}
	for _, word := range p.rest {
		found, err := p.counter(word)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
			if len(list) > maxNames {
				return nil, tooMany(len(list))
			}
		}
	}
	p.rest = nil
	return list, nil
}

func tooMany(n int) error {
	return fmt.Errorf("the line has %d or more counters; at most %d are allowed", n, maxNames)
}

func (p *parser) counter(word string) ([]string, error) {
	if p.has(word) {
		return []string{word}, nil
	}
	if strings.Contains(word, "*") {
		var found []string
		for _, name := range p.Counters {
			if matches(word, name) {
				if found = append(found, name); len(found) > maxNames {
					return nil, fmt.Errorf("%s matches more than %d counters", quote(word), maxNames)
				}
			}
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no counter matches %s", quote(word))
		}
		return found, nil
	}
	if p.Later && word != "" {
		return []string{word}, nil
	}
	return nil, unknown("counter", word, p.Counters)
}

func (p *parser) has(counter string) bool {
	_, ok := slices.BinarySearch(p.Counters, counter)
	return ok
}

// parts lists the suffixes of a vector's components, in order.
var parts = []string{"x", "y", "z", "w"}

func (p *parser) vector(graph string) (list []string, err error) {
	base := graph
	if len(p.rest) > 0 {
		base, _ = p.next("")
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	for _, part := range parts {
		if name := base + "/" + part; p.has(name) {
			list = append(list, name)
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case p.Later:
		return []string{base + "/x", base + "/y", base + "/z"}, nil
	}
	return nil, unknown("vector", base, p.vectors())
}

// vectors returns the names of vectors, which are the names with a component x.
func (n *Names) vectors() (list []string) {
	for _, name := range n.Counters {
		if base, ok := strings.CutSuffix(name, "/x"); ok {
			list = append(list, base)
		}
	}
	return list
}

func (p *parser) limits() (*[2]float64, error) {
	word, err := p.next("a number or auto")
	if err != nil {
		return nil, err
	}
	if word == "auto" {
		return nil, p.end()
	}
	least, err := number(word)
	if err != nil {
		return nil, err
	}
	if word, err = p.next("the greatest value"); err != nil {
		return nil, err
	}
	greatest, err := number(word)
	switch {
	case err != nil:
		return nil, err
	case least >= greatest:
		return nil, fmt.Errorf("a range from %v to %v is empty", least, greatest)
	}
	return &[2]float64{least, greatest}, p.end()
}

// number takes a number or a duration. It converts a duration to milliseconds.
func number(word string) (float64, error) {
	if f, err := strconv.ParseFloat(word, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f, nil
	}
	if d, err := time.ParseDuration(word); err == nil {
		return float64(d) / 1e6, nil
	}
	return 0, fmt.Errorf("%s is neither a number nor a duration such as 33ms", quote(word))
}

func (p *parser) when() (Command, error) {
	if len(p.rest) == 0 {
		return Command{List: true}, nil
	}
	if p.rest[0] == "remove" && len(p.rest) <= 2 {
		p.rest = p.rest[1:]
		word, err := p.next("the number of a condition")
		if err != nil {
			return Command{}, err
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return Command{}, fmt.Errorf("%s is not the number of a condition; when lists them", quote(word))
		}
		return Command{Remove: n}, nil
	}
	w := &When{Frames: 1}
	word, _ := p.next("")
	found, err := p.counter(word)
	if err != nil {
		return Command{}, err
	}
	if len(found) != 1 {
		return Command{}, fmt.Errorf("%s matches %d counters, but a condition watches only one; name one counter", quote(word), len(found))
	}
	w.Counter = found[0]
	if w.Is, err = p.next("one of > >= < <="); err != nil {
		return Command{}, err
	}
	if !slices.Contains(signs, w.Is) {
		return Command{}, fmt.Errorf("want one of > >= < <= instead of %s", quote(w.Is))
	}
	if word, err = p.next("a number"); err != nil {
		return Command{}, err
	}
	if w.Number, err = number(word); err != nil {
		return Command{}, err
	}
	if len(p.rest) > 0 && p.rest[0] == "for" {
		p.rest = p.rest[1:]
		if word, err = p.next("a number of frames"); err != nil {
			return Command{}, err
		}
		if w.Frames, err = strconv.Atoi(word); err != nil || w.Frames < 1 || w.Frames > maxRun {
			return Command{}, fmt.Errorf("%s is not a number of frames from 1 to %d", quote(word), maxRun)
		}
	}
	if err := p.expect("dump"); err != nil {
		return Command{}, err
	}
	if word, err = p.next("a duration such as 2s"); err != nil {
		return Command{}, err
	}
	if w.Dump, err = time.ParseDuration(word); err != nil || w.Dump < LeastDump || w.Dump > MostDump {
		return Command{}, fmt.Errorf("%s is not a duration from %v to %v, such as 2s", quote(word), LeastDump, MostDump)
	}
	return Command{When: w}, p.end()
}
