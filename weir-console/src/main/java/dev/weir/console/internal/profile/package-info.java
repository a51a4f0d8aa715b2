/**
 * Samples of the flight recorder come in, the stages they belong to go out: recorded here or in another process,
 * joined, counted. Confined to the thread that asks for a profile.
 */
@NullMarked
package dev.weir.console.internal.profile;

import org.jspecify.annotations.NullMarked;
