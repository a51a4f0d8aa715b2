/**
 * Contains a simulated cluster, group and clock for one consumer and its pipeline. Everything that happens to them is
 * drawn from a seed. A run takes a scenario and returns a history, or throws a violation. The simulation advances on
 * the consumer's own thread.
 */
@NullMarked
package dev.weir.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
