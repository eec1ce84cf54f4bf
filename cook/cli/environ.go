package cli

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// envPrefix begins the names of variables that stand for flags: COOK_CACHE_SIZE for
// -cache-size.
const envPrefix = "COOK_"

// variable is the name of the variable that stands for a flag.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets flags that were not given from variables of the environment that are
// not empty. It warns of variables that are almost called like one.
func fromEnvironment(fs *flag.FlagSet, environ []string, stderr io.Writer) error {
	values := map[string]string{}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, envPrefix) && value != "" {
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
	for _, v := range (command{}).verbs() { // what stands for flags of other verbs is right
		v.flags().VisitAll(func(f *flag.Flag) { delete(values, variable(f.Name)) })
	}
	new(cookRun).flags().VisitAll(func(f *flag.Flag) { delete(values, variable(f.Name)) })
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if meant := nearest.Word(name, known); meant != "" {
			report.Warn(stderr, fmt.Sprintf("nothing reads the variable %s; did you mean %s?", pathname.Show(name), meant))
		}
	}
	return nil
}
