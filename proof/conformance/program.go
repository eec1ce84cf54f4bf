package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A reading is a reference program's result for a file.
type reading struct {
	out       []byte
	complaint string // standard error
	err       error  // exit status
	missing   error  // set if the program is not installed
}

// chatter matches messages that do not concern the samples.
var chatter = regexp.MustCompile(`(?i)Discarding ID3 tags|unknown field with tag|incompatible type for "richtiffiptc"|Guessed Channel Layout|Estimating duration from bitrate`)

// addresses matches the addresses in messages of ffmpeg, which change from run to run.
var addresses = regexp.MustCompile(`@ 0x[0-9a-f]+`)

// runProgram runs a reference program with arguments; the program writes to standard output. FILE
// in an argument is replaced by the file name.
func runProgram(ctx context.Context, program []string, file string) reading {
	path, err := exec.LookPath(program[0])
	if err != nil {
		return reading{missing: fmt.Errorf("the reference program is not installed: %w", err)}
	}
	args := slices.Clone(program[1:])
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FILE", file)
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	r := reading{err: cmd.Run()}
	r.out = out.Bytes()
	for line := range strings.Lines(complaints.String()) {
		if strings.TrimSpace(line) != "" && !chatter.MatchString(line) {
			r.complaint += strings.ReplaceAll(addresses.ReplaceAllString(line, ""), file, "file")
		}
	}
	return r
}

// complaintWith joins the messages and errors of a reading, and an error in its output, into one
// line; "" if there are none.
func (r reading) complaintWith(err error) string {
	err = errors.Join(r.err, err)
	if err == nil {
		return oneLine(r.complaint)
	}
	return oneLine(fmt.Sprint(r.complaint, " ", err))
}
