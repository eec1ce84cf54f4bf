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

// commandLine returns the command that repeats this run, without flags that hold paths of
// this machine.
func commandLine(fs *flag.FlagSet) string {
	line := "go run ./bench/nullrun"
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "work", "keep", "o", "cook":
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

// memoryNote compares the peak memory of a no-op run with the size of the files that it
// reads.
func memoryNote(s *Outcome, t *Tree) string {
	e := s.Entry(cookName)
	if e == nil {
		return ""
	}
	note := fmt.Sprintf("Peak memory with nothing changed: %s; `%s`: ", mebibytes(e.MaxRSS), filepath.Join(".cook", "index"))
	var sum int64
	for i, name := range []string{"index", "log"} {
		if i > 0 {
			note += "; `.cook/" + name + "`: "
		}
		info, err := os.Stat(t.State(name))
		if err != nil {
			note += "none"
			continue
		}
		sum += info.Size()
		note += mebibytes(info.Size())
	}
	if sum > 0 {
		note += fmt.Sprintf("; %s bytes of memory and %s bytes of these files for each source",
			thousands(int(e.MaxRSS)/t.Files), thousands(int(sum)/t.Files))
	}
	return note + "."
}
