package cmdline

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
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

// EnvPrefix begins the names of variables that stand for flags: COOK_CACHE_SIZE for -cache-size.
const EnvPrefix = "COOK_"

// variable returns the name of the variable that stands for a flag.
func variable(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets flags that the command line leaves out from variables of the environment
// that are not empty. It warns of variables with nearly the name of a flag.
func (c *Call) fromEnvironment(fs *flag.FlagSet, environ []string) error {
	values := map[string]string{}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, EnvPrefix) && value != "" {
			values[name] = value
		}
	}
	if len(values) == 0 {
		return nil
	}
	given, known := map[string]bool{}, []string{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var wrong error
	fs.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		known = append(known, name)
		value, ok := values[name]
		delete(values, name)
		to, suggests := f.Value.(suggested)
		if !ok || given[f.Name] && !suggests || wrong != nil {
			return
		}
		set := func(value string) error { return fs.Set(f.Name, value) }
		if suggests {
			set = to.suggest
		}
		if err := set(value); err != nil {
			wrong = fmt.Errorf("%s=%s: %w", name, pathname.Show(value), err)
		}
	})
	if wrong != nil || len(values) == 0 || len(known) == 0 {
		return wrong
	}
	for i := range c.Verbs { // variables may stand for flags of other verbs
		c.Verbs[i].Flags().VisitAll(func(f *flag.Flag) { delete(values, variable(f.Name)) })
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if meant := nearest.Word(name, known); meant != "" {
			c.Warn(fmt.Sprintf("nothing reads the variable %s; did you mean %s?", pathname.Show(name), meant))
		}
	}
	return nil
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
