// Reads what writeParts of Go writes: a header and the bytes that belong to it, which begin
// at a multiple of 8.

export function parts(buffer) {
	const length = new DataView(buffer).getUint32(0, true);
	const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	return { head, buffer, at: 4 + length };
}
