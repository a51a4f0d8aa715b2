/**
 * The types of a user's code on Kafka: settings, sources of consumed records, sinks that produce, and the handle on a
 * running consumer. Everything is immutable or says otherwise.
 */
@NullMarked
package dev.weir.kafka;

import org.jspecify.annotations.NullMarked;
