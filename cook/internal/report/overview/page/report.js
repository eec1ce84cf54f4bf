// Tables of a report: a click on a head sorts, words and values of columns filter, and any two runs are compared.

// value returns the value of a cell to sort by, null for an empty cell.
function value(cell) {
	const text = cell.dataset.v ?? cell.textContent;
	if (!cell.classList.contains('n')) return text || null;
	const n = parseFloat(text);
	return isNaN(n) ? null : n;
}

function element(name, properties, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

// liven adds controls to the tables of a report. keep holds the state of the controls by key.
export function liven(root, keep = { get: () => '', set() {} }) {
	for (const section of root.querySelectorAll('.table')) {
		const table = section.querySelector('table');
		if (table) addControls(table, key => keep.get(section.id + '.' + key), (key, value) => keep.set(section.id + '.' + key, value));
	}
	chooseRuns(root);
}

function addControls(table, get, set) {
	const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells], titles = heads.map((h, k) => h.textContent || 'column ' + k);
	let sorted = get('sort'), down = get('down') !== '';
	const sort = () => {
		const k = titles.indexOf(sorted), sign = down ? -1 : 1;
		if (k < 0) return;
		heads.forEach((h, i) => h.ariaSort = i !== k ? null : down ? 'descending' : 'ascending');
		const keyed = rows.map(r => [value(r.cells[k]), r]);
		keyed.sort(([a], [b]) => (a === null) - (b === null) || sign * (a < b ? -1 : a > b ? 1 : 0)); // empty cells are last
		body.append(...keyed.map(([, r]) => r));
	};
	heads.forEach((h, k) => h.replaceChildren(element('button', { type: 'button', textContent: h.textContent, onclick() {
		down = sorted === titles[k] ? !down : h.classList.contains('n');
		sorted = titles[k];
		set('sort', sorted);
		set('down', down ? '1' : '');
		sort();
	} })));
	sort();
	if (rows.length >= 12) table.closest('.scroll').before(filterOf(rows, heads, titles, get, set));
}

// filterOf returns the controls that filter rows: by words, and by the value of each column that has few values.
function filterOf(rows, heads, titles, get, set) {
	const words = element('input', { type: 'search', placeholder: 'Filter rows', ariaLabel: 'Filter rows', value: get('words') });
	const selects = [];
	const filter = () => {
		const wanted = words.value.toLowerCase().split(/\s+/);
		for (const r of rows) {
			const text = r.textContent.toLowerCase();
			r.hidden = !wanted.every(w => text.includes(w)) || !selects.every(([s, k]) => !s.value || r.cells[k].textContent === s.value);
		}
	};
	words.oninput = () => { set('words', words.value); filter(); };
	heads.forEach((h, k) => {
		const title = titles[k], counts = new Map();
		if (!h.textContent || h.classList.contains('n') || h.classList.contains('d')) return;
		for (const r of rows) counts.set(r.cells[k].textContent, (counts.get(r.cells[k].textContent) ?? 0) + 1);
		counts.delete('');
		const chosen = get(title);
		const few = counts.size >= 2 && counts.size <= Math.min(12, rows.length / 2) && [...counts.keys()].every(text => text.length <= 24);
		if (!chosen && !few) return;
		if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
		const s = element('select', { title, ariaLabel: title }, element('option', { value: '', textContent: 'any ' + title }),
			...[...counts].sort((a, b) => b[1] - a[1]).map(([value, n]) => element('option', { value, textContent: `${value} (${n})` })));
		s.value = chosen;
		s.onchange = () => { set(title, s.value); filter(); };
		selects.push([s, k]);
	});
	filter();
	return element('div', { className: 'find' }, words, ...selects.map(([s]) => s));
}

// chooseRuns lets the reader choose the two runs to compare.
function chooseRuns(root) {
	const runs = root.querySelector('#runs table'), both = root.querySelector('#comparison'), place = root.querySelector('#choose');
	if (!runs || !both) return;
	const rows = [...runs.tBodies[0].rows], heads = [...runs.tHead.rows[0].cells], began = heads.findIndex(h => h.classList.contains('d'));
	const name = r => 'run ' + r.cells[0].textContent;
	const choose = [1, 0].map(chosen => {
		const s = element('select', { ariaLabel: 'Run to compare' }, ...rows.map(r => element('option', { textContent: name(r) + ', ' + r.cells[began].textContent })));
		s.selectedIndex = chosen;
		return s;
	});
	const show = () => {
		const [a, b] = choose.map(s => rows[s.selectedIndex]), cells = both.tHead.rows[0].cells;
		cells[1].textContent = name(a);
		cells[2].textContent = name(b);
		both.tBodies[0].replaceChildren(...heads.flatMap((h, k) => {
			if (k === 0 || !h.classList.contains('n')) return [];
			const v = value(a.cells[k]) ?? 0, w = value(b.cells[k]) ?? 0;
			const change = v === w ? '' : v === 0 ? 'new' : (w >= v ? '+' : '') + (100 * (w - v) / v).toFixed(1) + ' %';
			return [element('tr', {}, element('td', { textContent: h.textContent }), a.cells[k].cloneNode(true), b.cells[k].cloneNode(true), element('td', { className: 'n', textContent: change }))];
		}));
	};
	choose.forEach(s => s.onchange = show);
	place.replaceChildren(choose[0], ' and ', choose[1]);
}
