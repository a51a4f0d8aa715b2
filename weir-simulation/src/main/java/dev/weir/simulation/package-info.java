/**
 * A deterministic model of Kafka in simulated time: requests come in over connections of a simulated network, answers
 * go out as a real broker would give them. A world owns one model, and one thread runs all of it.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;
