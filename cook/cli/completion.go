package cli

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
	eventscommand "github.com/assetcook/assetcook/profile/events/command"
)

const completionText = `usage: cook completion bash|zsh|fish|powershell

Prints a script that completes verbs, flags, words and file names on command lines of
cook. Print it again after an update.

Example:
	source <(cook completion bash)                                  # in ~/.bashrc
	cook completion zsh > ~/.zfunc/_cook                            # a directory in $fpath
	cook completion fish > ~/.config/fish/completions/cook.fish
	cook completion powershell | Out-String | Invoke-Expression     # in $PROFILE
`

// shells lists the shells that have a completion script.
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

var completionVerb = cmdline.Verb{
	Name: "completion", Synopsis: "completion SHELL", Summary: "print a completion script for a shell", Text: completionText,
	Takes: cmdline.Argument{Words: shellNames},
	New:   func() cmdline.Handler { return cmdline.Handler{Run: runCompletion} },
}

func runCompletion(_ context.Context, c *cmdline.Call, words []string) int {
	if len(words) != 1 {
		return c.Wrong("want one shell: %s", strings.Join(shellNames(), ", "))
	}
	for _, s := range shells {
		if s.name == words[0] {
			s.write(c.Stdout, completionLines(c))
			return frontend.OK
		}
	}
	try := "have " + strings.Join(shellNames(), ", ")
	if name := nearest.Word(words[0], shellNames()); name != "" {
		try = "did you mean " + name + "?"
	}
	return c.Wrong("there is no completion for %q; %s", words[0], try)
}

// A line lists the flags and words that can follow the first words of a command line.
type line struct {
	begin   string // first words of the command line, such as "", "why" or "events stat"
	summary string
	flags   []flagLine
	takes   cmdline.Argument
}

// A flagLine describes a flag for completion.
type flagLine struct {
	name, summary string
	value         string // name of the flag's value; "" for a flag without value
	takes         cmdline.Argument
}

// completionLines returns the completions of all command lines. The first entry is for the command
// line without a verb.
func completionLines(c *cmdline.Call) (all []line) {
	for i := range c.Verbs {
		v := &c.Verbs[i]
		l := line{v.Name, v.Summary, flagLines(v.Flags()), v.Takes}
		if v.Name == "events" {
			l.flags, l.takes.Files = []flagLine{helpLine}, false
		}
		all = append(all, l)
	}
	for _, fs := range eventscommand.Flags() {
		all = append(all, line{"events " + fs.Name(), "", flagLines(fs), cmdline.Argument{Files: true}})
	}
	return all
}

// helpLine describes the flag -h, which every verb has without declaring it.
var helpLine = flagLine{name: "h", summary: "print help"}

// flagLines describes flags and sorts them by name.
func flagLines(fs *flag.FlagSet) (all []flagLine) {
	fs.VisitAll(func(f *flag.Flag) {
		l := flagLine{name: f.Name}
		l.value, l.summary = flag.UnquoteUsage(f)
		choose, chooses := f.Value.(interface{ Choices() []string })
		switch {
		case chooses:
			l.takes.Words = choose.Choices
		case l.value == "directory":
			l.takes.Folders = true
		case l.value == "file" || l.value == "program" || l.value == "keys":
			l.takes.Files = true
		}
		all = append(all, l)
	})
	return append(all, helpLine)
}

// flagNames returns the names of the matching flags, with the leading hyphen.
func (l line) flagNames(fit func(flagLine) bool) (names []string) {
	for _, f := range l.flags {
		if fit(f) {
			names = append(names, "-"+f.name)
		}
	}
	return names
}

// completionKind returns "files", "folders" or "" for the kind of names that an argument accepts.
// "files" includes directories.
func completionKind(a cmdline.Argument) []string {
	switch {
	case a.Files:
		return []string{"files"}
	case a.Folders:
		return []string{"folders"}
	}
	return nil
}
