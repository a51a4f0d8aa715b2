/**
 * Creates profiles of pipelines by stage. The flight recorder samples this process or another one, and each sample is
 * assigned to a stage. Confined to the thread that requests a profile.
 */
@NullMarked
package dev.weir.console.internal.profile;

import org.jspecify.annotations.NullMarked;
