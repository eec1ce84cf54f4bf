package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
)

const bashStart = `# Completion of cook for bash 3.2 and later: source <(cook completion bash)
_cook() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev= begin= flags= valued= folders= files= words= takes= choices= name= match
	if ((COMP_CWORD > 0)); then
		prev=${COMP_WORDS[COMP_CWORD-1]}
	fi
	# The words of -flag=value are three.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if ((COMP_CWORD > 1)); then
		begin=${COMP_WORDS[1]}
	fi
	if ((COMP_CWORD > 2)); then
		case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
`

const bashEnd = `	esac
	COMPREPLY=()
	if [[ $prev == -* ]]; then
		name=${prev#-}
		name=-${name#-}
		case " $valued " in
		*" $name "*)
			words=$choices takes=
			case " $folders " in *" $name "*) takes=folders ;; esac
			case " $files " in *" $name "*) takes=files ;; esac
			_cook_reply "$words" "$takes"
			return
			;;
		esac
	fi
	if [[ $cur == --* ]]; then
		cur=${cur#-}
		_cook_reply "$flags" ''
		for match in "${!COMPREPLY[@]}"; do
			COMPREPLY[match]=-${COMPREPLY[match]}
		done
	elif [[ $cur == -* ]]; then
		_cook_reply "$flags" ''
	else
		_cook_reply "$words" "$takes"
	fi
}

# _cook_reply WORDS folders|files adds completions of the current word.
_cook_reply() {
	while IFS= read -r match; do
		COMPREPLY+=("$match")
	done < <(compgen -W "$1" -- "$cur")
	case $2 in
	folders) set -- -d ;;
	files) set -- -f ;;
	*) return ;;
	esac
	local named=
	while IFS= read -r match; do
		COMPREPLY+=("$match")
		named=yes
	done < <(compgen "$1" -- "$cur")
	if [[ -n $named ]] && type compopt >/dev/null 2>&1; then
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _cook cook
`

func writeBash(w io.Writer, all []line) {
	fmt.Fprint(w, bashStart)
	var twos []string
	for _, l := range all {
		if strings.Contains(l.begin, " ") {
			twos = append(twos, fmt.Sprintf("%q", l.begin))
		}
	}
	fmt.Fprintf(w, "\t\t%s) begin+=\" ${COMP_WORDS[2]}\" ;;\n\t\tesac\n\tfi\n\tcase $begin in\n", strings.Join(twos, "|"))
	for _, l := range append(all[1:], all[0]) {
		pattern := "'" + l.begin + "'"
		if l.begin == "" {
			pattern = "*"
		}
		fmt.Fprintf(w, "\t%s)\n", pattern)
		set := func(name string, words []string) {
			if len(words) > 0 {
				fmt.Fprintf(w, "\t\t%s='%s'\n", name, strings.Join(words, " "))
			}
		}
		set("flags", l.flagNames(func(flagLine) bool { return true }))
		set("valued", l.flagNames(func(f flagLine) bool { return f.value != "" }))
		set("folders", l.flagNames(func(f flagLine) bool { return f.takes.Folders }))
		set("files", l.flagNames(func(f flagLine) bool { return f.takes.Files }))
		for _, f := range l.flags {
			if words := f.takes.List(); len(words) > 0 {
				fmt.Fprintf(w, "\t\tcase $prev in -%[1]s|--%[1]s) choices='%[2]s' ;; esac\n", f.name, strings.Join(words, " "))
			}
		}
		if l.begin == "" {
			fmt.Fprintf(w, "\t\tif ((COMP_CWORD == 1)); then\n\t\t\twords='%s'\n\t\tfi\n", strings.Join(l.takes.List(), " "))
		} else {
			set("words", l.takes.List())
		}
		set("takes", completionKind(l.takes))
		fmt.Fprint(w, "\t\t;;\n")
	}
	fmt.Fprint(w, bashEnd)
}

// quotedForShell quotes a text with single quotes, and escapes the characters that a shell
// interprets within the quotes.
func quotedForShell(text string, replace ...string) string {
	return "'" + strings.NewReplacer(replace...).Replace(text) + "'"
}

func quoteZsh(text string) string { return quotedForShell(text, "'", `'\''`) }

// markedZsh escapes the characters of a description that are special in zsh completions.
func markedZsh(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}

