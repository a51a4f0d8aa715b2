/**
 * Profiles by stage. The flight recorder's samples of this process or another one are assigned to stages and counted.
 * Confined to the thread that requests a profile.
 */
@NullMarked
package dev.weir.console.internal.profile;

import org.jspecify.annotations.NullMarked;
