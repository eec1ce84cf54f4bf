package main

import "encoding/binary"

// addAudio adds the sounds, all of them 16-bit PCM.
func addAudio(t *tree) {
	const dir = "audio/"
	t.add(dir+"engine_loop.wav", engineLoop().encode())
	t.add(dir+"countdown_beep.wav", beep().encode())
	t.add(dir+"coin.wav", coinChime().encode())
	t.add(dir+"skid.wav", skid().encode())
	t.add(dir+"bump.wav", bump().encode())
	t.add(dir+"finish_fanfare.wav", fanfare().encode())
}

// wave is sound as interleaved samples.
type wave struct {
	rate, channels int
	samples        []int16
	loops          bool // the whole sound repeats without a seam
}

// encode returns the RIFF file.
func (s wave) encode() []byte {
	le := binary.LittleEndian
	format := le.AppendUint16(nil, 1) // PCM
	format = le.AppendUint16(format, uint16(s.channels))
	format = le.AppendUint32(format, uint32(s.rate))
	format = le.AppendUint32(format, uint32(s.rate*s.channels*2))
	format = le.AppendUint16(format, uint16(s.channels*2))
	format = le.AppendUint16(format, 16)
	var data []byte
	for _, v := range s.samples {
		data = le.AppendUint16(data, uint16(v))
	}
	body := riffChunk([]byte("WAVE"), "fmt ", format)
	if s.loops {
		body = riffChunk(body, "smpl", s.loopPoints())
	}
	body = riffChunk(body, "data", data)
	return riffChunk(nil, "RIFF", body)
}

// loopPoints is the body of a "smpl" chunk with one loop from end to end.
func (s wave) loopPoints() []byte {
	last := uint32(len(s.samples)/s.channels - 1)
	fields := [...]uint32{0, 0, uint32(1_000_000_000 / s.rate), 60, 0, 0, 0, 1, 0, // one loop:
		0, 0, 0, last, 0, 0}
	var out []byte
	for _, f := range fields {
		out = binary.LittleEndian.AppendUint32(out, f)
	}
	return out
}

func riffChunk(out []byte, name string, data []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, name...), uint32(len(data)))
	out = append(out, data...)
	if len(data)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

// record makes a sound of the given length; at returns sample i of a channel,
// full scale being 32767.
func record(rate, channels, milliseconds int, at func(i, channel int) int) wave {
	s := wave{rate: rate, channels: channels}
	for i := range rate * milliseconds / 1000 {
		for c := range channels {
			s.samples = append(s.samples, int16(between(-32767, at(i, c), 32767)))
		}
	}
	return s
}

// tone is the sine of a frequency in hundredths of a hertz at sample i,
// -65536..65536.
func tone(i, centihertz, rate int) int {
	return sine(turn(int64(i) * int64(centihertz) * int64(fullTurn) / int64(rate) / 100 & int64(fullTurn-1)))
}

// fade falls from 256 at sample 0 to 0 at sample n, fast at first.
func fade(i, n int) int {
	left := 256 - ramp(i, 0, n)
	return left * left / 256
}

// attack rises from 0 to 256 in n samples, so that a sound starts without a click.
func attack(i, n int) int { return ramp(i, 0, n) }

// engineLoop is a small motor at idle: 42 strokes in a second and a half, each
// a little different, and back to the first without a seam.
func engineLoop() wave {
	const rate, length, strokes = 22050, 1500, 42
	const n = rate * length / 1000
	s := record(rate, 1, length, func(i, _ int) int {
		phase := func(times int) int {
			return sine(turn(int64(i) * int64(times) * int64(fullTurn) / n))
		}
		stroke := i * strokes / n
		at := i*strokes*256/n - stroke*256
		puff := fade(at, 200) * (200 + pick(stroke, 0, 111, 56)) / 256
		rumble := (phase(strokes) + phase(strokes*2)/2 + phase(strokes*3)/3 + phase(strokes*7)/6) / 10
		hiss := (pick(i, 0, 112, 8192) - 4096) * puff / 256
		return rumble + rumble*puff/256 + hiss
	})
	s.loops = true
	return s
}

func beep() wave {
	const rate, length = 22050, 320
	const n = rate * length / 1000
	return record(rate, 1, length, func(i, _ int) int {
		v := tone(i, 44000, rate) + tone(i, 3*44000, rate)/3 + tone(i, 5*44000, rate)/5
		return v / 6 * attack(i, 90) / 256 * (256 - ramp(i, n-1400, n)) / 256
	})
}

// coinChime is four rising notes that wander from left to right.
func coinChime() wave {
	const rate = 44100
	notes := [...]int{98777, 131851, 166122, 197553} // B5 E6 G#6 B6
	return record(rate, 2, 600, func(i, channel int) int {
		sum := 0
		for k, hz := range notes {
			j := i - k*rate/14
			if j < 0 {
				break
			}
			pan := 80 + 32*k
			if channel == 0 {
				pan = 256 - pan
			}
			v := tone(j, hz, rate) + tone(j, 2*hz, rate)/4 + tone(j, 3*hz, rate)*fade(j, rate/20)/1024
			sum += v / 10 * attack(j, 60) / 256 * fade(j, rate*2/5) / 256 * pan / 256
		}
		return sum
	})
}

// skid is noise through a slow filter, with a squeal on top.
func skid() wave {
	const rate, length = 22050, 800
	const n = rate * length / 1000
	low := 0
	return record(rate, 1, length, func(i, _ int) int {
		low += (pick(i, 0, 113, 65536) - 32768 - low) / 3
		squeal := tone(i, 118000+sine(turn(i*40))/12, rate) / 12
		return (low/2 + squeal) * attack(i, 500) / 256 * fade(i, n) / 256
	})
}

// bump is a dull knock whose pitch falls.
func bump() wave {
	const rate, length = 11025, 240
	const n = rate * length / 1000
	phase := 0
	return record(rate, 1, length, func(i, _ int) int {
		phase += (60 + 160*fade(i, n/2)/256) * int(fullTurn) / rate
		knock := (pick(i, 0, 114, 32768) - 16384) * fade(i, rate/60) / 256
		return (sine(turn(phase))*5/16 + knock/2) * fade(i, n) / 256
	})
}

// fanfare is a short tune over held chords.
func fanfare() wave {
	const rate = 22050
	type note struct{ start, length, centihertz, pan int } // times in sixteenths of a second
	notes := []note{
		{0, 3, 39200, 100}, {3, 1, 39200, 100}, {4, 3, 52325, 156}, {7, 2, 49388, 156}, {9, 3, 58733, 128}, {12, 22, 65926, 128},
		{0, 8, 19600, 60}, {0, 8, 24694, 196}, {8, 4, 22000, 60}, {8, 4, 27718, 196},
		{12, 22, 26163, 60}, {12, 22, 32963, 196}, {12, 22, 39200, 128},
	}
	return record(rate, 2, 2200, func(i, channel int) int {
		sum := 0
		for _, k := range notes {
			j, n := i-k.start*rate/16, k.length*rate/16
			if j < 0 || j >= n {
				continue
			}
			pan := k.pan
			if channel == 0 {
				pan = 256 - pan
			}
			v := 0
			for h := 1; h <= 6; h++ { // brass: upper harmonics come in later
				v += tone(j, k.centihertz*h, rate) / h * attack(j, 300*h) / 256
			}
			sum += v / 22 * (256 - ramp(j, n-rate/16, n)) / 256 * (128 + fade(j, rate)/2) / 256 * pan / 128
		}
		return sum
	})
}
