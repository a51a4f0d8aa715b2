/**
 * A deterministic model of Kafka in simulated time. Requests arrive over connections of a simulated network, and
 * responses are those of a real broker. A world owns one model, and one thread runs all of it.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;
