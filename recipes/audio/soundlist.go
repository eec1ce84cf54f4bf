package audio

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// maxSounds limits the number of sounds in a file.
const maxSounds = 10000

// soundFiles matches sounds that the recipe can read.
const soundFiles = "**/*.{wav,flac,mp3,ogg}"

// isSoundList reports whether a file that begins with head is a list of sounds.
func isSoundList(head []byte) bool {
	return plaintext.IsList(head, func(line string) bool { return doublestar.MatchUnvalidated(soundFiles, strings.ToLower(line)) })
}

// A listedSound is a listed file and the name of its sound.
type listedSound struct{ name, file string }

// listedSounds returns the files of the list, sorted by sound name. Each line is a pattern of
// Job.Glob, or a directory with a slash at the end. A directory stands for all sounds below it. A
// line that begins with "!" excludes files of earlier lines.
func (o *soundsOptions) listedSounds(job *recipe.Job) (list []listedSound, err error) {
	text, err := job.Source()
	if err != nil {
		return nil, err
	}
	lines, err := plaintext.List(text)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{} // sounds by their path, as written in the lines
	for number, line := range lines {
		pattern, without := strings.CutPrefix(line, "!")
		if strings.HasSuffix(pattern, "/") {
			pattern += soundFiles
		}
		found, err := job.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(found) == 0 && !without {
			job.Warn("no sound matches the pattern %s", pathname.Show(pattern))
		}
		for _, file := range found {
			at, err := recipe.Dependency{Path: file}.Resolve(job.Path())
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			chosen["/"+at.Path] = !without
		}
	}
	called := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(chosen)) {
		if !chosen[file] {
			continue
		}
		name := o.soundName(job, file)
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("%s: the name is not UTF-8, which JSON requires; rename the file", pathname.Show(file))
		}
		if other, ok := called[name]; ok {
			return nil, fmt.Errorf("%s and %s are both called %s; rename one, or choose other names with the option name",
				pathname.Show(other), pathname.Show(file), pathname.Show(name))
		}
		called[name] = file
		list = append(list, listedSound{name, file})
	}
	switch {
	case len(list) == 0:
		return nil, errors.New("the source names no sounds; write one pattern such as sounds/*.wav per line")
	case len(list) > maxSounds:
		return nil, fmt.Errorf("the list has %d sounds, but one file has at most %d; split the list", len(list), maxSounds)
	}
	slices.SortFunc(list, func(a, b listedSound) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// soundName returns the name of the sound in a file of the asset directory.
func (o *soundsOptions) soundName(job *recipe.Job, file string) string {
	name := pathname.Relative(path.Dir(job.Path()), strings.TrimPrefix(file, "/"))
	if o.Name == "path" {
		return name
	}
	name = name[:len(name)-len(recipe.Ext(name))]
	if o.Name == "base" {
		name = path.Base(name)
	}
	return name
}

func checkPatterns(list []string) error {
	for _, p := range list {
		if !doublestar.ValidatePattern(p) {
			return &recipe.OptionError{Key: "loop", Got: fmt.Sprintf("%q", p), Want: "a name, or a pattern such as \"engine_*\""}
		}
	}
	return nil
}

// loops reports whether players should repeat the sound.
func (o *soundsOptions) loops(name string) bool {
	return slices.ContainsFunc(o.Loop, func(p string) bool { return doublestar.MatchUnvalidated(p, name) })
}

// writeSprites writes the JSON. howler's layout has times in milliseconds, followed by true for
// repeated sounds. Phaser's layout has start and end times in seconds.
func (o *soundsOptions) writeSprites(job *recipe.Job, places []soundPosition) error {
	for _, p := range o.Loop {
		if !slices.ContainsFunc(places, func(s soundPosition) bool { return doublestar.MatchUnvalidated(p, s.name) }) {
			job.Warn("loop: the list has no sound called %s; correct the name", pathname.Show(p))
		}
	}
	file := job.Link(listOutput, soundOutput)
	type part struct {
		Start float64 `json:"start"`
		End   float64 `json:"end"`
		Loop  bool    `json:"loop"`
	}
	var data any
	if rate := float64(o.Rate); o.Data == "phaser" {
		parts := map[string]part{}
		for _, p := range places {
			parts[p.name] = part{float64(p.start) / rate, float64(p.start+p.frames) / rate, o.loops(p.name)}
		}
		data = map[string]any{"resources": []string{file}, "spritemap": parts}
	} else {
		parts := map[string][]any{}
		for _, p := range places {
			parts[p.name] = []any{float64(1000*p.start) / rate, float64(1000*p.frames) / rate}
			if o.loops(p.name) {
				parts[p.name] = append(parts[p.name], true)
			}
		}
		data = map[string]any{"src": []string{file}, "sprite": parts}
	}
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return err
	}
	return job.Write(listOutput, append(text, '\n'))
}
