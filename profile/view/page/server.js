// Requests to the server that the page came from.

export class Server {
	#token;
	constructor(token) { this.#token = token; }

	// url returns the URL of an endpoint; a value that is an array gives several.
	url(path, params = {}) {
		const query = new URLSearchParams();
		for (const [key, value] of Object.entries(params)) {
			for (const v of Array.isArray(value) ? value : [value]) {
				if (v !== undefined && v !== null && v !== "") query.append(key, v);
			}
		}
		const text = query.toString();
		return text ? path + "?" + text : path;
	}

	async get(path, params, signal) { return checked(await fetch(this.url(path, params), { signal })); }

	async post(path, body) {
		return checked(await fetch(path, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-View-Token": this.#token() },
			body: JSON.stringify(body),
		}));
	}

	// bytes posts body and returns the bytes of the answer.
	async bytes(path, body, signal) {
		const answer = await fetch(path, {
			method: "POST", signal,
			headers: { "Content-Type": "application/json", "X-View-Token": this.#token() },
			body: JSON.stringify(body),
		});
		if (!answer.ok) await checked(answer);
		return answer.arrayBuffer();
	}

	// stream posts body and yields the chunks of the answer as they come.
	async *stream(path, body, signal) {
		const answer = await fetch(path, {
			method: "POST", signal,
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(body),
		});
		if (!answer.ok) await checked(answer);
		const reader = answer.body.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			yield value;
		}
	}
}

async function checked(answer) {
	if (answer.ok) return answer.json();
	let why = answer.statusText;
	try { why = (await answer.json()).error; } catch { /* not ours */ }
	throw new Error(why);
}
