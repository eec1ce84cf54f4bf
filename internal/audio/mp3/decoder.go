package mp3

// A decoder holds the state between frames.
type decoder struct {
	bands     *layouts
	side      sideInfo
	reservoir []byte // main data of past frames that later ones may use
	filters   [2]hybrid
	pcm       [2][1152]float64 // the samples of the current frame
}

// kept is the most bytes that a frame may reach back for its main data.
const kept = 511

func newDecoder(first header) *decoder {
	return &decoder{bands: newLayouts(first.rate())}
}

// decode decodes a frame and returns the number of samples of each channel.
func (d *decoder) decode(h header, frame []byte) int {
	side := 4
	if h>>16&1 == 0 { // a checksum of the side info, which few encoders write
		side += 2
	}
	main := side + h.sideInfo()
	if main > len(frame) {
		main = len(frame)
	}
	d.side.readSideInfo(&bitReader{data: frame[min(side, main):main]}, h, d.bands)

	had := len(d.reservoir)
	d.reservoir = append(d.reservoir, frame[main:]...)
	granules := h.samples() / 576
	if d.side.begin > had {
		d.silence(granules)
	} else {
		r := &bitReader{data: d.reservoir, at: 8 * (had - d.side.begin)}
		for gr := range granules {
			d.granule(h, r, gr)
		}
	}
	if n := len(d.reservoir) - kept; n > 0 {
		d.reservoir = append(d.reservoir[:0], d.reservoir[n:]...)
	}
	return h.samples()
}

// granule decodes 576 samples of each channel.
func (d *decoder) granule(h header, r *bitReader, gr int) {
	g := &d.side.granules[gr]
	for ch := range h.channels() {
		end := r.at + g[ch].length
		d.side.readFactors(r, h, gr, ch)
		g[ch].readSpectrum(r, h.rate(), end)
		r.at = end
	}
	if h.channels() == 2 {
		separate(h, &g[0], &g[1])
	}
	for ch := range h.channels() {
		if g[ch].block == shortBlock {
			g[ch].reorder()
		}
		g[ch].reduceAliases()
		d.filters[ch].samples(&g[ch], d.pcm[ch][576*gr:][:576])
	}
}

// silence outputs granules that cannot be decoded as zeros, after the tail of the sound before.
func (d *decoder) silence(granules int) {
	var none granule
	for gr := range granules {
		for ch := range d.filters {
			d.filters[ch].samples(&none, d.pcm[ch][576*gr:][:576])
		}
	}
}
