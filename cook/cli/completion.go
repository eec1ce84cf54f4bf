package cli

import (
	"context"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
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

// shells are the shells with completion.
var shells = []struct {
	name  string
	write func(io.Writer, []line)
}{{"bash", writeBash}, {"zsh", writeZsh}, {"fish", writeFish}, {"powershell", writePowerShell}}

// shellNames lists the shells.
func shellNames() (names []string) {
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

var completionVerb = cmdline.Verb{
	Name: "completion", Synopsis: "completion SHELL", Summary: "print what completes command lines in a shell", Text: completionText,
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
	return c.Wrong("no completion for %q; %s", words[0], try)
}
