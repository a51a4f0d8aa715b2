/**
 * Contains a simulated cluster, group and time, all drawn from a seed, around one consumer and its pipeline. A run
 * takes a scenario and returns a history, or throws a violation. The simulation advances on the consumer's own thread.
 */
@NullMarked
package dev.weir.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
