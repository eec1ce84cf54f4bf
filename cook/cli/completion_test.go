package cli

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/recipes"
)

// completed maps each command line to the completions that a shell must offer for its last word.
// The working directory contains a file, and the directory assets with a subdirectory.
func completed(t *testing.T, c command) map[string][]string {
	flags := func(fs *flag.FlagSet) (names []string) {
		fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
		return append(names, "-h")
	}
	if len(c.newCall(nil).Names()) < 14 || len(subjects(c.newCall(nil))) < 20 {
		t.Errorf("verbs %q, subjects of help %q", c.newCall(nil).Names(), subjects(c.newCall(nil)))
	}
	return map[string][]string{
		"cook ":                       append(c.newCall(nil).Names(), "assets", "notes.txt"),
		"cook wh":                     {"why"},
		"cook -":                      flags(flagsOf("")),
		"cook -wat":                   {"-watch"},
		"cook -dir ":                  {"assets"},
		"cook -dir a":                 {"assets"},
		"cook -dir assets -outputs ":  {"each", "folder"},
		"cook -dir assets -outputs e": {"each"},
		"cook -config ":               {"assets", "notes.txt"},
		"cook -j ":                    nil,
		"cook -dir assets -st":        {"-state", "-stats", "-strict"},
		"cook why -":                  flags(flagsOf("why")),
		"cook why n":                  {"notes.txt"},
		"cook why assets/":            {"assets/a b.txt", "assets/ui"},
		"cook clean ":                 {"assets"},
		"cook -checksum ":             session.Checksums(),
		"cook -checksum xxh":          {"xxh3", "xxh64", "xxh128"},
		"cook list -sort ou":          {"out", "outcome", "outputs"},
		"cook list -columns ou":       {"out", "outcome", "outputs"},
		"cook report -table w":        {"workers", "warnings"},
		"cook -remote-trust ":         {"assets", "notes.txt"},
		"cook size -by ":              {"kind", "recipe", "folder"},
		"cook smoke -instructions ":   {"yes", "no", "auto"},
		"cook events stat -as ":       {"text", "csv", "json"},
		"cook report -t":              {"-table", "-textures"},
		"cook smoke -ht":              {"-html"},
		"cook events ":                {"stat", "convert"},
		"cook events stat -":          {"-as", "-bins", "-for", "-frame", "-names", "-slowest", "-h"},
		"cook events convert -f":      {"-from"},
		"cook completion ":            {"bash", "zsh", "fish", "powershell"},
		"cook help sch":               {"schema"},
		"cook help ":                  subjects(c.newCall(nil)),
		"cook id -":                   {"-h"},
	}
}

// inShells has a program for each shell that prints the words the shell offers. The arguments of
// the program are cook's script and the command lines. The program prints words in angle brackets,
// and "[end]" after the words of each line.
var inShells = map[string]struct {
	args []string
	code string
}{
	"bash": {[]string{"--norc", "--noprofile", "-c"}, `
		source "$0"
		complete -p cook | grep -q -- '-F _cook cook' || exit 1
		for COMP_LINE; do
			read -ra COMP_WORDS <<<"$COMP_LINE"
			[[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
			_cook cook "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
			((${#COMPREPLY[@]} == 0)) || printf '<%s>\n' "${COMPREPLY[@]}"
			echo '[end]'
		done`},
	"fish": {[]string{"--no-config", "-c"}, `
		source $argv[1]
		for line in $argv[2..]
			complete -C $line | string replace -r '\t.*' '' | string replace -r '(.*)' '<$1>'
			echo '[end]'
		end`},
	"zsh": {[]string{"-f", "-c"}, `
		zmodload zsh/zpty || exit 1
		zpty z zsh -f -i
		zpty -w z "PROMPT= RPROMPT=; stty -echo cols 200; autoload -Uz compinit; compinit -u -D; source ${(q)0}; bindkey '^I' complete-word; LISTMAX=10000"
		zpty -w z 'compadd() { if [[ ${@[1,(i)(-|--)]} != *-[OAD]\ * ]]; then local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- "<"${^hits}">"; fi; builtin compadd "$@" }'
		zpty -w z 'finish() { zle kill-buffer; print "[""end]" }; zle -N finish; bindkey "^]" finish; print "[""ready]"'
		zpty -r z text '*\[ready\]*'
		for line; do
			zpty -w -n z "$line"$'\t\x1d'
			zpty -r z text '*\[end\]*'
			print -r -- "$text"
		done`},
}

