-- Loads each cooked file with LÖVE and prints every difference from its source.

local outputs = require("loader") -- of docs/engines/love.md

-- image returns the pixels that LÖVE shows for a file: it is drawn, one texel for each pixel.
local function image(name)
	local m = outputs.image((name:gsub("^cooked/", "")))
	local canvas = love.graphics.newCanvas(m:getWidth(), m:getHeight(), { dpiscale = 1 })
	love.graphics.setCanvas(canvas)
	love.graphics.setBlendMode("replace", "premultiplied")
	love.graphics.draw(m)
	love.graphics.setCanvas()
	return canvas:newImageData()
end

local function compareImages(source, cooked)
	local got = image(cooked)
	local ok, want = pcall(love.image.newImageData, source)
	if not ok then
		return nil -- LÖVE does not decode the source
	end
	if want:getWidth() ~= got:getWidth() or want:getHeight() ~= got:getHeight() then
		return string.format("%dx%d pixels, want %dx%d", got:getWidth(), got:getHeight(), want:getWidth(), want:getHeight())
	end
	local sum = 0
	for y = 0, want:getHeight() - 1 do
		for x = 0, want:getWidth() - 1 do
			local r, g, b, a = want:getPixel(x, y)
			local r2, g2, b2, a2 = got:getPixel(x, y)
			sum = sum + math.abs(r * a - r2 * a2) + math.abs(g * a - g2 * a2) + math.abs(b * a - b2 * a2) + math.abs(a - a2)
		end
	end
	local off = sum / 4 / want:getWidth() / want:getHeight() * 255
	return off > 1 and "the mean difference is " .. off or nil
end

local function compareSounds(source, cooked)
	outputs.sound((cooked:gsub("^cooked/", "")))
	outputs.sound((cooked:gsub("^cooked/", "")), "stream")
	local got = love.sound.newSoundData(cooked)
	local ok, want = pcall(love.sound.newSoundData, source)
	if not ok then
		return nil
	end
	if want:getSampleCount() ~= got:getSampleCount() or want:getChannelCount() ~= got:getChannelCount() then
		return string.format("%d frames, want %d", got:getSampleCount(), want:getSampleCount())
	end
	for i = 0, want:getSampleCount() * want:getChannelCount() - 1 do
		if math.abs(want:getSample(i) - got:getSample(i)) > 1 / 256 then
			return "another sample at " .. i
		end
	end
end

function love.load()
	local compared = 0
	for line in love.filesystem.lines("pairs") do
		local kind, source, cooked = line:match("^(.-)\t(.-)\t(.-)$")
		local ok, wrong = pcall(kind == "image" and compareImages or compareSounds, source, cooked)
		if wrong then
			print(cooked .. ": " .. wrong)
		end
		compared = compared + 1
	end
	if compared < 35 then
		print(compared .. " files seen")
	end
	love.event.quit()
end
