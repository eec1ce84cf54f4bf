// Command terminal runs commands and draws their output as SVG, like a terminal. This command makes
// the image in the README:
//
//	go build -o /tmp/bin/ ./cmd/cook && PATH=/tmp/bin:$PATH go run ./docs/terminal > docs/terminal.svg
//
// The commands run on a copy of the sample assets. Bold, red, green and magenta text is drawn.
// Other escape sequences are left out.
package main

import (
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// commands are the shell commands whose output the image shows.
var commands = []string{
	"cook assets",
	"cook assets",
	`echo "-- faster" >> assets/scripts/race.lua; cook assets -explain`,
	`echo '{"laps": 3, }' > assets/data/game.json; cook assets`,
	"cook why assets textures/props/crate.png | head -11",
}

const (
	columns   = 132
	charWidth = 7.8
	lineStep  = 18
	margin    = 14
)

func main() {
	if err := draw(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func draw(w io.Writer) error {
	dir, err := os.MkdirTemp("", "terminal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	assets := filepath.Join(dir, "assets")
	if err := os.CopyFS(assets, os.DirFS("testdata/assets")); err != nil {
		return err
	}
	var lines []string
	for _, command := range commands {
		lines = append(lines, "\x1b[32m$\x1b[0m \x1b[1m"+command+"\x1b[0m")
		cmd := exec.Command("sh", "-c", command+" 2>&1")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CLICOLOR_FORCE=1", "NO_COLOR=", "COOKCACHE="+filepath.Join(dir, "store"))
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !asExit(err, &exit) {
			return err
		}
		for line := range strings.Lines(string(out)) {
			lines = append(lines, wrapped(strings.TrimSuffix(line, "\n"))...)
		}
		lines = append(lines, "")
	}
	return writeSVG(w, lines[:len(lines)-1])
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// wrapped splits a line into lines of the terminal's width.
func wrapped(line string) (lines []string) {
	var b strings.Builder
	width := 0
	for line != "" {
		code, rest := escape(line)
		if code != "" {
			b.WriteString(code)
			line = rest
			continue
		}
		if width == columns {
			lines = append(lines, b.String())
			b.Reset()
			width = 0
		}
		r, n := utf8.DecodeRuneInString(line)
		b.WriteRune(r)
		width++
		line = line[n:]
	}
	return append(lines, b.String())
}

// escape splits a line after the escape sequence at its start.
func escape(line string) (code, rest string) {
	if !strings.HasPrefix(line, "\x1b[") {
		return "", line
	}
	end := strings.IndexFunc(line[2:], func(r rune) bool { return '@' <= r && r <= '~' })
	if end < 0 {
		return line, ""
	}
	return line[:end+3], line[end+3:]
}

// styles are the SVG styles of escape sequences.
var styles = map[string]string{
	"\x1b[1m": `font-weight="bold"`, "\x1b[1;31m": `fill="#ff7b72" font-weight="bold"`,
	"\x1b[1;35m": `fill="#d2a8ff" font-weight="bold"`, "\x1b[32m": `fill="#7ee787"`,
}

func writeSVG(w io.Writer, lines []string) error {
	width, height := float64(columns)*charWidth+2*margin, len(lines)*lineStep+2*margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#e6edf3">`+"\n", width, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	for i, line := range lines {
		fmt.Fprintf(w, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+i*lineStep+13)
		for style := ""; line != ""; {
			if code, rest := escape(line); code != "" {
				style, line = styles[code], rest
				continue
			}
			end := strings.IndexByte(line, 0x1b)
			if end <= 0 {
				end = len(line)
			}
			text := html.EscapeString(line[:end])
			if style != "" {
				text = "<tspan " + style + ">" + text + "</tspan>"
			}
			fmt.Fprint(w, text)
			line = line[end:]
		}
		fmt.Fprintln(w, "</text>")
	}
	_, err := fmt.Fprintln(w, "</svg>")
	return err
}
