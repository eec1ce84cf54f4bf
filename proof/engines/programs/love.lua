-- Loads each cooked file with LÖVE and prints every difference from its source.

local outputs = require("loader") -- of docs/engines/love.md

-- render returns the pixels of a canvas on which f draws.
local function render(width, height, f)
	local canvas = love.graphics.newCanvas(width, height, { dpiscale = 1 })
	love.graphics.setCanvas(canvas)
	love.graphics.setBlendMode("replace", "premultiplied")
	f()
	love.graphics.setCanvas()
	return canvas:newImageData()
end

-- difference returns a line if the mean difference of two images is more than 1 of 255.
local function difference(want, got)
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

local compared = {}

local function count(kind)
	compared[kind] = (compared[kind] or 0) + 1
end

local function compareImages(source, cooked, kind)
	local m = outputs.image(cooked)
	local ok, want = pcall(love.image.newImageData, source)
	if not ok then
		return nil -- LÖVE does not decode the source
	end
	count(kind)
	return difference(want, render(m:getWidth(), m:getHeight(), function() love.graphics.draw(m) end))
end

local function compareSprites(_, cooked)
	local page, list = outputs.sprites(cooked)
	for name, s in pairs(list) do
		if not name:find("panel") then -- a nine-patch has lost its border
			local want = love.image.newImageData("assets/kinds/" .. name)
			local got = render(want:getWidth(), want:getHeight(), function() love.graphics.draw(page, s.quad, s.x, s.y) end)
			local wrong = difference(want, got)
			if wrong then
				return name .. ": " .. wrong
			end
			count("sprite")
		end
	end
end

local function compareFonts(source, cooked)
	local function text(font)
		return render(200, 20, function() love.graphics.setFont(font) love.graphics.print("PEBBLE 123", 2, 2) end)
	end
	count("font")
	local want = text(love.graphics.newFont(source))
	if not difference(want, love.image.newImageData(200, 20)) then
		return "no text is drawn"
	end
	return difference(want, text(outputs.font(cooked)))
end

local function compareSounds(source, cooked)
	outputs.sound(cooked)
	outputs.sound(cooked, "stream")
	local got = love.sound.newSoundData("cooked/" .. cooked)
	local ok, want = pcall(love.sound.newSoundData, source)
	if not ok then
		return nil
	end
	count("sound")
	if want:getSampleCount() ~= got:getSampleCount() or want:getChannelCount() ~= got:getChannelCount() then
		return string.format("%d frames, want %d", got:getSampleCount(), want:getSampleCount())
	end
	for i = 0, want:getSampleCount() * want:getChannelCount() - 1 do
		if math.abs(want:getSample(i) - got:getSample(i)) > 1 / 256 then
			return "another sample at " .. i
		end
	end
end

-- A game is loaded whole. Its files are not in the directory of the loader's page.
local function loadImage(_, cooked)
	love.graphics.newImage(cooked)
end

local function loadSound(_, cooked)
	love.audio.newSource(cooked, "static")
end

-- checkHotReload runs the page's code for hot reload: it loads an image again only if its time changes.
local function checkHotReload()
	local game = setmetatable({ outputs = outputs }, { __index = _G })
	local code = setfenv(love.filesystem.load("hotreload.lua"), game)
	code()
	local first = game.trophy
	code()
	if not first or game.trophy ~= first then
		print("hot reload: the image is not loaded once")
	end
	game.loaded = 0
	code()
	if game.trophy == first then
		print("hot reload: a changed image is not loaded")
	end
end

local compare = { ["game-image"] = loadImage, ["game-sound"] = loadSound, image = compareImages, lut = compareImages, sprite = compareSprites, font = compareFonts, sound = compareSounds }
local within = { image = 1, lut = 1, sprite = 1, font = 1, sound = 0.4 } -- 1/256 of the full scale

function love.load()
	checkHotReload()
	for line in love.filesystem.lines("pairs") do
		local kind, source, cooked = line:match("^(.-)\t(.-)\t(.-)$")
		cooked = cooked:gsub("^cooked/", "")
		if kind ~= "model" and kind ~= "hdr" then -- LÖVE has none
			local _, wrong = pcall(compare[kind], source, cooked, kind)
			if wrong then
				print(cooked .. ": " .. wrong)
			end
		end
	end
	for kind, files in pairs(compared) do
		print("compared " .. kind .. " " .. files .. " " .. within[kind])
	end
	love.event.quit()
end
