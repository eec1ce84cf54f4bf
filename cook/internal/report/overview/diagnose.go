package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// These limits keep less important findings from hiding the others.
const (
	mostFailed    = 3 // number of failures that are findings of their own
	mostWarned    = 2 // number of causes of warnings
	mostSlowest   = 1
	mostReasons   = 1
	mostStepFinds = 1 // number of lasting changes between runs
)

// A diagnostician turns the rows of tables into findings.
type diagnostician struct {
	report *Report
	dir    string   // asset directory, for the names of files; "" if it is unknown
	cheap  []string // recipes whose results the store does not keep
	found  []diagnosis.Finding
}

// DiagnoseOutputs returns the findings in a report: failures, warnings, the slowest assets, the
// reasons for repeated work, and growth. dir is the asset directory, or "" if it is unknown. subject
// is the name that the user gave. The store keeps no results of the recipes in cheap. The caller
// adds the next commands, by the kinds of the findings.
func (r *Report) DiagnoseOutputs(subject, dir string, cheap []string) diagnosis.Diagnosis {
	d := diagnostician{report: r, dir: dir, cheap: cheap}
	d.addFailuresFinding()
	d.addWarningsFinding()
	d.addStoreMissesFinding()
	d.addSlowestFinding()
	d.addReasonsFinding()
	d.addGrowthFinding()
	d.addLastingChangesFinding()
	return diagnosis.Diagnosis{Kind: diagnosis.Cook, Subjects: []string{subject}, Verdict: d.cookVerdict(), Findings: d.found}
}

// cookVerdict describes the state of the outputs and the bottleneck of the last cook.
func (d *diagnostician) cookVerdict() string {
	assets, failed, warned := len(d.report.Table("assets").Rows), len(d.report.Table("failures").Rows), d.report.Table("warnings")
	text := countOf(assets, "asset") + ", "
	switch {
	case failed > 0:
		text += fmt.Sprintf("%d failed", failed)
	case len(warned.Rows) > 0:
		text += countOf(int(cellAs[int64](warned, warned.columnSums(warned.Rows), "warnings")), "warning")
	default:
		text += "none failed"
	}
	runs := d.report.Table("runs")
	if len(runs.Rows) == 0 {
		return text + "; the history is empty"
	}
	last := runs.Rows[0]
	text += fmt.Sprintf("; the last cook took %s and cooked %d", human.Duration(cellAs[time.Duration](runs, last, "took_ns")), cellAs[int64](runs, last, "cooked"))
	if bound, _ := last[runs.column("bound")].(string); bound != "" {
		text += "; its limit: " + bound
	}
	return text
}

func (d *diagnostician) addFinding(f diagnosis.Finding) { d.found = append(d.found, f) }

// assetPlace returns the place of an asset, and the position in its source at which a message
// points. It also returns the rest of the message.
func (d *diagnostician) assetPlace(t *Table, row []any, message string) (diagnosis.Place, string) {
	p := diagnosis.Place{Asset: cellAs[string](t, row, "path")}
	if k := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == "target" }); k >= 0 {
		p.Target, _ = row[k].(string)
	}
	var rest string
	p.Line, p.Column, rest = report.CutPlace(message)
	if p.Line > 0 || d.dir != "" {
		p.File = report.FromWorkingDir(d.dir, p.Asset)
	}
	return p, rest
}

// addFailuresFinding adds the first failures, and the number of the others.
func (d *diagnostician) addFailuresFinding() {
	t := d.report.Table("failures")
	for i, row := range t.Rows {
		if i == mostFailed {
			d.addFinding(diagnosis.Finding{
				Kind: "failures", Severity: diagnosis.Error, Text: fmt.Sprintf("%s more failed", human.Count(len(t.Rows)-i, "asset")),
				Amount: float64(len(t.Rows) - i), Unit: diagnosis.Count,
			})
			return
		}
		message, _ := row[t.column("error")].(string)
		where, rest := d.assetPlace(t, row, message)
		first, _, _ := strings.Cut(rest, "\n")
		d.addFinding(diagnosis.Finding{
			Kind: "failed", Severity: diagnosis.Error, Text: fmt.Sprintf("%s failed: %s", pathname.Show(where.Asset), first), Amount: 1, Unit: diagnosis.Count, Where: where,
		})
	}
}

// addWarningsFinding adds the most frequent causes of warnings.
func (d *diagnostician) addWarningsFinding() {
	t := d.report.Table("warnings")
	for _, row := range t.Rows[:min(mostWarned, len(t.Rows))] {
		n, cause := cellAs[int64](t, row, "warnings"), cellAs[string](t, row, "cause")
		where, rest := d.assetPlace(t, row, cause)
		text, _, _ := strings.Cut(rest, "\n")
		if n > 1 {
			text = fmt.Sprintf("%s such as: %s", countOf(int(n), "warning"), text)
		}
		d.addFinding(diagnosis.Finding{
			Kind: "warned", Severity: diagnosis.Warning, Text: text, Amount: float64(n), Unit: diagnosis.Count, Where: where,
		})
	}
}

