package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// facts describes the machine, as needed to interpret the figures.
func (b *bench) facts(ctx context.Context) []Fact {
	built := "built from this module"
	if b.cook != "" {
		built = "given by -cook"
	}
	facts := []Fact{
		{"cook", built},
		{"processor", processor()},
		{"cores", strconv.Itoa(runtime.NumCPU())},
		{"kernel", kernel()},
		{"file system", fileSystem(b.dir)},
		{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
		{"C compiler", compiler(ctx)},
		{"threads of the limits", strconv.Itoa(b.limits.threads)},
	}
	for _, p := range b.peerTools {
		version := p.Version
		if version == "" {
			version = "not installed"
		}
		facts = append(facts, Fact{strings.Fields(p.name)[0], version})
	}
	return facts
}

// processor returns the CPU model name.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func compiler(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "cc", "--version").Output()
	if err != nil {
		return "not installed"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// commandLine returns the command that repeats this run, without flags for local paths.
func commandLine(fs *flag.FlagSet) string {
	line := "go run ./bench/nullrun"
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "work", "keep", "o", "svg", "cook":
		case "all":
			line += " -all=" + f.Value.String()
		default:
			line += " -" + f.Name + " " + quoted(f.Value.String())
		}
	})
	return line
}

// plain matches text that needs no quoting in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_,./-]+$`)

func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// stateNote returns the size of the files that describe a cooked tree.
func stateNote(t *Tree) (string, error) {
	var sums [3]int64 // index, changes and manifest
	count := func(sum *int64, pattern string) error {
		names, err := filepath.Glob(filepath.Join(t.Cooked(), pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			*sum += info.Size()
		}
		return nil
	}
	for i, patterns := range [len(sums)][]string{{".cook/index"}, {".cook/changes-*"}, {"manifest.json", "manifest.parts/*"}} {
		for _, pattern := range patterns {
			if err := count(&sums[i], pattern); err != nil {
				return "", err
			}
		}
	}
	each := func(n int64) string {
		return fmt.Sprintf("%s (%s bytes for each asset)", mebibytes(n), digits(float64(n)/float64(t.Files)))
	}
	return fmt.Sprintf("On disk: index %s, its changes %s, manifest %s.", each(sums[0]), each(sums[1]), each(sums[2])), nil
}
