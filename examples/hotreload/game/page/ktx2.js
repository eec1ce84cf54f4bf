// Puts a KTX2 file with one two-dimensional picture in BC7 or RGBA8 into the bound texture.
const formats = { 37: "rgba8", 43: "srgba8", 145: "bc7", 146: "sbc7" } // by VkFormat

export function upload(gl, bptc, buffer) {
  const view = new DataView(buffer)
  const format = formats[view.getUint32(12, true)]
  const width = view.getUint32(20, true), height = view.getUint32(24, true)
  const levels = Math.max(1, view.getUint32(40, true))
  if (!format || view.getUint32(44, true) !== 0) throw new Error("texture: neither BC7 nor RGBA8, or packed: cook it with zstd = 0")
  for (let level = 0; level < levels; level++) {
    const at = Number(view.getBigUint64(80 + 24 * level, true)), size = Number(view.getBigUint64(88 + 24 * level, true))
    const data = new Uint8Array(buffer, at, size)
    const w = Math.max(1, width >> level), h = Math.max(1, height >> level)
    if (format.endsWith("bc7")) {
      gl.compressedTexImage2D(gl.TEXTURE_2D, level, bptc.COMPRESSED_RGBA_BPTC_UNORM_EXT, w, h, 0, data)
    } else {
      gl.texImage2D(gl.TEXTURE_2D, level, gl.RGBA8, w, h, 0, gl.RGBA, gl.UNSIGNED_BYTE, data)
    }
  }
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, levels - 1)
  return `${width}x${height} ${format.replace(/^s/, "").toUpperCase()}`
}