// addStoreMissesFinding adds the assets that the last cook cooked although no input had changed, because
// the store no longer had their results.
func (d *diagnostician) addStoreMissesFinding() {
	t, assets := d.report.Table("again"), d.report.Table("assets")
	recipes := map[string]string{}
	for _, row := range assets.Rows {
		recipes[cellAs[string](assets, row, "path")] = cellAs[string](assets, row, "recipe")
	}
	var missed [][]any
	for _, row := range t.Rows {
		why, _, _ := strings.Cut(cellAs[string](t, row, "why"), ": ")
		if cellAs[string](t, row, "outcome") == string(execute.Cooked) && (why == string(plan.OutputMissing) || why == string(plan.OutputEdited)) &&
			!slices.Contains(d.cheap, recipes[cellAs[string](t, row, "path")]) {
			missed = append(missed, row)
		}
	}
	if len(missed) == 0 {
		return
	}
	took := cellAs[time.Duration](t, t.columnSums(missed), "cook_ns")
	where, _ := d.assetPlace(t, missed[0], "")
	d.addFinding(diagnosis.Finding{
		Kind: "store_miss", Severity: diagnosis.Warning,
		Text: fmt.Sprintf("%s cooked again in %s although no input had changed: the store had lost the results; a larger store, or a server, keeps them",
			assetsWere(len(missed)), human.Duration(took)),
		Amount: float64(took), Unit: diagnosis.Nanoseconds, Where: where,
	})
}

func assetsWere(n int) string {
	if n == 1 {
		return "1 asset was"
	}
	return fmt.Sprintf("%d assets were", n)
}

// addSlowestFinding adds the asset that took longest in the last cook or, if that cooked none, of all assets.
func (d *diagnostician) addSlowestFinding() {
	t, when := d.report.Table("again"), "in the last cook"
	rows := slices.DeleteFunc(slices.Clone(t.Rows), func(row []any) bool { return cellAs[string](t, row, "outcome") != string(execute.Cooked) })
	if len(rows) == 0 {
		t, when = d.report.Table("slowest"), "of all assets"
		rows = t.Rows
	}
	whole := cellAs[time.Duration](t, t.columnSums(rows), "cook_ns")
	for _, row := range rows[:min(mostSlowest, len(rows))] {
		took := cellAs[time.Duration](t, row, "cook_ns")
		if took == 0 {
			continue
		}
		where, _ := d.assetPlace(t, row, "")
		d.addFinding(diagnosis.Finding{
			Kind: "slow_asset", Severity: diagnosis.Note,
			Text:   fmt.Sprintf("%s took longest %s: %s, %s of the cook time of %s", pathname.Show(where.Asset), when, human.Duration(took), percent(float64(took)/float64(whole)), countOf(len(rows), "asset")),
			Amount: float64(took), Unit: diagnosis.Nanoseconds, Where: where,
		})
	}
}

// addReasonsFinding adds the most frequent reason for which the last cook worked on assets again.
func (d *diagnostician) addReasonsFinding() {
	t, added := d.report.Table("reasons"), 0
	for _, row := range t.Rows {
		why, n := cellAs[string](t, row, "why"), cellAs[int64](t, row, "assets")
		if why == string(plan.New) || added == mostReasons {
			continue
		}
		added++
		example := cellAs[string](t, row, "example")
		d.addFinding(diagnosis.Finding{
			Kind: "reason", Severity: diagnosis.Note, Text: fmt.Sprintf("the last cook worked on %s again, because: %s", countOf(int(n), "asset"), why),
			Amount: float64(n), Unit: diagnosis.Count, Where: diagnosis.Place{Asset: example},
		})
	}
}

// addGrowthFinding adds the sum of the growth in the last cook that was not the first, and the asset that
// grew most.
func (d *diagnostician) addGrowthFinding() {
	t := d.report.Table("growth_run")
	if len(d.report.Table("runs").Rows) < 2 || len(t.Rows) == 0 {
		return
	}
	row := slices.MaxFunc(t.Rows, func(a, b []any) int {
		return int(min(max(cellAs[int64](t, a, "growth")-cellAs[int64](t, b, "growth"), -1), 1))
	})
	sum, most := grown(t), cellAs[int64](t, row, "growth")
	if most <= 0 {
		return
	}
	where, _ := d.assetPlace(t, row, "")
	d.addFinding(diagnosis.Finding{
		Kind: "grew", Severity: diagnosis.Note, Text: fmt.Sprintf("the outputs changed by %s in the last cook, most: %s by %s", signedBytes(sum), pathname.Show(where.Asset), signedBytes(most)),
		Amount: float64(sum), Unit: diagnosis.Bytes, Where: where,
	})
}

// addLastingChangesFinding adds the latest change of a figure that lasted over several runs.
func (d *diagnostician) addLastingChangesFinding() {
	t := d.report.Table("steps")
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b []any) int { return int(cellAs[int64](t, b, "run") - cellAs[int64](t, a, "run")) })
	for _, row := range rows[:min(mostStepFinds, len(rows))] {
		run := cellAs[int64](t, row, "run")
		d.addFinding(diagnosis.Finding{
			Kind: "lasting_change", Severity: diagnosis.Note,
			Text:   fmt.Sprintf("since run %d, %s is %s, before %s", run, cellAs[string](t, row, "figure"), cellAs[string](t, row, "after"), cellAs[string](t, row, "before")),
			Amount: float64(run), Unit: diagnosis.Run,
		})
	}
}
