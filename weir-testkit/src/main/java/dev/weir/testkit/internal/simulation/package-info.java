/**
 * Contains a simulated cluster, group and clock for one consumer and its pipeline. A seed determines everything that
 * happens to them. A run takes a scenario and returns a history, or throws a violation. The simulation advances on the
 * consumer's own thread.
 */
@NullMarked
package dev.weir.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
