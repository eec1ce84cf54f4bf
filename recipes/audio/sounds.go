package audio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/source"
	"github.com/assetcook/assetcook/internal/pathname"
)

// soundsOptions are the options of the recipe "sounds", which joins many sounds in one file and
// describes their positions in JSON. Such a file is called an audio sprite.
//
// Each sound starts at a position that the format can seek to, in whole milliseconds if the rate
// allows it. Silence follows each sound, so that players that stop late do not reach the next
// sound. Codecs that decode a position with the help of earlier samples find silence there.
type soundsOptions struct {
	Format   string   `toml:"format" enum:"opus,pcm,adpcm,qoa" doc:"output format: Ogg Opus, WAV of 16 bits or IMA ADPCM, or QOA"`
	Data     string   `toml:"data" enum:"howler,phaser" doc:"layout of the JSON: howler for howler.js (howler2 of audiosprite), phaser for Phaser (jukebox of audiosprite)"`
	Name     string   `toml:"name" enum:"base,stem,path" doc:"names of the sounds: the last part of their path without extension, their path from the source's directory without extension, or with it"`
	Loop     []string `toml:"loop" doc:"names of sounds that players repeat, or patterns of names such as \"engine_*\""`
	Gap      float64  `toml:"gap" min:"0.1" max:"10" doc:"shortest silence after each sound, in seconds"`
	Longest  int      `toml:"longest" min:"1" max:"3600" doc:"longest duration of the file in seconds, for which memory is reserved"`
	Rate     int      `toml:"rate" min:"8000" max:"96000" doc:"frames per second; opus always has 48000"`
	Channels string   `toml:"channels" enum:"stereo,mono" doc:"channels of the whole file"`
	Loudness float64  `toml:"loudness" min:"-70" max:"0" doc:"target for each sound's integrated loudness in LUFS (EBU R 128), such as -16; 0 does not change it"`
	Peak     float64  `toml:"peak" min:"-20" max:"0" doc:"highest true peak in dBTP after the gain of loudness; sounds with higher peaks get less gain"`
	Trim     float64  `toml:"trim" min:"-120" max:"0" doc:"cut off silence below this level in dBFS at both ends of each sound, such as -60; 0 cuts nothing"`
	Bitrate  int      `toml:"bitrate" min:"0" max:"512" doc:"kbit/s of opus; 0 chooses 64 for mono, 96 for stereo"`
}

// SoundsRecipe returns the recipe "sounds".
func SoundsRecipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "sounds", Version: 3, UsesPath: true, NamesOutputs: true, Extensions: []string{".sounds"}, Recognizes: isSoundList,
		New: func() recipe.Cooker {
			return &soundsOptions{Format: "opus", Data: "howler", Name: "base", Gap: 0.5, Longest: 180, Rate: 48000, Channels: "stereo", Peak: defaultPeak}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*soundsOptions)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory, Explain: o.explainResult}
		},
	}
}

// Indexes of the outputs. Programs load the JSON, which names the sound file.
const (
	listOutput = iota
	soundOutput
)

// Outputs implements recipe.Cooker.
func (o *soundsOptions) Outputs() []string { return []string{"{stem}.json", "{stem}" + o.ext()} }

func (o *soundsOptions) ext() string {
	switch o.Format {
	case "opus", "qoa":
		return "." + o.Format
	}
	return ".wav"
}

// checkOptions implements Traits.Check.
func (o *soundsOptions) checkOptions() error {
	if o.Format == "opus" && o.Rate != 48000 {
		return &recipe.OptionError{Key: "rate", Got: strconv.Itoa(o.Rate), Want: `48000, the only rate of format "opus"`}
	}
	if err := checkPatterns(o.Loop); err != nil {
		return err
	}
	return o.audio().checkOptions()
}

// audio returns the options for preparing each sound and writing the combined file.
func (o *soundsOptions) audio() *audioOptions {
	a := Recipe().New().(*audioOptions)
	a.Format, a.Rate, a.Channels, a.Loops = o.Format, o.Rate, o.Channels, "drop"
	a.Loudness, a.Peak, a.Trim, a.Bitrate = o.Loudness, o.Peak, o.Trim, o.Bitrate
	return a
}

func (o *soundsOptions) channelsOfFile() int {
	if o.Channels == "mono" {
		return 1
	}
	return 2
}

// memoryOfSeconds returns the memory that the given number of seconds takes in the combined file.
func (o *soundsOptions) memoryOfSeconds(seconds int) int64 {
	return 4 * int64(seconds) * int64(o.Rate) * int64(o.channelsOfFile())
}

// largestSound limits the memory for preparing one sound: 64 MiB plus twice the longest combined
// file.
func (o *soundsOptions) largestSound() int64 { return 64<<20 + 2*o.memoryOfSeconds(o.Longest) }

// maxSoundList is the size limit of a source, in bytes.
const maxSoundList = 1 << 20

