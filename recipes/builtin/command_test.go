package builtin

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
)

func TestCommandCheck(t *testing.T) {
	for _, tc := range []struct {
		c    commandOptions
		want string // "" if the options are valid
	}{
		{commandOptions{Command: []string{"tool", "{in}", "-o{out}"}}, ""},
		{commandOptions{Command: []string{"tool", "{out0}{out12}", "{stem}{scratch}{depfile}", "{{in}}"}}, ""},
		{commandOptions{Command: []string{"tool", "{out}"}, Env: map[string]string{"A": "b=c"}, ToolFiles: []string{"x"}}, ""},
		{commandOptions{}, "command: want a program and its arguments"},
		{commandOptions{Command: []string{"", "{out}"}}, "command: want a program and its arguments"},
		{commandOptions{Command: []string{"{in}", "{out}"}}, `command: want the name of a program, without braces, as the first element, have "{in}"`},
		{commandOptions{Command: []string{"tool", "{in}"}}, "command: want an argument with {out}"},
		{commandOptions{Command: []string{"tool", "{{out}}"}}, "command: want an argument with {out}"},
		{commandOptions{Command: []string{"tool", "{out}", "{oops}"}}, `command: want only {in}, {out}, {out0}, {out1}, ..., {stem}, {depfile} and {scratch} in braces, and {{ or }} for a brace, have "{oops}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{out01}"}}, `have "{out01}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{out-1}"}}, `have "{out-1}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{out99999}"}}, `have "{out99999}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{}"}}, `have "{}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{in"}}, `want {{ or }} for a brace, have "{in"`},
		{commandOptions{Command: []string{"tool", "{out}", "in}"}}, `have "in}"`},
		{commandOptions{Command: []string{"tool", "{out}", "{in{out}"}}, `have "{in{out}"`},
		{commandOptions{Command: []string{"tool", "{out}", "a\x00"}}, "an argument without NUL"},
		{commandOptions{Command: []string{"tool", "{out}"}, Env: map[string]string{"": "x"}}, "env: want names of variables"},
		{commandOptions{Command: []string{"tool", "{out}"}, Env: map[string]string{"A=B": "x"}}, `have "A=B"`},
		{commandOptions{Command: []string{"tool", "{out}"}, Env: map[string]string{"A": "\x00"}}, `have "A"`},
		{commandOptions{Command: []string{"tool", "{out}"}, ToolFiles: []string{""}}, "tools: want names of files"},
	} {
		err := tc.c.checkOptions()
		if tc.want == "" {
			if err != nil {
				t.Errorf("%q: %v", tc.c.Command, err)
			}
			continue
		}
		wantError(t, err, tc.want)
		var option *recipe.OptionError
		if !errors.As(err, &option) {
			t.Errorf("%q: %T, want an OptionError", tc.c.Command, err)
		}
	}
}

func TestCommandTools(t *testing.T) {
	c := commandOptions{Command: []string{"tool", "{out}"}, ToolFiles: []string{"a/b", "c"}}
	if d := cmp.Diff([]string{"tool", "a/b", "c"}, c.programFiles()); d != "" {
		t.Error(d)
	}
	if got := new(commandOptions).programFiles(); len(got) != 0 {
		t.Errorf("tools of no command: %q", got)
	}
}

func TestFill(t *testing.T) {
	words := map[string]string{"in": "./{x}", "out": "/o", "out0": "/o"}
	for arg, want := range map[string]string{
		"": "", "x": "x", "{in}": "./{x}", "a{in}b{out}c": "a./{x}b/oc",
		"{{in}}": "{in}", "{{{in}}}": "{./{x}}", "{{}}": "{}", "}}{{": "}{",
	} {
		if got, err := fillWords(arg, words); err != nil || got != want {
			t.Errorf("fill(%q) = %q, %v; want %q", arg, got, err, want)
		}
	}
	_, err := fillWords("{out1}", words)
	wantError(t, err, "there is no placeholder {out1}")
}

// Any text must be usable as an argument if its braces are doubled.
func TestFillKeepsEscapedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("{}ina"))).Draw(t, "text")
		got, err := fillWords(strings.NewReplacer("{", "{{", "}", "}}").Replace(text), nil)
		if err != nil || got != text {
			t.Fatalf("%q became %q, %v", text, got, err)
		}
	})
}

func TestStem(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.x.png": "b.x", "b": "b", "d.x/b": "b", ".rc": ".rc", "a.\xff": "a", "a.İ": "a", "-x.y": "-x",
	} {
		if got := stem(path); got != want {
			t.Errorf("stem(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestShowDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5m", 10 * time.Second: "10s", time.Hour: "1h", 70 * time.Minute: "1h10m",
		90 * time.Second: "1m30s", 20 * time.Millisecond: "20ms", time.Hour + time.Second: "1h0m1s",
	} {
		if got := showDuration(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("line %d\n", i) }
	var many, shown strings.Builder
	for i := range 100_000 {
		many.WriteString(line(i))
		if i >= 100_000-tailLines {
			shown.WriteString("\t" + line(i))
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" \r\n\n", ""},
		{"a\r\n\nb\tc\n", "\ta\n\t\n\tb\tc"},
		{"\x1b[31mred\x07 \xff \u202e \u00e9\n", "\t\\x1b[31mred\\x07 \\xff \\u202e é"},
		{many.String(), "\t(only the last 20 lines)\n" + strings.TrimSuffix(shown.String(), "\n")},
		{strings.Repeat("x", 1<<20), "\t(only the last 1 lines)\n\t" + strings.Repeat("x", tailWidth) + "..."},
		{strings.Repeat("x", tailWidth), "\t" + strings.Repeat("x", tailWidth)},
	} {
		for _, step := range []int{1 << 30, 1000} {
			var tail tail
			for rest := tc.text; rest != ""; rest = rest[min(step, len(rest)):] {
				if n, err := tail.Write([]byte(rest[:min(step, len(rest))])); n == 0 || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := tail.lastLines(); got != tc.want {
				t.Errorf("%.40q by %d: got %q, want %q", tc.text, step, got, tc.want)
			}
			if len(tail.buf) > 2*tailBytes {
				t.Errorf("%.40q by %d: keeps %d bytes", tc.text, step, len(tail.buf))
			}
		}
	}
}

// helper holds the programs that this test binary can run as.
var helper = map[string]func(args []string) error{
	"environ": func(args []string) error {
		return os.WriteFile(args[0], []byte(strings.Join(os.Environ(), "\n")), 0o666)
	},
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && helper[os.Args[1]] != nil {
		if err := helper[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
