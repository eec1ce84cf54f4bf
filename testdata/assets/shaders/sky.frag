#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) in vec3 in_direction;

layout(location = 0) out vec4 out_colour;

layout(set = 2, binding = 0) uniform texture2D sky_map;
layout(set = 2, binding = 1) uniform texture2D cloud_map;
layout(set = 2, binding = 2) uniform sampler linear_repeat;

void main() {
    vec3 d = normalize(in_direction);
    vec2 round_up = vec2(atan(d.z, d.x) / (2.0 * PI) + 0.5, acos(clamp(d.y, -1.0, 1.0)) / PI);
    vec3 sky = texture(sampler2D(sky_map, linear_repeat), round_up).rgb;

    vec2 drift = vec2(frame.camera.w * 0.002, 0.0);
    float cloud = texture(sampler2D(cloud_map, linear_repeat), d.xz / max(d.y, 0.1) + drift).r;
    out_colour = vec4(mix(sky, vec3(1.0), cloud * smoothstep(0.05, 0.4, d.y)), 1.0);
}
