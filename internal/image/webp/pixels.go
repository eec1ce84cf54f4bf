package webp

import "context"

// writePixels writes pixels without a transform. The parameter part is set if the pixels are
// auxiliary data, such as the data of a transform. Auxiliary data must use a single group of codes.
func writePixels(ctx context.Context, w *bitWriter, pix []uint32, width int, part bool, e effort) error {
	p := newParser(pix, width, e.probes)
	tokens := p.chooseCache(p.greedy())
	for range e.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := histogramOf(tokens, p.cacheBits)
		tokens = p.cheapest(pricesOf(&h))
	}
	tokens = p.chooseCache(tokens)
	if p.cacheBits > 0 {
		w.write(1, 1)
		w.write(uint32(p.cacheBits), 4)
	} else {
		w.write(0, 1)
	}
	if part {
		oneGroup(tokens, p.cacheBits).writeTokens(w, tokens, width)
		return ctx.Err()
	}
	return p.writeGrouped(ctx, w, tokens, e)
}

// writeGrouped writes tokens with the number of code groups that takes the fewest bits.
func (p *parser) writeGrouped(ctx context.Context, w *bitWriter, tokens []token, e effort) error {
	var least *bitWriter
	for _, most := range e.groups {
		groups := groupTiles(tokens, p.width, len(p.pix)/p.width, p.cacheBits, most)
		if groups == nil {
			groups = oneGroup(tokens, p.cacheBits)
		}
		tried := &bitWriter{out: append([]byte(nil), w.out...), bits: w.bits, n: w.n}
		if err := groups.writeTiles(ctx, tried, p.width, e); err != nil {
			return err
		}
		groups.writeTokens(tried, tokens, p.width)
		if least == nil || tried.size() < least.size() {
			least = tried
		}
	}
	*w = *least
	return ctx.Err()
}

// writeTiles writes whether there are several groups and, if so, the group of each tile.
func (g *grouping) writeTiles(ctx context.Context, w *bitWriter, width int, e effort) error {
	if len(g.groups) == 1 {
		w.write(0, 1)
		return nil
	}
	w.write(1, 1)
	w.write(uint32(g.tileBits-2), 3)
	pix := make([]uint32, len(g.tiles))
	for i, k := range g.tiles {
		pix[i] = opaque | uint32(k)<<8
	}
	return writePixels(ctx, w, pix, tilesOf(width, g.tileBits), true, e)
}

// writeTokens writes the prefix codes of all groups, and then the tokens.
func (g *grouping) writeTokens(w *bitWriter, tokens []token, width int) {
	each := make([][codes]prefixCode, len(g.groups))
	for k := range g.groups {
		for i := range codes {
			each[k][i] = writeCode(w, g.groups[k].code(i))
		}
	}
	at, across := 0, tilesOf(width, g.tileBits)
	for _, t := range tokens {
		c := &each[0]
		if len(each) > 1 {
			c = &each[g.tiles[(at/width>>g.tileBits)*across+at%width>>g.tileBits]]
		}
		writeToken(w, c, t)
		at += t.pixels()
	}
}

// writeToken writes the symbols and the extra bits of a token.
func writeToken(w *bitWriter, c *[codes]prefixCode, t token) {
	switch {
	case t.length == 0:
		c[0].write(w, firstCached+t.value)
	case t.isCopy():
		symbol, n, extra := prefixOf(uint32(t.length))
		c[0].write(w, firstLength+symbol)
		w.write(extra, n)
		symbol, n, extra = prefixOf(t.value)
		c[4].write(w, symbol)
		w.write(extra, n)
	default:
		c[0].write(w, t.value>>8&0xff)
		c[1].write(w, t.value>>16&0xff)
		c[2].write(w, t.value&0xff)
		c[3].write(w, t.value>>24)
	}
}
