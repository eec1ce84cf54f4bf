package intern

import "testing"

// Comparisons with other maps are in package bench.

func BenchmarkHash(b *testing.B) {
	names, _ := corpus(b, 200_000)
	for hash := range hashes {
		b.Run("impl="+hash.String(), func(b *testing.B) {
			h := hasher{hash, newSeed(0)}
			sum, i := uint64(0), 0
			for b.Loop() {
				sum += h.sum(names[i])
				if i++; i == len(names) {
					i = 0
				}
			}
			if sum == 0 {
				b.Fatal("no hash")
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	names, _ := corpus(b, 200_000)
	table := tableOf(b, names, Seeded)
	length, sym := 0, Symbol(1)
	for b.Loop() {
		length += len(table.String(sym))
		sym = (sym*5 + 1) % 200_000
	}
	if length == 0 {
		b.Fatal("no name")
	}
}

func BenchmarkBuild(b *testing.B) {
	names, _ := corpus(b, 200_000)
	table := tableOf(b, names, Seeded)
	block, err := table.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	perName := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(names)), "ns/name")
	}
	b.Run("New+InternAll", func(b *testing.B) {
		for b.Loop() {
			tableOf(b, names, Seeded)
		}
		perName(b)
	})
	b.Run("Freeze", func(b *testing.B) {
		for b.Loop() {
			freeze(b, table)
		}
		perName(b)
	})
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			if _, err := Open(block); err != nil {
				b.Fatal(err)
			}
		}
		perName(b)
	})
}
