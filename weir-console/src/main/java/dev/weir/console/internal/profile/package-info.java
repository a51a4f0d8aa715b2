/**
 * Creates profiles of pipelines by stage. The flight recorder takes samples of this process or another process. Each
 * sample is assigned to a stage, and the samples of each stage are counted. Confined to the thread that requests a
 * profile.
 */
@NullMarked
package dev.weir.console.internal.profile;

import org.jspecify.annotations.NullMarked;