const zshStart = `#compdef cook
# Completion of cook for zsh: as _cook in a directory of $fpath, or source <(cook completion zsh)
_cook() {
	local begin=
	if (( CURRENT > 2 )); then
		begin=$words[2]
	fi
	if (( CURRENT > 3 )); then
		case "$words[2] $words[3]" in
`

const zshEnd = `if [[ $funcstack[1] == _cook ]]; then
	_cook "$@"
else
	compdef _cook cook
fi
`

func writeZsh(w io.Writer, all []line) {
	fmt.Fprint(w, zshStart)
	for _, l := range all {
		if strings.Contains(l.begin, " ") {
			fmt.Fprintf(w, "\t\t(%s) begin=%[1]s ;;\n", quoteZsh(l.begin))
		}
	}
	fmt.Fprint(w, "\t\tesac\n\tfi\n\tcase $begin in\n")
	for _, l := range append(all[1:], all[0]) {
		if l.begin == "" {
			fmt.Fprint(w, "\t(*)\n\t\tif (( CURRENT == 2 )); then\n\t\t\tlocal -a verbs=(\n")
			for _, v := range all[1:] {
				if v.begin != "" && !strings.Contains(v.begin, " ") {
					fmt.Fprintf(w, "\t\t\t\t%s\n", quoteZsh(v.begin+":"+markedZsh(v.summary)))
				}
			}
			fmt.Fprint(w, "\t\t\t)\n\t\t\t_describe -t verbs verb verbs\n\t\tfi\n")
		} else {
			n := 1 + strings.Count(l.begin, " ")
			fmt.Fprintf(w, "\t(%s)\n\t\tshift %d words\n\t\t(( CURRENT -= %[2]d ))\n", quoteZsh(l.begin), n)
		}
		fmt.Fprint(w, "\t\t_arguments")
		for _, f := range l.flags {
			spec := fmt.Sprintf("-%s[%s]", f.name, markedZsh(f.summary))
			if f.value != "" {
				spec = fmt.Sprintf("-%s=[%s]:%s:%s", f.name, markedZsh(f.summary), f.value, actionZsh(f.takes))
			}
			fmt.Fprintf(w, " \\\n\t\t\t%s", quoteZsh(spec))
		}
		takes := l.takes
		if l.begin == "" {
			takes.Words = nil // _describe has already listed the words
		}
		if action := actionZsh(takes); action != " " {
			fmt.Fprintf(w, " \\\n\t\t\t%s", quoteZsh("*:word:"+action))
		}
		fmt.Fprint(w, "\n\t\t;;\n")
	}
	fmt.Fprint(w, "\tesac\n}\n", zshEnd)
}

// actionZsh returns an argument's action for the zsh function _arguments.
func actionZsh(a cmdline.Argument) string {
	words := a.List()
	switch kind := completionKind(a); {
	case len(words) > 0:
		return "(" + strings.Join(words, " ") + ")"
	case kind == nil:
		return " "
	case kind[0] == "folders":
		return "_files -/"
	}
	return "_files"
}

