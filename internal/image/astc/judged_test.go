package astc

// judged holds the expected results for the samples, by block side. others holds two more
// checksums: one for Normal with WeighAlpha, and one for Fast with an AlphaWeight of 3.
var judged = map[int]struct {
	sums   [3]string
	others [2]string
	least  map[string][3]float64
}{
	4: {
		sums:   [3]string{"2f9f354df13dc3c5", "d2a8a76d4c3ab072", "8339463cee33744c"},
		others: [2]string{"9c487799ebd1a369", "f24e778af7063bdb"},
		least: map[string][3]float64{
			"fog":        {47.4, 47.5, 47.6},
			"glass":      {110.0, 110.0, 110.0},
			"glow":       {67.7, 73.9, 73.9},
			"gradient":   {52.5, 52.5, 53.3},
			"gray":       {75.7, 110.0, 110.0},
			"icon":       {69.8, 69.8, 69.8},
			"leaves":     {26.5, 26.6, 26.7},
			"letters":    {30.0, 31.4, 32.4},
			"noise":      {18.7, 18.9, 19.1},
			"normal map": {28.2, 28.6, 28.9},
			"smoke":      {47.2, 47.3, 47.4},
			"stone":      {42.6, 42.8, 42.8},
			"tile":       {110.0, 110.0, 110.0},
		},
	},
	5: {
		sums:   [3]string{"5426c0da82904ad6", "882eecc728ef53fa", "298f7636bce2917f"},
		others: [2]string{"37c843688cc9d44d", "d96bb6c970b80b8a"},
		least: map[string][3]float64{
			"fog":        {43.7, 43.8, 44.0},
			"glass":      {110.0, 110.0, 110.0},
			"glow":       {66.4, 67.9, 67.7},
			"gradient":   {51.0, 51.1, 51.1},
			"gray":       {57.5, 58.4, 58.7},
			"icon":       {70.0, 70.0, 70.0},
			"leaves":     {23.8, 23.9, 24.1},
			"letters":    {24.5, 26.1, 26.9},
			"noise":      {16.9, 16.9, 17.1},
			"normal map": {27.2, 27.4, 27.5},
			"smoke":      {45.9, 46.0, 46.1},
			"stone":      {39.5, 40.0, 40.1},
			"tile":       {110.0, 110.0, 110.0},
		},
	},
	6: {
		sums:   [3]string{"f02bbb777e7f6ff9", "0fd6de2b27c55c2c", "bc02ff399afe104d"},
		others: [2]string{"3cad978371be84d3", "b35044c7f0ff688b"},
		least: map[string][3]float64{
			"fog":        {39.0, 39.9, 40.3},
			"glass":      {110.0, 110.0, 110.0},
			"glow":       {61.8, 62.8, 62.9},
			"gradient":   {49.1, 49.8, 49.8},
			"gray":       {51.6, 52.3, 52.5},
			"icon":       {43.3, 43.3, 43.9},
			"leaves":     {20.1, 20.4, 20.5},
			"letters":    {20.9, 21.5, 21.7},
			"noise":      {15.0, 15.1, 15.2},
			"normal map": {24.5, 24.8, 25.1},
			"smoke":      {45.3, 45.4, 45.4},
			"stone":      {33.1, 33.5, 33.6},
			"tile":       {56.8, 57.9, 57.9},
		},
	},
	8: {
		sums:   [3]string{"b117f29b20ed4735", "1911e1178c6eaf19", "298d1cdb145b07fd"},
		others: [2]string{"08c7e0f7b43e8e05", "de5e5403e0749702"},
		least: map[string][3]float64{
			"fog":        {34.1, 34.2, 34.2},
			"glass":      {110.0, 110.0, 110.0},
			"glow":       {59.7, 60.2, 60.3},
			"gradient":   {46.8, 47.0, 47.0},
			"gray":       {48.3, 48.5, 48.6},
			"icon":       {28.7, 28.9, 30.5},
			"leaves":     {18.7, 18.8, 18.8},
			"letters":    {18.6, 18.8, 18.9},
			"noise":      {13.5, 13.6, 13.7},
			"normal map": {23.2, 23.4, 23.6},
			"smoke":      {44.3, 44.6, 44.7},
			"stone":      {27.9, 28.2, 28.4},
			"tile":       {110.0, 110.0, 110.0},
		},
	},
}
