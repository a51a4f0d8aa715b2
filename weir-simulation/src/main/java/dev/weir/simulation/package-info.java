/**
 * A deterministic model of Kafka in simulated time. Requests arrive over connections of a simulated network, and the
 * responses are the same as a real broker's. A world owns one model, and one thread runs all of it.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;
