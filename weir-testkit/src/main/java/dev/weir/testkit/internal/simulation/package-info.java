/**
 * A cluster, a group and time as drawn from a seed, around one consumer and the pipeline below it. In comes a scenario,
 * out comes a history or what was violated; the world moves on the consumer's own thread.
 */
@NullMarked
package dev.weir.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
