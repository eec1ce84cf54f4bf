package cli

import (
	"context"
	"flag"
	"io"
	"slices"

	"github.com/assetcook/assetcook/cook"
)

// A verb is a word that may stand first on the command line, and all that help, completion
// and the manual page say of it.
type verb struct {
	name     string
	synopsis string // what follows "cook "
	summary  string
	text     string // begins with the usage
	flags    func() *flag.FlagSet
	takes    argument
	run      func(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int
}

// An argument is what may be typed for a word or for the value of a flag.
type argument struct {
	words          func() []string // nil for none
	files, folders bool
}

// verbs lists the verbs in the order of the help.
func (c command) verbs() []verb {
	files, folders := argument{files: true}, argument{folders: true}
	return []verb{
		{"init", "init [flags] [FOLDER]", "write a cook.toml for the assets that there are", initText,
			new(initRun).flags, folders, c.runInit},
		{"fix", "fix -dir assets [flags]", "put mistakes of cook.toml right", fixText,
			new(fixRun).flags, folders, c.runFix},
		{"why", "why -dir assets [flags] PATH", "explain what happens to one asset", whyText,
			new(whyRun).flags, files, c.runWhy},
		{"verify", "verify -dir assets [flags]", "prove that the outputs are correct", verifyText,
			func() *flag.FlagSet { return verifyFlags(new(cook.Project), new(cook.VerifyOptions), new(show)) }, files, c.runVerify},
		{"trim", "trim [flags]", "shrink the store to its size limit", trimText,
			new(trimRun).flags, folders, c.runTrim},
		{"cache", "cache [flags]", "show what the store holds", cacheText,
			new(cacheRun).flags, argument{}, runCache},
		{"clean", "clean -dir assets [flags]", "remove what cook made", cleanText,
			new(cleanRun).flags, folders, c.runClean},
		{"list", "list -dir assets [flags] [pattern ...]", "list assets, with outcomes and sizes", listText,
			new(queryRun).listFlags, files, runList},
		{"ids", "ids -dir assets [flags] [pattern ...]", "list the IDs of assets, or move one", idsText,
			new(idsRun).flags, files, runIDs},
		{"deps", "deps -dir assets [flags] PATH ...", "list the files that an asset reads", depsText,
			new(queryRun).depsFlags, files, runDeps},
		{"uses", "uses -dir assets [flags] PATH ...", "list the assets that read a file", usesText,
			new(queryRun).usesFlags, files, runUses},
		{"size", "size -dir assets [flags] [pattern ...]", "show what is big, by kind, recipe or folder", sizeText,
			new(queryRun).sizeFlags, files, runSize},
		{"graph", "graph -dir assets [flags] [pattern ...]", "print sources, dependencies and outputs as a graph", graphText,
			new(queryRun).graphFlags, files, runGraph},
		{"remote", "remote check [flags]", "try a server on which results are shared", remoteText,
			new(remoteRun).flags, argument{words: remoteVerbs}, runRemote},
		{"report", "report -dir assets [flags]", "write a page about the last cook and all runs", reportText,
			new(reportRun).flags, folders, c.runReport},
		{"history", "history -dir assets [flags]", "print the last runs, or compare two", historyText,
			func() *flag.FlagSet { return historyFlags(new(cook.Project), new(int), new(string)) }, folders, runHistory},
		{"export", "export [flags] FOLDER", "copy what an engine loads, and nothing else", exportText,
			new(exportRun).flags, folders, runExport},
		{"pak", "pak create|list|extract|verify|diff ...", "put files into one, and read such files", pakText,
			new(pakRun).flags, argument{words: pakVerbs, files: true, folders: true}, runPak},
		{"smoke", "smoke [flags] FILE", "measure repeated runs and find regressions", smokeText,
			new(smokeRun).flags, files, c.runSmoke},
		{"events", "events stat|convert FILE ...", "sum up or convert a recording of -trace", eventsText,
			eventsFlags, argument{words: eventsVerbs, files: true}, runEvents},
		{"view", "view [FILE ... | HOST:PORT]", "show assets, recordings, or a run with -feed, as pages", viewText,
			new(viewRun).flags, files, c.runView},
		{"id", "id RUN ...", "decode IDs of runs", idText,
			func() *flag.FlagSet { return newFlags("id", idText) }, argument{}, runID},
		{"schema", "schema [-events]", "print a JSON Schema of cook.toml, for editors", schemaText,
			func() *flag.FlagSet { return schemaFlags(new(bool)) }, argument{}, c.runSchema},
		{"completion", "completion SHELL", "print what completes command lines in a shell", completionText,
			func() *flag.FlagSet { return newFlags("completion", completionText) }, argument{words: shellNames}, c.runCompletion},
		{"version", "version", "print the version of this program", versionText,
			func() *flag.FlagSet { return newFlags("version", versionText) }, argument{}, runVersion},
		{"help", "help [-all] [WORD]", "explain a verb, recipe, topic, flag or option", helpText,
			func() *flag.FlagSet { return helpFlags(new(bool), new(bool)) }, argument{words: c.subjects}, c.runHelp},
	}
}

// findVerb finds a verb.
func (c command) findVerb(name string) (verb, bool) {
	all := c.verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		return verb{}, false
	}
	return all[i], true
}

// names lists the verbs.
func (c command) names() (names []string) {
	for _, v := range c.verbs() {
		names = append(names, v.name)
	}
	return names
}
