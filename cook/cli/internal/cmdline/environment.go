package cmdline

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

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