func quoteFish(text string) string { return quotedForShell(text, `\`, `\\`, "'", `\'`) }

const fishStart = `# Completion of cook for fish: cook completion fish > ~/.config/fish/completions/cook.fish
function __cook_begin
	set -l words (commandline -opc)
	switch "$words[2] $words[3]"
		case %s
			echo "$words[2] $words[3]"
			return
	end
	switch "$words[2]"
		case %s
			echo "$words[2]"
		case '*'
			echo
	end
end
function __cook_is
	test (__cook_begin) = "$argv"
end
function __cook_first
	test (count (commandline -opc)) -eq 1
end
complete -c cook -f
`

func writeFish(w io.Writer, all []line) {
	var ones, twos []string
	for _, l := range all[1:] {
		if strings.Contains(l.begin, " ") {
			twos = append(twos, quoteFish(l.begin))
		} else {
			ones = append(ones, quoteFish(l.begin))
		}
	}
	fmt.Fprintf(w, fishStart, strings.Join(twos, " "), strings.Join(ones, " "))
	for _, l := range all {
		begin := "complete -c cook -n " + quoteFish("__cook_is "+l.begin)
		if l.begin == "" {
			begin = `complete -c cook -n '__cook_is ""'`
			for _, v := range all[1:] {
				if !strings.Contains(v.begin, " ") {
					fmt.Fprintf(w, "complete -c cook -n __cook_first -a %s -d %s\n", v.begin, quoteFish(v.summary))
				}
			}
		} else if words := l.takes.List(); len(words) > 0 {
			fmt.Fprintf(w, "%s -a %s\n", begin, quoteFish(strings.Join(words, " ")))
		}
		fmt.Fprint(w, begin, placesFish(l.takes), "\n")
		for _, f := range l.flags {
			takes := ""
			if words := f.takes.List(); len(words) > 0 {
				takes = " -x -a " + quoteFish(strings.Join(words, " "))
			} else if f.takes.Files {
				takes = " -r -F"
			} else if f.value != "" {
				takes = " -x" + placesFish(f.takes)
			}
			fmt.Fprintf(w, "%s -o %s%s -d %s\n", begin, f.name, takes, quoteFish(f.summary))
		}
	}
}

// placesFish returns the flag of fish's complete command that completes files or directories,
// whichever the argument accepts.
func placesFish(a cmdline.Argument) string {
	switch kind := completionKind(a); {
	case kind == nil:
		return ""
	case kind[0] == "folders":
		return " -a '(__fish_complete_directories)'"
	}
	return " -F"
}

// quotePowerShell quotes a text for PowerShell, where several characters end a string.
func quotePowerShell(text string) string {
	return quotedForShell(text, "'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")
}

const powerShellStart = `# Completion of cook for PowerShell 5 and later: cook completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName cook -ScriptBlock {
    param($word, $ast, $cursor)
    # What may follow the first words. Where there is nothing to choose from, PowerShell
    # completes names of files itself.
    $lines = @{
`

const powerShellEnd = `    }
    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    $begin = ''
    if ($before.Count -gt 2 -and $lines.ContainsKey($before[1] + ' ' + $before[2])) {
        $begin = $before[1] + ' ' + $before[2]
    } elseif ($before.Count -gt 1 -and $lines.ContainsKey($before[1])) {
        $begin = $before[1]
    }
    $line = $lines[$begin]
    $previous = ''
    if ($before.Count -gt 1) {
        $previous = $before[-1] -replace '^--', '-'
    }
    $choices = $line.words
    if ($line.valued.ContainsKey($previous)) {
        $choices = $line.valued[$previous]
    } elseif ($word -like '-*') {
        $choices = $line.flags
        $word = $word -replace '^--', '-'
    } elseif ($begin -eq '' -and $before.Count -gt 1) {
        $choices = @()
    }
    foreach ($choice in $choices) {
        $text, $about = $choice.Split([char]9)
        if ($text.StartsWith($word, [System.StringComparison]::Ordinal)) {
            [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
        }
    }
}
`

func writePowerShell(w io.Writer, all []line) {
	fmt.Fprint(w, powerShellStart)
	about := map[string]string{}
	for _, l := range all {
		about[l.begin] = l.summary
	}
	list := func(begin string, words []string) string {
		items := make([]string, len(words))
		for i, word := range words {
			text := word
			if begin == "" && about[word] != "" {
				text = about[word]
			}
			items[i] = choicePowerShell(word, text)
		}
		return "@(" + strings.Join(items, ", ") + ")"
	}
	for _, l := range all {
		fmt.Fprintf(w, "        %s = @{\n            words = %s\n            flags = @(\n", quotePowerShell(l.begin), list(l.begin, l.takes.List()))
		for i, f := range l.flags {
			comma := ","
			if i == len(l.flags)-1 {
				comma = ""
			}
			fmt.Fprintf(w, "                %s%s\n", choicePowerShell("-"+f.name, f.summary), comma)
		}
		fmt.Fprint(w, "            )\n            valued = @{\n")
		for _, f := range l.flags {
			if f.value != "" {
				fmt.Fprintf(w, "                '-%s' = %s\n", f.name, list(l.begin+" ", f.takes.List()))
			}
		}
		fmt.Fprint(w, "            }\n        }\n")
	}
	fmt.Fprint(w, powerShellEnd)
}

// choicePowerShell returns a word and its description, separated by a tab. PowerShell refuses
// an empty description.
func choicePowerShell(word, about string) string {
	if about = strings.ReplaceAll(about, "\t", " "); about == "" {
		about = word
	}
	return fmt.Sprintf("(%s + [char]9 + %s)", quotePowerShell(word), quotePowerShell(about))
}
