package texenc

// golden are the first halves of SHA-256 of the scene in each format, in all
// depths, qualities, and with and without sRGB.
const golden = `
bc1 443a2c511f0e9994607371c00699965d
bc1a 155ac97804c94c42e3cdadb70af0e54f
bc3 236f756a105976e6e174ed6a51522a36
bc4 e18f00652627bfa8916729f04657d568
bc5 2613873e800fb9416ddc696f86acfa0f
bc6h 4551dca6e606a9bc05e5b171f4171124
eacr11 71cb5fe56e78614d57c3f50d59eb84c0
eacrg11 54690f55e365c76b4a1a6a3de4921425
r8 99c1d0d54b7b2f0b064520b80b6d2a2a
rg8 f8ad2997eed377321aa5fcf456d158f8
rgba8 31965e8fbf70bfbd80489b8df0f89f89
rgb10a2 61395498befa507546cd753e6554d4da
rgba16f 29327b9aadefaac93cf7cfccbfcc9912
`
