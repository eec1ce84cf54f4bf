package frontend

import (
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Style says which escape sequences a terminal understands. The zero value is for files and
// pipes.
type Style struct {
	Color bool
	Links bool // names of files become links (OSC 8)
}

// StyleOf returns the style for text that is written to w: colors for a terminal that has them,
// unless NO_COLOR is set (no-color.org), and wherever CLICOLOR_FORCE is set.
func StyleOf(w io.Writer, env func(string) string) Style {
	if env("NO_COLOR") != "" {
		return Style{}
	}
	if force := env("CLICOLOR_FORCE"); force != "" && force != "0" {
		return Style{Color: true}
	}
	_, ok := Terminal(w)
	if !ok || env("TERM") == "dumb" || runtime.GOOS == "windows" && env("WT_SESSION") == "" && env("TERM") == "" {
		return Style{}
	}
	return Style{Color: true, Links: knowsLinks(env)}
}

// Animates reports whether a person watches a terminal while it changes. That is unlikely on a
// build server, and a dumb terminal cannot move its cursor.
func Animates(env func(string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb"
}

// knowsLinks reports whether the terminal is known to follow OSC 8 links. Other terminals may
// print the escape sequence.
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

const (
	reset   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	magenta = "\x1b[1;35m"
)

// paint colors a text.
func (s Style) paint(code, text string) string {
	if !s.Color {
		return text
	}
	return code + text + reset
}
