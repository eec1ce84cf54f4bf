package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/assetcook/assetcook/cook/internal/report"
)

// terminal returns the terminal that a writer writes to, if any.
func terminal(w io.Writer) (*os.File, bool) {
	f := file(w)
	return f, f != nil && term.IsTerminal(int(f.Fd()))
}

// animates reports whether what is written to a terminal is looked at while it changes: no
// one does in a job of a build server, which may have a terminal all the same, and a dumb
// one cannot move its cursor.
func animates(env func(string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb"
}

// styleOf returns what may be written to w: colors if it is a terminal that has them and
// NO_COLOR is not set (no-color.org), or if CLICOLOR_FORCE is.
func styleOf(w io.Writer, env func(string) string) report.Style {
	if env("NO_COLOR") != "" {
		return report.Style{}
	}
	if force := env("CLICOLOR_FORCE"); force != "" && force != "0" {
		return report.Style{Color: true}
	}
	_, ok := terminal(w)
	if !ok || env("TERM") == "dumb" || runtime.GOOS == "windows" && env("WT_SESSION") == "" && env("TERM") == "" {
		return report.Style{}
	}
	return report.Style{Color: true, Links: knowsLinks(env)}
}

// knowsLinks reports whether the terminal is one that is known to follow OSC 8 links. What
// does not know them may print them.
func knowsLinks(env func(string) string) bool {
	name := env("TERM")
	if strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") || env("CI") != "" {
		return false
	}
	if vte, err := strconv.Atoi(env("VTE_VERSION")); err == nil && vte >= 5000 {
		return true
	}
	return env("WT_SESSION") != "" || env("KITTY_WINDOW_ID") != "" || env("KONSOLE_VERSION") != "" ||
		slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty", "rio"}, env("TERM_PROGRAM")) ||
		slices.Contains([]string{"xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "alacritty", "contour"}, name)
}

// wrong prints an error of usage, or what ended the command.
func wrong(stderr io.Writer, format string, args ...any) {
	printError(stderr, fmt.Errorf(format, args...))
}
