package cli

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/assetcook/assetcook/internal/nearest"
	eventscommand "github.com/assetcook/assetcook/profile/events/command"
)

const completionText = `usage: cook completion bash|zsh|fish|powershell

Prints a script that completes verbs, flags, words and file names on command lines of
cook. Print it again after an update.

Example:
	source <(cook completion bash)                                  # in ~/.bashrc
	cook completion zsh > ~/.zfunc/_cook                            # a folder in $fpath
	cook completion fish > ~/.config/fish/completions/cook.fish
	cook completion powershell | Out-String | Invoke-Expression     # in $PROFILE
`

// shells are those that there is completion for.
var shells = []struct {
	name  string
	write func(io.Writer, []line)
}{{"bash", writeBash}, {"zsh", writeZsh}, {"fish", writeFish}, {"powershell", writePowerShell}}

func shellNames() (names []string) {
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func (c command) runCompletion(_ context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	words, code, ok := parse(newFlags("completion", completionText), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) != 1 {
		wrong(stderr, "want one shell: %s", strings.Join(shellNames(), ", "))
		return exitUsage
	}
	for _, s := range shells {
		if s.name == words[0] {
			s.write(stdout, c.lines())
			return exitOK
		}
	}
	try := "have " + strings.Join(shellNames(), ", ")
	if name := nearest.Word(words[0], shellNames()); name != "" {
		try = "did you mean " + name + "?"
	}
	wrong(stderr, "no completion for %q; %s", words[0], try)
	return exitUsage
}

// A line is what may stand on a command line that begins with some words.
type line struct {
	begin   string // "", "why", "events stat"
	summary string
	flags   []flagLine
	takes   argument
}

// A flagLine is a flag as completion sees it.
type flagLine struct {
	name, summary string
	value         string // what it is called, "" for a flag without one
	takes         argument
}

// lines lists all that command lines may be, first those without a verb.
func (c command) lines() []line {
	all := []line{{"", summary, flagLines(new(cookRun).flags()), argument{c.names, true, true}}}
	for _, v := range c.verbs() {
		l := line{v.name, v.summary, flagLines(v.flags()), v.takes}
		if v.name == "events" { // its flags come behind its verbs
			l.flags, l.takes.files = []flagLine{helpLine}, false
		}
		all = append(all, l)
	}
	for _, fs := range eventscommand.Flags() {
		all = append(all, line{"events " + fs.Name(), "", flagLines(fs), argument{files: true}})
	}
	return all
}

// helpLine is the flag that every verb has without declaring it.
var helpLine = flagLine{name: "h", summary: "print help"}

// flagLines lists flags by name.
func flagLines(fs *flag.FlagSet) (all []flagLine) {
	fs.VisitAll(func(f *flag.Flag) {
		l := flagLine{name: f.Name}
		l.value, l.summary = flag.UnquoteUsage(f)
		choose, chooses := f.Value.(interface{ Choices() []string })
		switch {
		case chooses:
			l.takes.words = choose.Choices
		case l.value == "folder":
			l.takes.folders = true
		case l.value == "file" || l.value == "program" || l.value == "keys": // which are files
			l.takes.files = true
		}
		all = append(all, l)
	})
	return append(all, helpLine)
}

// list returns the words of an argument.
func (a argument) list() []string {
	if a.words == nil {
		return nil
	}
	return a.words()
}

// flagNames lists the flags that fit, with their hyphen.
func (l line) flagNames(fit func(flagLine) bool) (names []string) {
	for _, f := range l.flags {
		if fit(f) {
			names = append(names, "-"+f.name)
		}
	}
	return names
}

// kind says which names an argument may be: files, which have folders among them, or
// folders.
func (a argument) kind() []string {
	switch {
	case a.files:
		return []string{"files"}
	case a.folders:
		return []string{"folders"}
	}
	return nil
}
