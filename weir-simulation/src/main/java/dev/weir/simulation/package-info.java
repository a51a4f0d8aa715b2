/**
 * A deterministic model of Kafka in simulated time. Requests arrive over simulated network connections, and brokers
 * respond like real ones. Each simulation has its own model and runs it on a single thread.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;