// estimateMemory implements Traits.Estimate. It knows only the list, not the sounds.
func (o *soundsOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxSoundList {
		return 0, fmt.Errorf("the file has %d bytes of patterns; the limit is %d; use fewer, more general patterns", size, maxSoundList)
	}
	return fixedMemory + encoderMemory + o.largestSound() + 2*o.memoryOfSeconds(o.Longest), nil
}

// Cook implements recipe.Cooker.
func (o *soundsOptions) Cook(ctx context.Context, job *recipe.Job) error {
	joined, err := o.joinSounds(ctx, job)
	if err != nil {
		return err
	}
	out, err := job.Create(soundOutput)
	if err != nil {
		return err
	}
	step := job.Step("encode")
	w := bufio.NewWriterSize(out, 64<<10)
	if err = o.audio().encodeSound(ctx, w, &joined.sound); err == nil {
		err = w.Flush()
	}
	step()
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return o.writeSprites(job, joined.places)
}

// explainResult implements Traits.Explain.
func (o *soundsOptions) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	joined, err := o.joinSounds(ctx, job)
	if err != nil {
		return nil, err
	}
	played := int64(0)
	for _, p := range joined.places {
		played += p.frames
	}
	return []string{fmt.Sprintf("%d sounds of %.2f s, in %s", len(joined.places), float64(played)/float64(o.Rate),
		describeShape(o.Rate, o.channelsOfFile(), int64(joined.Frames())))}, nil
}

// A soundPosition is the position of a sound in the combined clip, in frames.
type soundPosition struct {
	name          string
	start, frames int64
}

// joinedSounds holds all sounds in one clip.
type joinedSounds struct {
	sound
	places []soundPosition
}

// joinSounds prepares each sound and appends it to the clip.
func (o *soundsOptions) joinSounds(ctx context.Context, job *recipe.Job) (*joinedSounds, error) {
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	files, err := o.listedSounds(job)
	if err != nil {
		return nil, err
	}
	clip := &pcm.Clip{Rate: o.Rate, Channels: o.channelsOfFile()}
	j := &joinedSounds{sound: sound{Clip: clip, source: source.Info{Rate: o.Rate}}}
	var parts [][]float32
	gap, end := int64(float64(o.Gap*float64(o.Rate))+0.5), int64(0)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := o.readSound(ctx, job, f.file, f.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pathname.Show(f.file), err)
		}
		p := soundPosition{f.name, end, int64(c.Frames())}
		if end = o.seekable(p.start + p.frames + gap); end > int64(o.Longest)*int64(o.Rate) {
			return nil, fmt.Errorf("the sounds last more than %d seconds; name fewer sounds, or raise longest", o.Longest)
		}
		parts, j.places = append(parts, c.Samples), append(j.places, p)
	}
	clip.Samples = make([]float32, end*int64(clip.Channels))
	for i, p := range j.places {
		copy(clip.Samples[p.start*int64(clip.Channels):], parts[i])
	}
	job.Hold("decoded sound", 4*len(clip.Samples))
	return j, nil
}

func (o *soundsOptions) readSound(ctx context.Context, job *recipe.Job, file, called string) (*pcm.Clip, error) {
	f, err := job.OpenDep(file)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if info.Size() > o.largestSound() {
		return nil, fmt.Errorf("the sound has %d bytes, too many for a file of %d seconds; raise longest", info.Size(), o.Longest)
	}
	data, err := job.Read(file)
	if err != nil {
		return nil, err
	}
	a := o.audio()
	about, err := a.probeSource(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	if a.cookMemory(about, int64(len(data))) > o.largestSound() {
		return nil, fmt.Errorf("the sound is too long for a file of %d seconds; raise longest", o.Longest)
	}
	s, err := a.prepareFile(ctx, job, data)
	if err != nil {
		return nil, err
	}
	if s.Frames() == 0 {
		return nil, errors.New("the sound has no samples; export it again")
	}
	if len(s.dropped) > 0 && !o.loops(called) {
		job.Warn("%s loops from frame %d to %d, but players repeat only whole sounds of a sprite file; name %s in loop, or cook the sound separately",
			pathname.Show(file), s.dropped[0].Start, s.dropped[0].End, pathname.Show(called))
	}
	if len(s.Lost) > 0 {
		job.Warn("%s: the cooked sound loses %s; keep the source for programs that read it", pathname.Show(file), strings.Join(s.Lost, ", "))
	}
	return s.Clip, nil
}

// seekable returns the first possible start of a sound at or after the given frame.
func (o *soundsOptions) seekable(frame int64) int64 {
	unit := int64(1)
	switch o.Format {
	case "opus":
		unit = 960 // frames in an Opus packet of 20 ms
	case "qoa":
		unit = 5120 // frames in a QOA frame
	case "adpcm":
		unit = int64(adpcm.IMAFrames(adpcm.IMABlockSize(o.Rate, o.channelsOfFile()), o.channelsOfFile()))
	case "pcm":
		if n := int64(o.Rate / divisor(o.Rate, 1000)); n < int64(o.Rate)/10 {
			unit = n // the fewest frames that last a whole number of milliseconds
		}
	}
	return (frame + unit - 1) / unit * unit
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
