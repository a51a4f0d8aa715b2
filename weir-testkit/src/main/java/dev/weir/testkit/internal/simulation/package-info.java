/**
 * A simulated cluster, group and time, drawn from a seed, around one consumer and its pipeline. A scenario comes in, a
 * history or a violation goes out; the world moves on the consumer's own thread.
 */
@NullMarked
package dev.weir.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
