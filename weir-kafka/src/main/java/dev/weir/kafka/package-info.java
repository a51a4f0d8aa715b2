/**
 * What a user of Weir on Kafka types: settings, sources of consumed records, sinks that produce, and the handle on a
 * running consumer. Everything is immutable or says otherwise.
 */
@NullMarked
package dev.weir.kafka;

import org.jspecify.annotations.NullMarked;
