package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Subtitles has the options of the recipe. The struct tags give the key in cook.toml, the text for
// cook help, and the limits.
type Subtitles struct {
	Shift   int  `toml:"shift" min:"-3600000" max:"3600000" doc:"milliseconds to add to all times"`
	Flatten bool `toml:"flatten" doc:"join the lines of a subtitle by spaces"`
}

type subtitle struct {
	From int    `json:"from"` // start in milliseconds
	To   int    `json:"to"`
	Text string `json:"text"`
}

// subtitles is a recipe that converts SubRip files to JSON.
var subtitles = recipe.Recipe{
	Name: "subtitles", Version: 1, Extensions: []string{".srt"},
	New: func() recipe.Cooker { return &Subtitles{} },
	Traits: func(c recipe.Cooker) recipe.Traits {
		return recipe.Traits{Estimate: estimate, Explain: c.(*Subtitles).explain}
	},
}

// Outputs returns the name template of the file that Cook writes: intro.json for intro.srt.
func (s *Subtitles) Outputs() []string { return []string{"{stem}.json"} }

// Cook reads the source and writes the output.
func (s *Subtitles) Cook(ctx context.Context, job *recipe.Job) error {
	list, err := s.parse(job)
	if err != nil {
		return err
	}
	out, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return job.Write(0, append(out, '\n'))
}

// explain returns a line that cook why prints.
func (s *Subtitles) explain(ctx context.Context, job *recipe.Job) ([]string, error) {
	list, err := s.parse(job)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("%d subtitles until %.1f s", len(list), float64(list[len(list)-1].To)/1000)}, nil
}

// estimate returns the peak memory that Cook needs for the source, its parts, and the JSON.
func estimate(head []byte, size int64) (int64, error) {
	const most = 16 << 20
	if size > most {
		return 0, fmt.Errorf("%d bytes are too many for subtitles, at most %d are read", size, most)
	}
	return 1<<20 + 12*size, nil
}

var times = regexp.MustCompile(`^(\d\d):(\d\d):(\d\d),(\d\d\d) --> (\d\d):(\d\d):(\d\d),(\d\d\d)$`)

func (s *Subtitles) parse(job *recipe.Job) ([]subtitle, error) {
	text, err := job.Source()
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	list, unsorted := []subtitle{}, 0
	for i, block := range strings.Split(strings.Trim(string(text), "\n"), "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		if len(lines) < 3 {
			return nil, fmt.Errorf("subtitle %d: want a number, a line of times, and text", i+1)
		}
		m := times.FindStringSubmatch(lines[1])
		if m == nil {
			return nil, fmt.Errorf("subtitle %d: %.40q: want times such as 00:00:01,500 --> 00:00:04,000", i+1, lines[1])
		}
		separator := "\n"
		if s.Flatten {
			separator = " "
		}
		next := subtitle{milliseconds(m[1:5]) + s.Shift, milliseconds(m[5:9]) + s.Shift, strings.Join(lines[2:], separator)}
		if len(list) > 0 && next.From < list[len(list)-1].From {
			unsorted++
		}
		list = append(list, next)
	}
	if unsorted > 0 {
		job.Warn("%d subtitles begin before the one above them", unsorted)
	}
	return list, nil
}

// milliseconds converts digits of hours, minutes, seconds and milliseconds to milliseconds.
func milliseconds(digits []string) int {
	sum := 0
	for i, unit := range []int{3600_000, 60_000, 1000, 1} {
		n, _ := strconv.Atoi(digits[i])
		sum += n * unit
	}
	return sum
}
