package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"sync"
	"testing"
)

func TestKindsExclude(t *testing.T) {
	for _, k := range kinds {
		lock, count := k.make(), 0
		var work sync.WaitGroup
		const crowd, each = 4, 2000
		for range crowd {
			work.Go(func() {
				for range each {
					lock.Lock()
					count++
					lock.Unlock()
				}
			})
		}
		work.Wait()
		if count != crowd*each {
			t.Errorf("%s: %d of %d", k.name, count, crowd*each)
		}
	}
}

func TestReportHasEverySetting(t *testing.T) {
	results := map[setting]result{}
	for _, k := range kinds {
		for _, length := range lengths {
			for _, crowd := range crowds {
				results[setting{k.name, length, crowd}] = result{float64(1000 * crowd), float64(length), 0}
			}
		}
	}
	md := markdown(results, "locks.svg")
	if got := strings.Count(md, "1.00 / 1.00 / "); got != len(kinds)*len(lengths)*len(crowds) {
		t.Errorf("%d cells:\n%s", got, md)
	}
	page, err := picture(results)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(page)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range kinds {
		if !bytes.Contains(page, []byte(k.name)) {
			t.Errorf("no line for %s", k.name)
		}
	}
}

func TestMeasure(t *testing.T) {
	for _, k := range kinds {
		if r := measure(k.make(), 10, 1, 1e6); r.throughput <= 0 || r.longest < 0 || r.cpu < 0 {
			t.Errorf("%s: %+v", k.name, r)
		}
	}
}
