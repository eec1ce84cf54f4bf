package cmdline

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/frontend"
)

// parse parses the arguments. The environment sets flags that the command line leaves out, and the
// project flags that both leave out. Unless ok, the verb has nothing left to do.
func (c *Call) parse(v *Verb, fs *flag.FlagSet) (words []string, status int, ok bool) {
	words, err := frontend.Parse(fs, presentNames(fs, c.Args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(v, fs)
		return nil, frontend.OK, false
	case err != nil:
		return nil, c.Wrong("%v; see cook help", err), false
	}
	dir := fs.Lookup("dir")
	dirGiven := dir != nil && dir.Value.String() != ""
	if err := c.fromEnvironment(fs, os.Environ()); err != nil {
		return nil, c.Wrong("%v", err), false
	}
	words, err = inProject(v, fs, words, dirGiven)
	if err != nil {
		c.PrintError(err)
		return nil, frontend.Usage, false
	}
	return words, frontend.OK, true
}

// renamed maps former names of flags to their present ones.
var renamed = map[string]string{"verify": "check-contents"}

// presentNames replaces former names of flags.
func presentNames(fs *flag.FlagSet, args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		dashes := arg[:len(arg)-len(strings.TrimLeft(arg, "-"))]
		name, _, _ := strings.Cut(arg[len(dashes):], "=")
		if now := renamed[name]; (dashes == "-" || dashes == "--") && now != "" && fs.Lookup(now) != nil {
			args[i] = dashes + now + strings.TrimPrefix(arg[len(dashes):], name)
		}
	}
	return args
}

// help prints the help of a verb.
func (c *Call) help(v *Verb, fs *flag.FlagSet) {
	if v.Help != nil {
		v.Help(c, c.Stdout)
		return
	}
	fmt.Fprintf(c.Stdout, "%s\nFlags:\n", v.Text)
	fs.SetOutput(c.Stdout)
	fs.PrintDefaults()
	fmt.Fprint(c.Stdout, ExitText)
}

// RecordErrors makes errors records on standard output as well, if the command line has -json.
func (c *Call) RecordErrors(stdout *frontend.Checked) {
	if c.wantsJSON(os.Getenv) {
		c.Stderr = &recorder{c.Stderr, stdout}
	}
}

// wantsJSON reports whether a command line, which may be wrong, has -json, or a verb that takes
// -json from the environment.
func (c *Call) wantsJSON(env func(string) string) (want bool) {
	given := false
	for _, arg := range c.Args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "-json" && name != "--json" {
			continue
		}
		on, err := strconv.ParseBool(value)
		given, want = true, !hasValue || on || err != nil
	}
	value := env(variable("json"))
	if given || value == "" {
		return want
	}
	v := &c.Verbs[0]
	if len(c.Args) > 0 && c.Find(c.Args[0]) != nil {
		v = c.Find(c.Args[0])
	}
	on, err := strconv.ParseBool(value)
	return v.Flags().Lookup("json") != nil && (on || err != nil)
}