// TestCompletion expects all installed shells to offer the same words.
func TestCompletion(t *testing.T) {
	c := command{cook.Cook, recipes.All()}
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "assets/a b.txt", "assets/ui/b.txt"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inBrackets := regexp.MustCompile(`<([^<>]*)>`)
	for shell, in := range inShells {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			var stdout, stderr strings.Builder
			if code := c.runArguments(t.Context(), func() {}, []string{"completion", shell}, &stdout, &stderr); code != frontend.OK {
				t.Fatal(code, stderr.String())
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(stdout.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			wanted := completed(t, c)
			if shell == "bash" { // bash splits words at "="
				wanted["cook -outputs ="] = []string{"each", "folder"}
				wanted["cook --outputs = f"] = []string{"folder"}
				wanted["cook -k = n"] = []string{"notes.txt"}
				wanted["cook --wat"] = []string{"--watch"}
			}
			lines := slices.Sorted(maps.Keys(wanted))
			cmd := exec.CommandContext(t.Context(), program, slices.Concat(in.args, []string{in.code, script}, lines)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm")
			out, err := cmd.CombinedOutput()
			offers := strings.Split(strings.ReplaceAll(string(out), "\r", ""), "[end]")
			if err != nil || len(offers) != len(lines)+1 {
				t.Fatalf("%v, %d lines of %d\n%s", err, len(offers)-1, len(lines), out)
			}
			for i, line := range lines {
				want := map[string]bool{}
				for _, word := range wanted[line] {
					if shell == "zsh" { // zsh offers quoted names without their directory
						word = strings.ReplaceAll(path.Base(word), " ", `\ `)
					}
					want[word] = true
				}
				got := map[string]bool{}
				for _, m := range inBrackets.FindAllStringSubmatch(offers[i], -1) {
					got[strings.TrimSuffix(m[1], "/")] = true
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%q: %s\n%q", line, d, offers[i])
				}
			}
		})
	}
}

// TestCompletionOffersValues expects values for each flag, except for paths and free text.
func TestCompletionOffersValues(t *testing.T) {
	endless := []string{"number", "numbers", "int", "size", "MiB", "time", "address", "name", "names", "text", "KEY=VALUE", "part", "revision"}
	for _, l := range completionLines(command{cook.Cook, recipes.All()}.newCall(nil)) {
		for _, f := range l.flags {
			if f.value != "" && f.takes.Words == nil && completionKind(f.takes) == nil && !slices.Contains(endless, f.value) {
				t.Errorf("cook %s -%s completes no %s", l.begin, f.name, f.value)
			}
		}
	}
}

// TestCompletedValuesAreTaken passes each offered value to its verb, which must accept it. Error
// messages about invalid values, and the help of -checksum, must list all values.
func TestCompletedValuesAreTaken(t *testing.T) {
	c := command{cook.Cook, recipes.All()}
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	t.Setenv("COOKCACHE", filepath.Join(dir, "store"))
	if err := os.MkdirAll(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "a.txt"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (code int, stderr string) {
		var b strings.Builder
		code = c.runArguments(t.Context(), func() {}, append(args, "-dir", assets), io.Discard, &b)
		return code, b.String()
	}
	if code, stderr := run("-q"); code != frontend.OK {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{{"-n", "-checksum"}, {"list", "-sort"}, {"list", "-columns"}, {"report", "-csv", "-table"}, {"size", "-by"}} {
		fs, verb := flagsOf(""), args[0]
		for _, v := range c.newCall(nil).Verbs[1:] {
			if v.Name == verb {
				fs = v.Flags()
			}
		}
		f := fs.Lookup(strings.TrimPrefix(args[len(args)-1], "-"))
		words := f.Value.(interface{ Choices() []string }).Choices()
		for _, word := range words {
			if code, stderr := run(append(args, word)...); code != frontend.OK {
				t.Errorf("%q %s: exit status %d, %s", args, word, code, stderr)
			}
		}
		code, stderr := run(append(args, "qqqq")...)
		for _, word := range words {
			if code != frontend.Usage || !strings.Contains(stderr, word) {
				t.Errorf("%q qqqq: exit status %d, and %q is not in %s", args, code, word, stderr)
			}
			if f.Name == "checksum" && !strings.Contains(f.Usage, word+",") && !strings.Contains(f.Usage, word+" (") {
				t.Errorf("no %s in the help of -%s: %s", word, f.Name, f.Usage)
			}
		}
	}
}

// TestCompletionQuotes checks that the texts of flags and verbs cannot end a quoted string in a
// script.
func TestCompletionQuotes(t *testing.T) {
	hostile := `it's "a" $(touch x) ` + "`touch y`" + ` \ [b]:c`
	all := []line{
		{"", hostile, []flagLine{{name: "a", summary: hostile}, {name: "b", summary: hostile, value: "x"}}, cmdline.Argument{Files: true}},
		{"why", hostile, []flagLine{{name: "b", summary: hostile, value: "x"}}, cmdline.Argument{}},
		{"events stat", hostile, nil, cmdline.Argument{Files: true}},
	}
	for _, s := range shells {
		program, err := exec.LookPath(s.name)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		var b strings.Builder
		s.write(&b, all)
		if err := os.WriteFile(filepath.Join(dir, "script"), []byte("compdef() { :; }\n"+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if s.name == "fish" {
			os.WriteFile(filepath.Join(dir, "script"), []byte(b.String()), 0o666)
		}
		cmd := exec.CommandContext(t.Context(), program, "-c", "source ./script")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s\n%s", s.name, err, out, b.String())
		}
		for _, name := range []string{"x", "y"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s: the script ran what is in a text", s.name)
			}
		}
	}
}

// TestCompletionPowerShell checks that each word in the script has a description and that each
// string ends at its own quote.
func TestCompletionPowerShell(t *testing.T) {
	all := completionLines(command{cook.Cook, recipes.All()}.newCall(nil))
	all[0].flags = append(all[0].flags, flagLine{name: "odd", summary: "it’s 'odd'\tand ‘so’"}, flagLine{name: "bare"})
	var b strings.Builder
	writePowerShell(&b, all)
	for _, want := range []string{
		"('-odd' + [char]9 + 'it’’s ''odd'' and ‘‘so’’'),\n",
		"('-bare' + [char]9 + '-bare')\n",
		"'-outputs' = @(('each' + [char]9 + 'each'), ('folder' + [char]9 + 'folder'))\n",
		"        'events stat' = @{\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	rest := regexp.MustCompile(`'([^'‘’‚‛]|''|‘‘|’’|‚‚|‛‛)*'|(?m)#.*$`).ReplaceAllString(b.String(), "")
	for _, pair := range []string{"()", "{}", "[]"} {
		if strings.Count(rest, pair[:1]) != strings.Count(rest, pair[1:]) || strings.ContainsAny(rest, "'‘’‚‛`") {
			t.Errorf("%s are not paired, or a quote is left in\n%s", pair, rest)
		}
	}
}

// TestEveryVerbHasHelp expects a usage line for each verb, and the same text from -h and from cook
// help.
func TestEveryVerbHasHelp(t *testing.T) {
	c := command{cook.Cook, recipes.All()}
	for _, v := range c.newCall(nil).Verbs[1:] {
		var texts []string
		for _, args := range [][]string{{"help", v.Name}, {v.Name, "-h"}, {v.Name, "--help"}} {
			var stdout, stderr strings.Builder
			code := c.runArguments(t.Context(), func() { t.Error("works on assets") }, args, &stdout, &stderr)
			if code != frontend.OK || stderr.Len() > 0 {
				t.Errorf("%q: exit status %d, %s", args, code, stderr.String())
			}
			texts = append(texts, stdout.String())
		}
		if want := fmt.Sprintf("usage: cook %s", v.Name); !strings.HasPrefix(texts[0], want) || !strings.Contains(texts[0], "Exit status: ") || !strings.Contains(texts[0], "\nExample:\n") {
			t.Errorf("%s has no usage, example or exit status:\n%s", v.Name, texts[0])
		}
		if texts[0] != texts[1] || texts[0] != texts[2] {
			t.Errorf("%s: help differs:\n%s\n%s\n%s", v.Name, texts[0], texts[1], texts[2])
		}
		if !strings.HasPrefix(v.Synopsis, v.Name) || v.Summary == "" {
			t.Errorf("%s: synopsis %q, summary %q", v.Name, v.Synopsis, v.Summary)
		}
	}
}
