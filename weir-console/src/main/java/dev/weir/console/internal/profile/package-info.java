/**
 * Profiles by stage: samples of the flight recorder, from this or another process, are assigned to stages and counted.
 * Confined to the thread that requests a profile.
 */
@NullMarked
package dev.weir.console.internal.profile;

import org.jspecify.annotations.NullMarked;
