package cli

import (
	"fmt"
	"io"
	"strings"
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

# _cook_reply WORDS folders|files adds what continues the current word.
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

// writeBash writes the script for bash.
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
		if l.begin == "" { // a verb is the first word
			fmt.Fprintf(w, "\t\tif ((COMP_CWORD == 1)); then\n\t\t\twords='%s'\n\t\tfi\n", strings.Join(l.takes.List(), " "))
		} else {
			set("words", l.takes.List())
		}
		set("takes", kindOf(l.takes))
		fmt.Fprint(w, "\t\t;;\n")
	}
	fmt.Fprint(w, bashEnd)
}
