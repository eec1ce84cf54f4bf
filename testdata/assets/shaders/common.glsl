// Shared by the kart, terrain and sky shaders.
#ifndef COMMON_GLSL
#define COMMON_GLSL

layout(set = 0, binding = 0) uniform Frame {
    mat4 view_projection;
    vec4 camera; // xyz: place in metres, w: time in seconds
    vec4 sun;    // xyz: direction towards the sun, w: strength
    vec4 fog;    // rgb: colour, w: density per metre
} frame;

const float PI = 3.14159265358979;

vec3 apply_fog(vec3 colour, float distance_m) {
    float clear = exp(-distance_m * frame.fog.w);
    return mix(frame.fog.rgb, colour, clear);
}

// Light that falls on a matt surface, with a little wrap so that the small
// world has no black side.
float wrapped_light(vec3 normal) {
    return max(0.0, (dot(normal, frame.sun.xyz) + 0.25) / 1.25) * frame.sun.w;
}

#endif
