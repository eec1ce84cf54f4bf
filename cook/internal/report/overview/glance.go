package overview

import (
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

func count(n int, thing string) string {
	if thing == "more" || thing == "other" {
		return fmt.Sprintf("%d %s", n, thing)
	}
	return human.Count(n, thing)
}

// glance answers the most frequent questions.
func (r *Report) glance() {
	r.ask("Which assets were cooked again, and why?", "again", r.againText())
	bound, longest := Bound(r.last), ""
	again := r.Table("again")
	for _, row := range again.Rows {
		if o := cellAs[string](again, row, "outcome"); o == "cooked" || o == "unchanged" {
			longest = fmt.Sprintf("In the last cook %s took longest (%s). ", pathname.Show(cellAs[string](again, row, "path")), human.Duration(cellAs[time.Duration](again, row, "cook_ns")))
			break
		}
	}
	if t := r.Table("slowest"); len(t.Rows) > 0 && r.last != nil && r.last.Counts["cook/cook/count"] < int64(len(r.in.Assets)) {
		bound += fmt.Sprintf(" Of all assets, %s takes longest (%s).", pathname.Show(cellAs[string](t, t.Rows[0], "path")), human.Duration(cellAs[time.Duration](t, t.Rows[0], "cook_ns")))
	}
	r.ask("What took longest, and what bounded the cook?", "last", longest+bound)
	r.ask("Which textures lost most quality?", "textures", r.lossText())
	r.ask("What grew since yesterday?", "growth_day", r.growthText())
	if t := r.Table("failures"); len(t.Rows) > 0 {
		r.ask("What failed?", "failures", fmt.Sprintf("%s; the first is %s.", count(len(t.Rows), "asset"), pathname.Show(cellAs[string](t, t.Rows[0], "path"))))
	}
	if t := r.Table("warnings"); len(t.Rows) > 0 {
		r.ask("What looks like a mistake?", "warnings", fmt.Sprintf("%s of %s, most often: %s.", count(int(cellAs[int64](t, t.sums(t.Rows), "warnings")), "warning"), count(len(t.Rows), "cause"), cut(pathname.Escape(cellAs[string](t, t.Rows[0], "cause")), longestCell)))
	}
}

func (r *Report) ask(question, see, answer string) {
	r.Glance = append(r.Glance, Sentence{question, answer, see})
}

func (r *Report) againText() string {
	if r.last == nil {
		return "Not known: the history is empty."
	}
	c := r.last.Counts
	var parts []string
	for _, o := range []struct{ name, counter string }{
		{"cooked", "cook/cook/count"}, {"restored from the store", "cook/restore/count"}, {"with unchanged outputs", "cook/unchanged/count"},
		{"failed", "cook/fail/count"}, {"outputs removed", "cook/remove/count"},
	} {
		if n := c[o.counter]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.name))
		}
	}
	text := fmt.Sprintf("The last cook (%s UTC, %s) had %s: %s.", Moment.show(r.last.At), human.Duration(r.last.Took), count(int(c["cook/found/count"]), "asset"), strings.Join(parts, ", "))
	var why []string
	reasons := r.Table("reasons")
	for i, row := range reasons.Rows {
		if i == 3 {
			why = append(why, "…")
			break
		}
		why = append(why, fmt.Sprintf("%s (%d)", cut(pathname.Escape(cellAs[string](reasons, row, "why")), 80), cellAs[int64](reasons, row, "assets")))
	}
	if len(why) > 0 {
		text += " Because: " + strings.Join(why, ", ") + "."
	}
	return text
}

func (r *Report) lossText() string {
	var worst []string
	compared := 0
	t := r.Table("textures")
	for _, row := range t.Rows {
		db, ok := row[t.column("psnr")].(float64)
		if !ok {
			continue
		}
		if compared++; len(worst) < 3 {
			worst = append(worst, fmt.Sprintf("%s (%s, %.1f dB)", pathname.Show(cellAs[string](t, row, "path")), cellAs[string](t, row, "format"), db))
		}
	}
	switch {
	case len(r.in.Textures)+r.in.Unlooked == 0:
		return "There are no textures."
	case compared == 0:
		return "None is known to have lost any."
	}
	return fmt.Sprintf("Of %s compared: %s.", count(compared, "texture"), strings.Join(worst, ", "))
}

func (r *Report) growthText() string {
	t := r.Table("growth_day")
	if len(t.Rows) == 0 {
		return "Nothing. " + t.Note
	}
	if len(r.in.Runs) == 1 {
		return "Not known: there has been one cook, which made " + r.value("bytes of cooked files") + "."
	}
	sign := func(n int64) string {
		if n < 0 {
			return Bytes.show(n)
		}
		return "+" + human.Bytes(n)
	}
	var most []string
	for _, row := range t.Rows[:min(3, len(t.Rows))] {
		most = append(most, pathname.Show(cellAs[string](t, row, "path"))+" "+sign(cellAs[int64](t, row, "growth")))
	}
	return fmt.Sprintf("%s in all: %s. %s", sign(grown(t)), strings.Join(most, ", "), t.Note)
}
